"""What is left out while more comes than can be kept up with.

    level 1     messages of low priority        level 2     of normal priority too        HIGH: never

A message that is left out is counted, and acknowledged once its count is in the log; a redelivery of it is
known by what that entry says. So what was sent is what is in the log and what is counted, to the message.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from ingest.losses import SHED, LeftOut
from ingest.wrappers.mqtt.care import Cares
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.content import digest, name_in


class Shedding:
    """Leaves out what may be left out; ``level`` says how much of it has to be."""

    def __init__(self, level: Callable[[], int]) -> None:
        self._level = level
        self._cares = Cares()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._left_out: list[LeftOut] = []

    def heed(self, cares: Cares) -> None:
        """Have these say what may be left out from now on."""
        self._cares = cares

    def kept(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Return what goes to the log."""
        level = self._level()
        if not level or not messages:
            return messages
        return [message for message in messages if not self._is_shed(message, level)]

    def counted(self) -> tuple[Counter[tuple[str, str]], list[LeftOut]]:
        """Return what was left out since the last time, by stream and cause, and how to know it again."""
        counts, self._counts = self._counts, Counter()
        left_out, self._left_out = self._left_out, []
        return counts, left_out

    def _is_shed(self, message: Message, level: int) -> bool:
        care = self._cares.of(message.topic)
        if care.priority >= level:
            return False
        for stream in care.streams:
            self._counts[stream, SHED] += 1
        content = digest(message.topic, message.payload)
        name = None if care.number is None else name_in(message.payload, care.number)
        if message.mid is not None or name is not None:
            self._left_out.append(LeftOut(message.mid, content, message.topic, name))
        return True
