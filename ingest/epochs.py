"""Decoding while relations come and go: each entry by what was declared when it was received.

    declarations at offsets 40, 70:      decoder of ..40 | of 41..70 | of 71..

What devices announced is folded on the way (``discovery.registry``), so a message is decoded by what was
known when it was received; a reader that starts at an offset takes in what was announced up to there.

A name may be declared again with other columns, or be no more. Nobody can ask for rows of the earlier one
then, so they are left out, and a name means one layout wherever rows are laid out by name.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from engine.model.reading import Reading
from engine.model.relation import Relation
from ingest.declarations import Declaration, in_force, read_declaration
from ingest.decoding.decoder import Decoder
from ingest.discovery.acquainted import Acquainted
from ingest.discovery.registry import Registry
from ingest.log import Log, Record
from ingest.sources import Sources

KEPT = 8


class Epochs:
    """The decoders of a building's log, each made when an entry of its time is read."""

    def __init__(
        self, sources: Sources, tables: Iterable[Relation], before: Acquainted | None = None
    ) -> None:
        self._sources, self._tables = sources, tuple(tables)
        self._own = {relation.name for relation in (*sources.relations(), *self._tables)}
        self._declarations: list[Declaration] = []
        self._offsets: list[int] = []
        self._decoder = lru_cache(KEPT)(self._made)
        self._since: dict[str, int] = {}
        self._registry, self._end = Registry(), 0
        self._before = before or Acquainted()
        self.relations: tuple[Relation, ...] = ()

    def learn(self, log: Log) -> None:
        """Take in what was declared since; to be asked after reading, so that nothing read is unknown."""
        found = log.declared(self._offsets[-1] if self._offsets else 0)
        for offset, payload in found:
            declaration = read_declaration(offset, payload)
            self._declarations.append(declaration)
            self._offsets.append(offset)
            if declaration.name not in self._own:
                self._since[declaration.name] = offset
        if found:
            current = in_force(self._declarations, self._own)
            self.relations = tuple(found.relation for found in current if found.relation is not None)

    def _made(self, count: int) -> Decoder:
        """Return the decoder of what comes after so many declarations."""
        before = self._declarations[:count]
        current = in_force(before, self._own)
        streams = tuple(found.stream for found in current if found.stream is not None)
        tables = [f.relation for f in current if f.stream is None and f.relation is not None]
        sources = replace(self._sources, streams=(*self._sources.streams, *streams))
        declared = {found.name: found.offset for found in before}
        return Decoder(sources, (*self._tables, *tables), declared, self._registry)

    def stand(self, log: Log, start: int) -> None:
        """Know of devices what was known at an offset; where reading goes on that is what is known."""
        if start != self._end:
            self._go_to(log, start)
        self._before = Acquainted(start, self._registry.met())

    def _go_to(self, log: Log, start: int) -> None:
        due = self._before if self._end == 0 else None
        if start < max(self._end, self._registry.upto):  # what was met since is to be met again
            self._registry, due = Registry(), self._before
            self._decoder.cache_clear()
        for found in log.announced(self._registry.upto):
            if found.offset > start:
                break
            if due is not None and found.offset > due.offset:
                self._meet(due)
                due = None
            self._registry.take(*found)
        if due is not None and due.offset <= start:
            self._meet(due)
        self._end = start

    def _meet(self, due: Acquainted) -> None:
        for met in due.met:
            self._registry.meet(met)

    def since(self, name: str) -> int | None:
        """Return the offset from which a declared relation is there, or from which on it is not."""
        return self._since.get(name)

    def decode(self, records: Iterable[Record]) -> Iterator[Reading]:
        """Yield what the entries say of relations that are still there."""
        for record in records:
            self._end = record.offset
            for reading in self._decoder(bisect_left(self._offsets, record.offset)).decode(record):
                if reading.offset > self._since.get(reading.relation, 0):
                    yield reading
