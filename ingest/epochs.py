"""Decoding while relations come and go: each entry by what was declared when it was received.

    declarations at offsets 40, 70:      decoder of ..40 | of 41..70 | of 71..

A name may be declared again with other columns. Nobody can ask for rows of the earlier one any more, so
they are left out, and a name means one layout wherever rows are laid out by name.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.model.reading import Reading
from engine.model.relation import Relation
from ingest.declarations import Declaration, in_force, read_declaration
from ingest.decode import Decoder
from ingest.log import Log, Record
from ingest.sources import Sources


class Epochs:
    """The decoders of a building's log."""

    def __init__(self, sources: Sources, tables: Iterable[Relation]) -> None:
        self._sources, self._tables = sources, tuple(tables)
        self._own = {relation.name for relation in (*sources.relations(), *self._tables)}
        self._declarations: list[Declaration] = []
        self._offsets: list[int] = []
        self._decoders = [Decoder(sources, self._tables)]
        self._since: dict[str, int] = {}
        self.relations: tuple[Relation, ...] = ()

    def learn(self, log: Log) -> None:
        """Take in what was declared since; to be asked after reading, so that nothing read is unknown."""
        for offset, payload in log.declared(self._offsets[-1] if self._offsets else 0):
            declaration = read_declaration(offset, payload)
            self._declarations.append(declaration)
            self._offsets.append(offset)
            current = in_force(self._declarations, self._own)
            self._decoders.append(self._decoder(current))
            self.relations = tuple(found.relation for found in current if found.relation is not None)
            if declaration.name not in self._own:
                self._since[declaration.name] = offset

    def _decoder(self, current: Sequence[Declaration]) -> Decoder:
        streams = tuple(found.stream for found in current if found.stream is not None)
        keyed = [f.relation for f in current if f.stream is None and f.relation is not None]
        sources = replace(self._sources, streams=(*self._sources.streams, *streams))
        return Decoder(sources, (*self._tables, *keyed))

    def since(self, name: str) -> int | None:
        """Return the offset from which a declared relation is there."""
        return self._since.get(name)

    def decode(self, records: Iterable[Record]) -> Iterator[Reading]:
        """Yield what the entries say of relations that are still there."""
        if not self._offsets:
            for record in records:
                yield from self._decoders[0].decode(record)
            return
        for record in records:
            decoder = self._decoders[bisect_left(self._offsets, record.offset)]
            for reading in decoder.decode(record):
                if reading.offset > self._since.get(reading.relation, 0):
                    yield reading
