"""Homie 5: a device describes its nodes and their properties; each property is a topic with a plain value.

    homie/5/<device>/$state               init | ready | sleeping | disconnected | lost; empty: it is no more
    homie/5/<device>/$description         {"name", "root", "parent", "nodes": {<node>: {"properties": {…}}}}
    homie/5/<device>/<node>/<property>    a value of its datatype

State and description are read together, in either order. A device is there while its state says so, and so
does that of its root. Left out: domains other than ``homie``, targets, alerts, logs and commands.

Reference: homieiot.github.io, Homie convention 5.0.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ingest.decoding.payload import kind_of, parse
from ingest.decoding.values import FieldError
from ingest.discovery.fields import maybe_text, maybe_topic
from ingest.discovery.known import ALL, NOTHING, Announcement, Availability, Device, Entity, Extract

STATE, DESCRIPTION = "$state", "$description"
ORIGIN = "Homie"
THERE = "{{ 'online' if value in ('init', 'ready', 'sleeping') else 'offline' }}"
NUMBERS = ("integer", "float")
BOOLEAN = "boolean"
MAX_PROPERTIES = 1_000


def read(words: Mapping[str, bytes]) -> Announcement:
    """Return what a device's state and description say; one alone waits for the other."""
    found = {topic.rpartition("/")[2]: body for topic, body in words.items()}
    if len(found) < len((STATE, DESCRIPTION)):
        return NOTHING
    base = next(iter(words)).rpartition("/")[0]
    domain, _, name = base.rpartition("/")
    said = parse(found[DESCRIPTION])
    if type(said) is not dict:
        msg = f"the description is {kind_of(said)}; expected an object"
        raise FieldError(msg)
    root, parent = (maybe_topic(said.get(each)) for each in ("root", "parent"))
    states = [base] if root is None else [base, f"{domain}/{root}"]
    there = tuple(Availability(f"{each}/{STATE}", template=THERE) for each in states)
    label, kind = (maybe_text(said.get(each)) for each in ("name", "type"))
    device = Device(name, label, model=kind, via=parent or root, origin=ORIGIN)
    return Announcement((device,), tuple(_entities(said, name, base, there))[:MAX_PROPERTIES])


def _entities(
    said: dict[str, Any], device: str, base: str, there: tuple[Availability, ...]
) -> Iterator[Entity]:
    for node, of_node in _objects(said.get("nodes")):
        for name, found in _objects(of_node.get("properties")):
            topic = maybe_topic(f"{base}/{node}/{name}")
            if topic is None:
                continue
            is_switch = found.get("datatype") == BOOLEAN
            yield Entity(
                f"homie.{device}.{node}.{name}",
                device,
                maybe_text(found.get("name")),
                "switch" if is_switch and found.get("settable") is True else "sensor",
                name,
                maybe_text(found.get("unit")),
                topic,
                Extract(on="true", off="false")
                if is_switch
                else Extract(numeric=found.get("datatype") in NUMBERS),
                there,
                ALL,
            )


def _objects(found: object) -> Iterator[tuple[str, dict[str, Any]]]:
    if type(found) is dict:
        yield from ((key, each) for key, each in found.items() if type(each) is dict and maybe_text(key))
