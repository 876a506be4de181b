"""What devices said since somebody last asked: the newest of each topic that is followed, and when.

Handed from the client's thread, which notes, to another, which takes all at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from engine.model.clock import Clock
from ingest.topics import TopicPattern
from ingest.wrappers.mqtt.followed import Followed

KNOWN_TOPICS = 50_000


class Said(NamedTuple):
    """The newest message of a topic; ``at`` is None where it is only known from before, by the broker."""

    payload: bytes
    at: int | None


class Following(NamedTuple):
    """What is noted: on topics, of which some stand for many, and on all that match a pattern."""

    topics: Followed
    patterns: tuple[TopicPattern, ...] = ()

    def find(self, topic: str) -> str | None:
        """Return under which topic a message is noted, if it is."""
        found = self.topics.find(topic)
        if found is None and any(pattern.matches(topic) for pattern in self.patterns):
            return topic
        return found


class Heard:
    """Notes what is said on the topics that are followed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._key = lru_cache(KNOWN_TOPICS)(Following(Followed()).find)
        self._news: dict[str, Said] = {}

    def follow(self, topics: Iterable[str], patterns: Sequence[TopicPattern] = ()) -> None:
        """Note from now on what is said on these topics, and on any that matches a pattern."""
        following = Following(Followed(topics), tuple(patterns))
        self._key = lru_cache(KNOWN_TOPICS)(following.find)

    def note(self, topic: str, payload: bytes, *, is_kept: bool) -> None:
        """Take note of a message; what the broker had kept says nothing of when."""
        found = self._key(topic)
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
