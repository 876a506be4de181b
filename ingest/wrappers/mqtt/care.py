"""How much care messages of a topic get: which streams they feed, what may be shed, how they are numbered.

A topic that feeds several streams gets the most that any of them asks for. What feeds no stream, such as
what gateways say or what a discovered device measures, is never shed.
"""

from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from ingest.sources import MqttStream

KNOWN_TOPICS = 50_000


class Priority(IntEnum):
    """What is shed first; HIGH is never."""

    LOW = 0
    NORMAL = 1
    HIGH = 2


class Care(NamedTuple):
    """``number`` is where a payload says what its sender calls it."""

    streams: tuple[str, ...]
    priority: Priority
    number: tuple[str | int, ...] | None


class Cares:
    """The care of each topic; immutable, so that threads hand it over."""

    def __init__(self, streams: Iterable[MqttStream] = ()) -> None:
        self._streams = tuple(stream for stream in streams if stream.topic is not None)
        self.of = lru_cache(KNOWN_TOPICS)(self._found)
        self.are_numbered = any(stream.sequence for stream in self._streams)

    def _found(self, topic: str) -> Care:
        fed = [one for one in self._streams if one.topic is not None and one.topic.matches(topic)]
        priority = max((Priority[one.priority.upper()] for one in fed), default=Priority.HIGH)
        numbers = (_number(one) for one in fed if one.sequence is not None)
        return Care(tuple(one.name for one in fed), priority, next(numbers, None))


def _number(stream: MqttStream) -> tuple[str | int, ...] | None:
    found = next(field for field in stream.fields if field.name == stream.sequence)
    return None if found.path is None else found.path.steps
