"""What reads the log where Spark wants it read: in one call from an offset to decoded readings.

Travels by pickle, so it carries the declaration and not its result: the log is opened and the decoder
built in the process that reads, at its first read.
"""

from collections.abc import Iterable

from engine.model.reading import Batch
from engine.model.relation import REJECTS, Relation
from ingest.discovery.acquainted import Acquainted
from ingest.discovery.relations import DEVICES, ENTITIES, MEASUREMENTS
from ingest.epochs import Epochs
from ingest.log import Log
from ingest.sources import Sources

MAX_ROWS = 5_000
MAX_BYTES = 4_000_000
BY_DEVICES = {DEVICES.name, ENTITIES.name, MEASUREMENTS.name, REJECTS.name}


class LogReader:
    """A ``Reader`` of a log; ``tables`` are the relations reflected from databases.

    ``before``, set before the first read, are devices that the snapshot knows from which reading goes on.
    """

    def __init__(
        self,
        log_url: str,
        sources: Sources,
        tables: Iterable[Relation] = (),
        max_rows: int = MAX_ROWS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._url = log_url
        self._sources = sources
        self._tables = tuple(tables)
        self._bounds = (max_rows, max_bytes)
        self._at = 0
        self.before: Acquainted | None = None
        self._log: Log | None = None
        self._epochs: Epochs | None = None
        self._apart: Epochs | None = None

    def read(self, start: int, relation: str | None = None) -> Batch:
        """Return everything decoded from a bounded piece of the log after ``start``.

        Whoever asks for one relation alone gets that at least; where what is known of devices does not matter
        to it, nothing of that is folded, which takes seconds of thousands of devices.
        """
        log, epochs = self._opened()
        records = log.read(start, *self._bounds)
        if not records:
            return Batch((), start, self._at)
        if relation is None or relation in BY_DEVICES:
            epochs.stand(log, start)
        else:
            epochs = self._apart = self._apart or Epochs(self._sources, self._tables)
        epochs.learn(log)
        readings = list(epochs.decode(records))
        self._at = records[-1].received
        return Batch(readings, records[-1].offset, self._at, epochs.relations)

    def since(self, name: str) -> int | None:
        """Return the offset from which a relation is declared; nothing of those that were always there."""
        log, epochs = self._opened()
        epochs.learn(log)
        return epochs.since(name)

    def _opened(self) -> tuple[Log, Epochs]:
        if self._log is None or self._epochs is None:
            self._log, self._epochs = Log(self._url), Epochs(self._sources, self._tables, self.before)
        return self._log, self._epochs

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_log": None, "_epochs": None, "_apart": None}
