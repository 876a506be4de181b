"""Which retained messages the log has already.

A broker hands out what it retains whenever somebody subscribes, and we subscribe at each connection. Such a
copy is dropped where it equals the last message that the log has of its topic. A message that was published
while we were away differs from that, or comes without the mark of a copy as well.

    last[topic]   of topics that ever had a copy: kept beside the log; of others: of the newest RECENT

A topic under which what is retained and what is not take turns gets its retained one again at each
connection.
"""

from collections.abc import Iterator, Mapping

RECENT = 50_000
MOST_COPIED = 200_000


class Copies:
    """The last content of each topic."""

    def __init__(self) -> None:
        self._copied: dict[str, int] = {}
        self._recent: dict[str, int] = {}
        self._older: dict[str, int] = {}
        self._changed: set[str] = set()

    def is_known(self, topic: str, content: int) -> bool:
        """Tell of a copy whether the log has it as the last of its topic."""
        last = self._copied.get(topic)
        if last is None:
            last = self._recent.get(topic, self._older.get(topic))
        return last == content

    def logged(self, topic: str, content: int, *, is_copy: bool) -> None:
        """Take note of what the log gets."""
        if topic in self._copied or (is_copy and len(self._copied) < MOST_COPIED):
            if self._copied.get(topic) != content:
                self._copied[topic] = content
                self._changed.add(topic)
            return
        if len(self._recent) >= RECENT:
            self._recent, self._older = {}, self._recent
        self._recent[topic] = content

    def restore(self, kept: Mapping[str, str]) -> None:
        """Go on with what ``changes`` told; of topics that never had a copy what was logged before stands."""
        self._copied = {topic: int(content) for topic, content in kept.items()}
        self._changed = set()

    @property
    def have_changed(self) -> bool:
        return bool(self._changed)

    def changes(self) -> Iterator[tuple[str, str]]:
        """Yield what is to be kept of each topic that had a copy, since the last time."""
        changed, self._changed = self._changed, set()
        for topic in changed:
            yield topic, str(self._copied[topic])
