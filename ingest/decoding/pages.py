"""Rows of pages, as they stood there, become typed ones.

{column: text of a cell, or a JSON value}   →   (value, …), each by its column's rules, and what it measures
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.model.values import Row, Type, Value
from ingest.decoding.cells import read_cell
from ingest.decoding.conversions import conversion_of
from ingest.decoding.measured import Signed, measuring, told_of
from ingest.decoding.values import FieldError
from ingest.discovery.registry import Registry
from ingest.sources.pages import PageColumn, PageSource

Raw = Mapping[str, Any]
Reader = Callable[[Raw, int], Value]
NUMERIC = (Type.DOUBLE, Type.BIGINT)


class PageRows:
    """Decodes the rows of one section; ``key`` is what pseudonyms are made with."""

    def __init__(self, source: PageSource, key: bytes = b"") -> None:
        self.relation = source.relation()
        self.hides = any(column.field.pseudonym for column in source.columns)
        self._readers = [_reader(column, source, key) for column in source.columns]
        names = [column.field.name for column in source.columns]
        said = source.measures
        self._measured = None if said is None else measuring(said, names, None, source.source)

    def decode(self, row: Raw, received: int) -> Row:
        """Return the typed row, or raise FieldError."""
        return tuple([read(row, received) for read in self._readers])

    def measured(self, registry: Registry, row: Row, received: int, news: list[Signed]) -> Iterator[Signed]:
        """Yield the measurements that a row is; what is new of their devices goes into ``news``."""
        return told_of(registry, () if self._measured is None else self._measured(row, received), news)


def _reader(column: PageColumn, source: PageSource, key: bytes) -> Reader:
    if column.field.is_arrival:
        return lambda _, received: received
    field, is_cell = column.field, column.is_read and not source.is_json
    convert = conversion_of(field, is_in_text=is_cell, key=key)

    def read(row: Raw, _received: int) -> Value:
        value = row.get(field.name)
        if value is None:
            if field.optional:
                return None
            msg = f"column {field.name}: there is nothing under {column.header or field.name}"
            raise FieldError(msg)
        if is_cell and field.type in NUMERIC:
            value = read_cell(field, value, source.decimal)
        return convert(value)

    return read
