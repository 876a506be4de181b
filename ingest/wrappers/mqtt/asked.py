"""What of all that a broker hands out somebody asks for.

    asked  =  declared patterns  ∪  what announces devices  ∪  topics that announced devices speak on

A filter that is wide enough for many devices also brings what nobody asks for; whether a topic is asked for
is decided here, message by message, and remembered for each topic.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ingest.discovery.topics import FILTERS, announces
from ingest.topics import TopicPattern, covering_filters
from ingest.wrappers.mqtt.followed import Followed

MOST_FILTERS = 10
DEPTHS = (3, 2, 1)
KNOWN_TOPICS = 50_000
LONGEST = 10_000  # characters; a topic has at most 65,535 bytes
_NOT_PLAIN = frozenset("#{}\0")


class Asked:
    """What is asked for from some moment on; immutable, so that threads hand it over."""

    def __init__(self, declared: Sequence[TopicPattern] = (), topics: Iterable[str] = ()) -> None:
        self.declared, self.spoken = tuple(declared), Followed(topics)
        self._is_declared = lru_cache(KNOWN_TOPICS)(self._matches)

    def __contains__(self, topic: str) -> bool:
        return self.is_spoken(topic) or self._is_declared(topic)

    def is_spoken(self, topic: str) -> bool:
        """Tell whether a device that announced itself speaks on this topic."""
        return self.spoken.find(topic) is not None

    def _matches(self, topic: str) -> bool:
        return announces(topic) or any(pattern.matches(topic) for pattern in self.declared)

    def filters(self) -> tuple[str, ...]:
        """Return at most MOST_FILTERS filters that bring all that is asked for, as narrow as that allows."""
        exact = [pattern.filter for pattern in self.declared] + list(FILTERS)
        attempts = [(exact, depth) for depth in DEPTHS]
        attempts += [([_head(each, depth) for each in exact], depth) for depth in DEPTHS]
        for fixed, depth in attempts:
            heads = {_head(topic, depth) for topic in self._discovered}
            if len(heads) <= MOST_FILTERS:
                found = covering_filters(map(TopicPattern, (*fixed, *heads)))
                if len(found) <= MOST_FILTERS:
                    return found
        return ("#",)

    @property
    def _discovered(self) -> Iterator[str]:
        """The topics of devices that no declared pattern covers, of those that may be subscribed to."""
        sound = filter(_may_be_asked, self.spoken.topics)
        return (topic for topic in sound if not self._is_declared(topic))


def _may_be_asked(topic: str) -> bool:
    """Tell whether a broker takes this as a filter; one that it does not would end the connection."""
    if not 0 < len(topic) <= LONGEST or _NOT_PLAIN.intersection(topic) or not _is_unicode(topic):
        return False
    return "+" not in topic or all(level == "+" or "+" not in level for level in topic.split("/"))


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def _head(topic: str, depth: int) -> str:
    """Return what covers a topic or filter by its first levels, or itself where all of these are any."""
    levels = topic.split("/")
    is_any = set(levels[:depth]) == {"+"}
    return topic if is_any or len(levels) <= depth else "/".join([*levels[:depth], "#"])
