"""Which messages of a burst go to the log.

    asked for           to the log
    announced as before dropped: devices announce again whenever we come back
    asked for by nobody counted, and the newest of its topic held; to the log the moment somebody asks

So the order does not matter in which a device announces itself and says something. What is held is bounded;
what came first goes first, and is counted. It is in memory only: after a restart the broker hands out again
what it keeps, and what it does not keep a device says again.

``ask`` and ``forget`` may be called from any thread; all else comes from the client's.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

from ingest.discovery.topics import announces
from ingest.wrappers.mqtt.asked import Asked
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.heard import Heard

MAX_HELD = 20_000
MAX_HELD_BYTES = 16_000_000
MAX_ANNOUNCED = 200_000
NOTHING = b""


def _digest(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=16).digest() if payload else NOTHING


class Intake:
    """Sifts what a broker brings; ``never_held`` are first levels whose past nobody wants who asks late."""

    def __init__(self, asked: Asked, heard: Heard, never_held: Iterable[str] = ()) -> None:
        self._asked = self._wanted = asked
        self._heard, self._never_held = heard, frozenset(never_held)
        self._held: dict[str, Message] = {}
        self._bytes = 0
        self._announced: dict[str, bytes | None] = {}  # a digest of the last word of each topic
        self.unasked = self.overflowed = 0

    def ask(self, asked: Asked) -> None:
        """Have these go to the log from now on, what is held of them first."""
        self._wanted = asked

    def know(self, announced: Mapping[str, bytes]) -> None:
        """Take note of what was announced last on each topic."""
        self._announced = {topic: _digest(body) for topic, body in announced.items()}

    def forget(self, topics: Iterable[str]) -> None:
        """Have whatever is announced on these topics be news, that they are empty too."""
        self._announced.update(dict.fromkeys(topics))

    @property
    def held(self) -> int:
        return len(self._held)

    def hear(self, message: Message) -> None:
        """Take note that a device spoke, or that the broker says what it said before."""
        self._heard.note(message.topic, message.payload, is_kept=message.retain)

    def sift(self, burst: Iterable[Message]) -> list[Message]:
        """Return what goes to the log, in order."""
        return [*self._released(), *filter(self._is_wanted, burst)]

    def _released(self) -> Iterator[Message]:
        if self._wanted is self._asked:
            return
        self._asked = self._wanted
        for topic in [topic for topic in self._held if topic in self._asked]:
            found = self._held.pop(topic)
            self._bytes -= len(found.payload)
            self.hear(found)
            yield found._replace(mid=None)

    def _is_wanted(self, message: Message) -> bool:
        if self._asked.is_spoken(message.topic):
            return True
        if announces(message.topic):
            return self._is_news(message)
        if message.topic in self._asked:
            return True
        self.unasked += 1
        if message.topic.partition("/")[0] not in self._never_held:
            self._hold(message)
        return False

    def _is_news(self, message: Message) -> bool:
        said = _digest(message.payload)
        if self._announced.get(message.topic, NOTHING) == said:
            return False
        if len(self._announced) >= MAX_ANNOUNCED:
            self._announced.clear()  # what is announced as before is then logged again, which changes nothing
        self._announced[message.topic] = said
        return True

    def _hold(self, message: Message) -> None:
        """Hold the newest of a topic; of a kept message that was deleted nothing is left to hold."""
        before = self._held.pop(message.topic, None)
        self._bytes += len(message.payload) - (len(before.payload) if before else 0)
        self._held[message.topic] = message
        while len(self._held) > MAX_HELD or self._bytes > MAX_HELD_BYTES:
            oldest = self._held.pop(next(iter(self._held)))
            self._bytes -= len(oldest.payload)
            self.overflowed += 1
