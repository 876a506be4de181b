"""Which messages the log has already, although a broker or a device says them again.

    a copy of what is retained      dropped where it is the last of its topic     (``copies``)
    a number that came before       dropped with the content of then              (``numbering``)

Remembered is what the log has: every EVERY entries what changed is kept beside it, with an entry that marks
the place, so that a start takes what is kept and folds the entries after the last mark into it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from ingest.log import Entry, Log, Record, StateChange
from ingest.losses import SOURCE as LOSSES
from ingest.losses import left_out
from ingest.wrappers.mqtt.care import Cares
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.content import digest, name_in, short
from ingest.wrappers.mqtt.copies import Copies
from ingest.wrappers.mqtt.numbering import NEW, Naming, Numbering, Sender, Verdict

MARKED = b"marked"
EVERY = 16_384
MOST_SENDERS = 20_000


class Repeats:
    """What was said before under the topics of one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._items = f"{source}:numbers", f"{source}:copies"
        self._cares = Cares()
        self._kept: tuple[dict[str, str], dict[str, str]] = {}, {}
        self._senders: dict[str, Sender] = {}
        self._changed: set[str] = set()
        self._copies = Copies()
        self._marked = 0
        self._missing: Counter[str] = Counter()
        self.dropped = 0

    def heed(self, cares: Cares) -> None:
        """Number messages as these say from now on."""
        self._cares = cares

    def open(self, log: Log) -> None:
        """Take what is kept; ``fold`` the log's tail next."""
        self._kept = log.state(self._items[0]), log.state(self._items[1])
        self._begin()

    def fold(self, records: Iterable[Record]) -> None:
        """Remember entries of the log."""
        for record in records:
            for shed in left_out(record.payload) if record.source == LOSSES else ():
                self._take(shed.topic, shed.name, shed.content, is_copy=False)
            if record.source != self._source:
                continue
            if record.topic:
                content = digest(record.topic, record.payload)
                self._judged(record.topic, record.payload, content, is_copy=False)
                self._copies.logged(record.topic, content, is_copy=False)
            elif record.payload == MARKED:
                self._begin()
                self._marked = record.offset
        self._missing.clear()

    def fresh(self, burst: Sequence[Message]) -> list[Message]:
        """Return what was not said before."""
        found = [message for message in burst if not self._came_before(message)]
        self.dropped += len(burst) - len(found)
        return found

    def logged(self, messages: Iterable[Message]) -> None:
        """Take note of what the log gets."""
        for message in messages:
            content = digest(message.topic, message.payload)
            self._copies.logged(message.topic, content, is_copy=message.retain)

    def missing(self) -> Counter[str]:
        """Return how many more messages each stream lacks than the last time, or how many fewer."""
        found, self._missing = self._missing, Counter()
        return found

    def mark(self, end: int) -> tuple[list[Entry], list[StateChange]]:
        """Return what is to be written with what was logged last, where the log ends about there."""
        if end - self._marked < EVERY or not (self._changed or self._copies.have_changed):
            return [], []
        changed, self._changed, self._marked = self._changed, set(), end
        numbers, copies = self._items
        state = [StateChange(numbers, topic, self._text(topic)) for topic in changed]
        state += [StateChange(copies, *change) for change in self._copies.changes()]
        return [Entry(self._source, "", MARKED)], state

    def _begin(self) -> None:
        numbers, copies = self._kept
        self._senders = {topic: _sender(text) for topic, text in numbers.items()}
        self._changed = set()
        self._copies.restore(copies)

    def _came_before(self, message: Message) -> bool:
        content = digest(message.topic, message.payload)
        if message.retain and self._copies.is_known(message.topic, content):
            return True
        return self._judged(message.topic, message.payload, content, is_copy=message.retain).came_before

    def _judged(self, topic: str, payload: bytes, content: int, *, is_copy: bool) -> Verdict:
        steps = self._cares.of(topic).number
        name = None if steps is None else name_in(payload, steps)
        return self._take(topic, name, content, is_copy=is_copy)

    def _take(self, topic: str, name: int | str | None, content: int, *, is_copy: bool) -> Verdict:
        """Judge by a number; an old one of a copy says nothing of what its sender says by now."""
        sender = None if name is None else self._sender_of(topic, name)
        if name is None or sender is None or (is_copy and not sender.expects(name)):
            return NEW
        verdict = sender.take(name, short(content))
        if not verdict.came_before:
            self._changed.add(topic)
        for stream in self._cares.of(topic).streams if verdict.missing else ():
            self._missing[stream] += verdict.missing
        return verdict

    def _sender_of(self, topic: str, name: int | str) -> Sender | None:
        """Return what is known of a sender; one that changes from numbers to names is another."""
        kind = Numbering if isinstance(name, int) else Naming
        found = self._senders.get(topic)
        if found is None and len(self._senders) >= MOST_SENDERS:
            return None
        if not isinstance(found, kind):
            found = self._senders[topic] = kind()
        return found

    def _text(self, topic: str) -> str:
        sender = self._senders[topic]
        return f"{'=' if isinstance(sender, Naming) else '#'}{sender.to_text()}"


def _sender(text: str) -> Sender:
    return Naming.from_text(text[1:]) if text[0] == "=" else Numbering.from_text(text[1:])
