"""Whom mapped streams had spoken of up to an offset, as the tables of a snapshot tell it.

Devices that announce themselves stand in the log's index; one that is only spoken of stands in the tables
``devices`` and ``entities`` alone. A reader that starts at a snapshot is told of them, so that people can
disable and forget also what does not speak any more. A room that people gave is taken for the mapping's,
until the device speaks again.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.model.values import Row
from ingest.discovery.known import Met
from ingest.discovery.registry import MAPPED
from ingest.discovery.relations import DEVICES, ENTITIES

_DEVICE = {column.name: place for place, column in enumerate(DEVICES.columns)}
_ENTITY = {column.name: place for place, column in enumerate(ENTITIES.columns)}


class Acquainted(NamedTuple):
    """What was met up to an offset."""

    offset: int = 0
    met: tuple[Met, ...] = ()


def acquainted(offset: int, devices: Iterable[Row], entities: Iterable[Row]) -> Acquainted:
    """Return what the rows of both tables, as of an offset, tell of mapped devices."""
    rooms = {str(row[_DEVICE["device"]]): row[_DEVICE["room"]] for row in devices}
    return Acquainted(
        offset, tuple(_met(row, rooms) for row in entities if row[_ENTITY["component"]] == MAPPED)
    )


def _met(row: Row, rooms: Mapping[str, object]) -> Met:
    entity, device, _, _, quantity, unit, topic, expire_after = row
    room = rooms.get(str(device))
    return Met(
        str(device),
        None if room is None else str(room),
        str(entity),
        str(quantity),
        None if unit is None else str(unit),
        str(topic),
        expire_after if isinstance(expire_after, float) else None,
    )
