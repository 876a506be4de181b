"""What the log said of a table's rows, and what it is told: an item a row, as of every polled table.

What changed, and what the log has said by then, are committed together, ``AT_ONCE`` rows an entry, so whoever
begins anew goes on from there; and a table that was read in ranges can be polled whole by the next start, or
the other way round. What was said before a table had another key, or columns of other types, is taken back.
"""

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from engine.model.relation import Relation
from engine.model.values import Row
from engine.partitions.orders import Rows
from ingest.decoding.keyed import can_be_read, row_decoder
from ingest.log import Entry, Log, StateChange

AT_ONCE = 2_000


class EndedError(Exception):
    """Somebody waits for ranges no more."""


class Said(NamedTuple):
    """What is said of a row under an item: that it came, that it went, or, with no sign, nothing more."""

    item: str
    sign: int
    row: dict[str, Any]


class Telling:
    """Of one table; ``ending`` ends what takes long."""

    def __init__(self, source: str, relation: Relation, log: Log, ending: threading.Event) -> None:
        self._source, self._relation, self._log, self._ending = source, relation, log, ending
        self._key = relation.key_positions
        self._decode = row_decoder(relation)

    def key_of(self, row: Row) -> Row:
        return tuple([row[place] for place in self._key])

    def recalled(self) -> Iterator[Row]:
        """Yield the rows that stand as the log said them; after the last take back what does not."""
        back: list[Said] = []
        for item, body in self._log.said_of(self._source, self._relation.name):
            named = json.loads(body)
            if not can_be_read(self._decode, named):
                back.append(Said(item, 0, named))
            elif item != self._item(row := self._decode(named)):
                back.append(Said(item, -1, named))
            else:
                yield row
        self._append([each] for each in back)

    def tell(self, changes: Rows) -> None:
        """Tell of changes, a key's in one entry: what goes before what comes."""
        by_key: dict[Row, list[Said]] = {}
        for row, sign in sorted(changes.items(), key=lambda change: change[1]):
            by_key.setdefault(self.key_of(row), []).append(Said(self._item(row), sign, self._named(row)))
        self._append(by_key.values())

    def _append(self, several: Iterable[Sequence[Said]]) -> None:
        each = iter(several)
        while part := list(chain.from_iterable(islice(each, AT_ONCE))):
            changes = [[said.sign, self._relation.name, said.row] for said in part if said.sign]
            payload = json.dumps({"changes": changes}).encode()
            entries = [Entry(self._source, "changes", payload)] if changes else []
            self._log.append(entries, [self._state(said) for said in part])
            if self._ending.is_set():
                raise EndedError

    def _state(self, said: Said) -> StateChange:
        return StateChange(self._source, said.item, json.dumps(said.row) if said.sign > 0 else None)

    def _item(self, row: Row) -> str:
        return json.dumps([self._relation.name, list(self.key_of(row))])

    def _named(self, row: Row) -> dict[str, Any]:
        return {column.name: value for column, value in zip(self._relation.columns, row, strict=True)}
