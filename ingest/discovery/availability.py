"""Whether a device is available, by what its entities' availability topics said last.

    all      every topic says so                none of them silent; one that says no is enough for no
    any      one topic says so
    latest   the topic that spoke last says so

A device is available when one of its entities is, and not when none is and one says no.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import structlog

from ingest.discovery.known import ANY, LATEST, Availability, Entity


class Word(NamedTuple):
    """What a topic said last, and when among all words."""

    turn: int
    payload: bytes


Words = Mapping[str, Word]


def is_there(entities: Iterable[Entity], words: Words) -> bool | None:
    """Tell whether a device is available; None where nobody said."""
    shared = {(entity.availability, entity.availability_mode) for entity in entities if entity.availability}
    found = {_is_available(availability, mode, words) for availability, mode in shared}
    return True if True in found else False if False in found else None


def _is_available(availability: tuple[Availability, ...], mode: str, words: Words) -> bool | None:
    if mode == LATEST:
        return _latest(availability, words)
    said = [_says(each, words) for each in availability]
    if mode == ANY:
        return True if True in said else False if False in said else None
    return False if False in said else True if None not in said else None


def _latest(availability: tuple[Availability, ...], words: Words) -> bool | None:
    spoken = [each for each in availability if each.topic in words]
    spoken.sort(key=lambda each: words[each.topic].turn, reverse=True)
    return next((said for each in spoken if (said := _says(each, words)) is not None), None)


def _says(availability: Availability, words: Words) -> bool | None:
    word = words.get(availability.topic)
    if word is None:
        return None
    try:
        return availability.says(word.payload)
    except Exception as error:  # what a device has us compute must not end the acquisition
        structlog.get_logger().warning(
            "availability cannot be told", topic=availability.topic, reason=repr(error)[:200]
        )
        return None
