"""Whether a device is available, by what its entities' availability topics said last.

    all      every topic says so                none of them silent; one that says no is enough for no
    any      one topic says so
    latest   the topic that spoke last says so

A device is available when one of its entities is, and not when none is and one says no.
"""

from collections.abc import Iterable, Mapping

from ingest.discovery.known import ANY, LATEST, Availability, Entity


def is_there(entities: Iterable[Entity], payloads: Mapping[str, bytes]) -> bool | None:
    """Tell whether a device is available; None where nobody said. ``payloads`` are in the order of saying."""
    shared = {(entity.availability, entity.availability_mode) for entity in entities if entity.availability}
    found = {_is_available(availability, mode, payloads) for availability, mode in shared}
    return True if True in found else False if False in found else None


def _is_available(
    availability: tuple[Availability, ...], mode: str, payloads: Mapping[str, bytes]
) -> bool | None:
    said = [each.says(payloads[each.topic]) if each.topic in payloads else None for each in availability]
    if mode == ANY:
        return True if True in said else False if False in said else None
    if mode == LATEST:
        return _latest(availability, payloads)
    return False if False in said else True if None not in said else None


def _latest(availability: tuple[Availability, ...], payloads: Mapping[str, bytes]) -> bool | None:
    order = {topic: place for place, topic in enumerate(payloads)}
    spoken = sorted(
        (each for each in availability if each.topic in order), key=lambda each: order[each.topic]
    )
    said = [each.says(payloads[each.topic]) for each in spoken]
    return next((one for one in reversed(said) if one is not None), None)
