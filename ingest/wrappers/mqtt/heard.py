"""What devices said since somebody last asked: the newest of each topic that is followed, and when.

Handed from the client's thread, which notes, to another, which takes all at once.
"""

from collections.abc import Iterable, Mapping
from threading import Lock
from typing import NamedTuple

from engine.model.clock import Clock
from ingest.wrappers.mqtt.followed import Followed


class Said(NamedTuple):
    """The newest message of a topic; ``at`` is None where it is only known from before, by the broker."""

    payload: bytes
    at: int | None


class Heard:
    """Notes what is said on the topics that are followed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._followed = Followed()
        self._news: dict[str, Said] = {}

    def follow(self, topics: Iterable[str]) -> None:
        self._followed = Followed(topics)

    def note(self, topic: str, payload: bytes, *, is_kept: bool) -> None:
        """Take note of a message; what the broker had kept says nothing of when."""
        found = self._followed.find(topic)
        if found is None:
            return
        with self._lock:
            before = self._news.pop(found, None)
            at = self._clock.now() if not is_kept else before.at if before else None
            self._news[found] = Said(payload, at)

    def take(self) -> Mapping[str, Said]:
        """Return the news, by topic in the order in which each was said last."""
        with self._lock:
            found, self._news = self._news, {}
        return found
