"""What of a burst goes to the log, and what the log is told of the rest.

    burst → not said before → asked for → not left out under pressure → entries
                 ↓                                 ↓
            missing numbers                   left out            → rows of ``losses``, in the same unit

All of it is one unit of the log: what is counted and what it is counted of are there together or not at all.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ingest.log import Entry, Log, Record, StateChange
from ingest.log.writer import LogWriter
from ingest.losses import GAP, Losses
from ingest.wrappers.mqtt.care import Cares
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.intake import Intake
from ingest.wrappers.mqtt.repeats import Repeats
from ingest.wrappers.mqtt.shedding import Shedding


class Settled(NamedTuple):
    """What is to be committed together; ``accepted`` of the entries are messages."""

    entries: list[Entry]
    state: list[StateChange]
    accepted: int


class Accounts:
    """Settles the bursts of one source; ``now`` is the log's time."""

    def __init__(self, source: str, intake: Intake, now: Callable[[], int]) -> None:
        self._source, self._intake, self._now = source, intake, now
        self._repeats, self._losses = Repeats(source), Losses()
        self._shedding = Shedding(lambda: self.pressure)
        self.pressure = 0

    def heed(self, cares: Cares) -> None:
        """Treat messages as these say from now on."""
        self._repeats.heed(cares)
        self._shedding.heed(cares)

    def open(self, writer: LogWriter, log: Log) -> None:
        """Take what is kept beside the log; ``fold`` its tail next."""
        self._writer = writer
        self._repeats.open(log)
        self._losses.open(log)

    def fold(self, records: Iterable[Record]) -> None:
        """Remember entries of the log."""
        self._repeats.fold(records)

    @property
    def repeated(self) -> int:
        """How many came that the log had."""
        return self._repeats.dropped

    @property
    def losses(self) -> Mapping[str, Mapping[str, int]]:
        """How many are not in the log, since it began, by stream and cause."""
        return self._losses.totals()

    def settle(self, burst: Sequence[Message]) -> Settled:
        """Return what is written of a burst."""
        self.pressure = self._writer.level()
        wanted = self._intake.sift(self._repeats.fresh(burst))
        kept = self._shedding.kept(wanted)
        self._repeats.logged(kept)
        entries = [Entry(self._source, each.topic, each.payload, each.mid) for each in kept]
        counts, left_out = self._shedding.counted()
        counts.update({(stream, GAP): count for stream, count in self._repeats.missing().items()})
        told = self._losses.more(Counter(counts), self._now(), left_out)
        marked, changed = self._repeats.mark(self._writer.end)
        return Settled([*entries, *told.entries, *marked], [*told.state, *changed], len(entries))
