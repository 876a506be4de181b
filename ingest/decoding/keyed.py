"""Changes of keyed rows: of databases, calendars and pages, of what people write, of sites that come and go.

{"changes": [[±1, table, {column: value}], …], "removed": [gateway, …]}   →   a reading a change
{"reject": {"reason", "sample"}}                                          →   what could not be read
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from engine.model.reading import Reading
from engine.model.relation import SENSOR_SITE, Relation
from engine.model.values import Row, Value
from ingest.declarations import is_outlived, name_of
from ingest.decoding.gateway_words import forgetting
from ingest.decoding.measured import Signed
from ingest.decoding.pages import PageRows
from ingest.decoding.payload import parse
from ingest.decoding.rejects import reject
from ingest.decoding.values import FieldError, check_of, shown
from ingest.discovery.registry import Registry
from ingest.log import Record

CHANGE_PARTS = 3
FRAGMENT = "fragment:"
WHOLE = 1 << 30

RowDecoder = Callable[[dict[str, Any]], Row]


class Changes:
    """Decodes entries of changes; ``declared`` are the names of all that ever was."""

    def __init__(
        self,
        tables: Iterable[Relation],
        declared: Mapping[str, int],
        pages: Iterable[PageRows] = (),
        registry: Registry | None = None,
    ) -> None:
        self._tables = {relation.name: relation for relation in tables}
        self._decoders = {relation.name: row_decoder(relation) for relation in self._tables.values()}
        self._pages = {page.relation.name: page for page in pages}
        self._declared = declared
        self._registry = registry or Registry()

    def decode(self, record: Record) -> list[Reading]:
        """Return the readings of one entry."""
        try:
            found = parse(record.payload, limit=WHOLE)
        except FieldError as error:
            return [reject(record, 0, str(error))]
        if isinstance(found, dict) and isinstance(found.get("reject"), dict):
            told = found["reject"]
            return [reject(record, 0, str(told.get("reason")), str(told.get("sample")))]
        changes = found.get("changes") if isinstance(found, dict) else None
        if not isinstance(changes, list):
            return [reject(record, 0, 'payload is no {"changes": [[sign, table, row]]}')]
        wanted = [each for each in enumerate(changes) if not is_outlived(each[1], self._declared)]
        readings = [
            each for each in (self._decode_change(record, *one) for one in wanted) if each is not None
        ]
        readings += self._measured(readings, len(changes))
        return readings + self._forgotten(record, found.get("removed", []), len(changes))

    def _measured(self, readings: Iterable[Reading], first: int) -> list[Reading]:
        """Return what rows of pages measure."""
        found = [(self._pages[r.relation], r) for r in readings if r.relation in self._pages and r.sign > 0]
        news: list[Signed] = []
        told = [
            (reading, each)
            for page, reading in found
            for each in page.measured(self._registry, reading.row, reading.at, news)
        ]
        told += [(found[0][1], each) for each in news]
        return [Reading(name, s, row, r.offset, n, r.at) for n, (r, (s, name, row)) in enumerate(told, first)]

    def _forgotten(self, record: Record, gateways: Sequence[str], first: int) -> list[Reading]:
        """Return what takes back the rows of gateways that are removed, of every fragment."""
        fragments = [r for r in self._tables.values() if r.source == SENSOR_SITE] if gateways else []
        gone = [(r.name, *forgetting(r, gateway)) for r in fragments for gateway in gateways]
        return [
            Reading(name, sign, row, record.offset, ordinal, record.received)
            for ordinal, (name, sign, row) in enumerate(gone, first)
        ]

    def _decode_change(self, record: Record, ordinal: int, change: object) -> Reading | None:
        if not isinstance(change, list) or len(change) != CHANGE_PARTS:
            return reject(record, ordinal, "a change is no [sign, table, row]")
        sign, table, row = change
        table = name_of(table)
        decode = self._decoder_of(table, record.received) if isinstance(table, str) else None
        if decode is None:
            return reject(record, ordinal, f"no source declares table {shown(table)}", json.dumps(change))
        if sign == 0 and table.startswith(FRAGMENT):
            nothing = tuple(None for _ in self._tables[table].columns)
            return Reading(table, 0, nothing, record.offset, ordinal, record.received)
        if sign not in (1, -1) or not isinstance(row, dict):
            return reject(record, ordinal, "a change is no [±1, table, {column: value}]", json.dumps(change))
        try:
            return Reading(table, sign, decode(row), record.offset, ordinal, record.received)
        except FieldError as error:
            return self._unread(record, ordinal, change, error)

    def _decoder_of(self, table: str, received: int) -> RowDecoder | None:
        page = self._pages.get(table)
        return self._decoders.get(table) if page is None else partial(page.decode, received=received)

    def _unread(self, record: Record, ordinal: int, change: list[Any], error: FieldError) -> Reading | None:
        """Return the reject of a row; of a page's that goes it was told when it came."""
        sign, table, row = change
        page = self._pages.get(table)
        if page is not None and sign < 0:
            return None
        sample = "" if page is not None and page.hides else json.dumps(row)
        return reject(record, ordinal, f"table {table}: {error}", sample)


def row_decoder(relation: Relation) -> RowDecoder:
    checks = [(one.name, one.nullable, check_of(one.type, one.name)) for one in relation.columns]

    def decode(row: dict[str, Any]) -> Row:
        return tuple([_nullable(row.get(name), name, nullable, check) for name, nullable, check in checks])

    return decode


def can_be_read(decode: RowDecoder, row: Mapping[str, Any]) -> bool:
    """Tell whether whoever reads the log makes a row of it."""
    try:
        decode(dict(row))
    except FieldError:
        return False
    return True


def _nullable(value: Any, name: str, nullable: bool, check: Callable[[Any], Value]) -> Value:
    if value is not None:
        return check(value)
    if nullable:
        return None
    msg = f"column {name} is missing"
    raise FieldError(msg)
