"""Topics by which a message is found, some of them with + for any level.

    a/b, +/x/c    find    a/b and q/x/c

The ones with + are found by their shape, that is by how many levels they have and which of these are +, so a
message costs one look for each shape, however many topics there are.
"""

from collections.abc import Iterable


class Followed:
    """A set of topics; immutable."""

    def __init__(self, topics: Iterable[str] = ()) -> None:
        self.topics = frozenset(topics)
        self._shapes = {_shape(topic) for topic in self.topics if "+" in topic}

    def find(self, topic: str) -> str | None:
        """Return the topic of the set that a message's topic is, or is one of."""
        if topic in self.topics:
            return topic
        levels = topic.split("/") if self._shapes else []
        for count, places in self._shapes:
            if count == len(levels):
                wide = "/".join("+" if at in places else level for at, level in enumerate(levels))
                if wide in self.topics:
                    return wide
        return None


def _shape(topic: str) -> tuple[int, frozenset[int]]:
    levels = topic.split("/")
    return len(levels), frozenset(at for at, level in enumerate(levels) if level == "+")
