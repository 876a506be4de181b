"""Pages that are polled over HTTP.

    pages:
      pdus:
        urls: {pdu-1: "http://10.0.0.7/status", pdu-2: "http://10.0.0.8/status"}      or url: of one page
        table: {caption: Outlets}
        relation: outlet_power
        key: [unit, outlet]
        as: stream
        columns:
          unit:   {type: text, from: page}
          outlet: {type: bigint, header: Outlet}
          watts:  {type: double, header: Power, unit: W}
          at:     {type: timestamp, from: arrival}

format         html or json; html where nothing is said, or json with each:
table          which table of the page: its number, from 1, or one of id, caption, headers
each           of JSON: the array or object of which each element is a row; without it the page is one row
header, path   the text above a column; where a value stands in an element. A column of neither is called as
               its header, or member, is
from: page     the name of the page; from: arrival   when it was read; value   the same in all rows
as: table      rows by their key: they come, change and go (what a page with a key is unless told)
as: stream     a row of each that is new or changed; without a key, of each at every poll
decimal        "," where pages write 1.234,5
measures       which of its values are measurements of devices, as of a stream
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.model.errors import SourceError, nearest
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from ingest.checked_yaml import mapping, names, seconds, shown, text
from ingest.sources.addresses import ADDRESS_KEYS, address_of
from ingest.sources.columns import Field, fields_of
from ingest.sources.measures import Measures, measures_of
from ingest.sources.page_tables import Chosen, chosen_of
from ingest.sources.paths import Path, path_of
from ingest.topics import TopicPattern
from ingest.wrappers.fetching import Address

KEYS = ADDRESS_KEYS | {"urls", "poll_seconds", "format", "table", "each", "relation", "key", "as", "columns"}
KEYS |= {"window", "decimal", "measures"}
POLL_SECONDS = 10.0
MOST_BYTES = 4_000_000
FORMATS, KINDS = ("html", "json"), ("table", "stream")
NOWHERE = TopicPattern("page")


@dataclass(frozen=True, slots=True)
class PageColumn:
    """A column, and what it is read from: a header or a path, one value, or nothing of the page at all."""

    field: Field
    header: str | None = None
    value: Any = None
    is_page: bool = False

    @property
    def is_read(self) -> bool:
        """Tell whether a page's content says it."""
        return self.value is None and not self.is_page and not self.field.is_arrival


@dataclass(frozen=True, slots=True)
class Page:
    """One address of a section, by its name."""

    name: str
    address: Address
    source: str


@dataclass(frozen=True, slots=True)
class PageSource:
    """What a section under ``pages`` declares."""

    name: str
    pages: tuple[Page, ...]
    columns: tuple[PageColumn, ...]
    relation_name: str
    key: tuple[str, ...] = ()
    is_stream: bool = False
    window: str | None = None
    poll_seconds: float = POLL_SECONDS
    chosen: Chosen | None = None
    each: Path | None = None
    decimal: str = "."
    measures: Measures | None = None

    @property
    def source(self) -> str:
        """What the log calls it."""
        return f"page:{self.name}"

    @property
    def is_json(self) -> bool:
        return self.chosen is None

    def relation(self) -> Relation:
        """Return it as queries know it."""
        kind = RelationKind.STREAM if self.is_stream else RelationKind.TABLE
        fields = [column.field for column in self.columns]
        columns = tuple(Column(f.name, f.type, f.nullable and f.name not in self.key) for f in fields)
        return Relation(self.relation_name, kind, columns, self.key, self.window, self.source)


def page_of(name: str, spec: object) -> PageSource:
    """Return what a section under ``pages`` declares."""
    where = f"page {name}"
    found = mapping(spec, where, KEYS)
    given = mapping(found.get("columns"), f"columns of {where}")
    columns = tuple(_column(column, one, f"column {column} of {where}") for column, one in given.items())
    key = names(found, "key", where)
    _check_key(key, list(given), where)
    is_json = _word(found, "format", where, FORMATS, "json" if "each" in found else "html") == "json"
    _check_format(found, columns, is_json, where)
    is_stream = _word(found, "as", where, KINDS, "table" if key else "stream") == "stream"
    if not is_stream and not key:
        msg = f"{where} is as: table and has no key; say by which columns a row is known, or as: stream"
        raise SourceError(msg)
    return PageSource(
        name,
        _pages(found, name, where),
        columns,
        text(found, "relation", where) if "relation" in found else name,
        key,
        is_stream,
        text(found, "window", where) if "window" in found else None,
        seconds(found, where, POLL_SECONDS),
        None if is_json else chosen_of(found.get("table", 1), where),
        path_of(str(found["each"]), f"each of {where}") if "each" in found else None,
        _word(found, "decimal", where, (".", ","), "."),
        _measures(found, columns, key, where),
    )


def _measures(
    found: dict[str, Any], columns: tuple[PageColumn, ...], key: tuple[str, ...], where: str
) -> Measures | None:
    if "measures" not in found:
        return None
    arrivals = [column.field.name for column in columns if column.field.is_arrival]
    measures = measures_of(found["measures"], [c.field for c in columns], [*key, *arrivals], where)
    if measures.expire_after is not None:
        remedy = "leave it out: what a page says stands until it says something else"
        msg = f"measures of {where} has expire_after; {remedy}"
        raise SourceError(msg)
    return measures


def _pages(found: dict[str, Any], name: str, where: str) -> tuple[Page, ...]:
    """Return the addresses; what a section says of one holds for all."""
    common = {key: value for key, value in found.items() if key in ADDRESS_KEYS}
    if "urls" not in found:
        return (Page(name, _address(common, where), f"page:{name}"),)
    if "url" in found:
        msg = f"{where} has both url and urls; expected one of them"
        raise SourceError(msg)
    urls = mapping(found["urls"], f"urls of {where}")
    if not urls:
        msg = f"urls of {where} is empty; expected names, each with a url"
        raise SourceError(msg)
    return tuple(
        Page(page, _address({**common, "url": url}, f"{page} of {where}"), f"page:{name}/{page}")
        for page, url in urls.items()
    )


def _address(found: dict[str, Any], where: str) -> Address:
    return replace(address_of(found, where), max_bytes=MOST_BYTES)


def _column(name: str, spec: object, here: str) -> PageColumn:
    found = dict(mapping({"type": spec} if isinstance(spec, str) else spec, here))
    header = text(found, "header", here) if "header" in found else None
    is_page = found.get("from") == "page"
    value = found.get("value")
    said = [each for each in ("header", "path", "value") if each in found] + ["from: page"] * is_page
    if len(said) > 1:
        msg = f"{here} has {' and '.join(map(str, said))}; expected one of them"
        raise SourceError(msg)
    if "value" in found and not isinstance(value, str | int | float):
        msg = f"value of {here} is {shown(value)}; expected a text, a number, true or false"
        raise SourceError(msg)
    own = {"header", "value"} | ({"from"} if is_page else set())
    rest = {key: one for key, one in found.items() if key not in own}
    (field,) = fields_of({name: rest}, NOWHERE, here.partition(" of ")[2])
    if is_page and field.type is not Type.TEXT:
        msg = f"{here} is from: page and a {field.type}; expected type: text"
        raise SourceError(msg)
    return PageColumn(field, header, value, is_page)


def _check_key(key: tuple[str, ...], columns: list[str], where: str) -> None:
    for one in key:
        if one not in columns:
            there = f"there are {', '.join(columns)}{nearest(one, columns)}"
            msg = f"key of {where} names {one}, which is no column; {there}"
            raise SourceError(msg)


def _check_format(
    found: Mapping[str, Any], columns: tuple[PageColumn, ...], is_json: bool, where: str
) -> None:
    foreign = ("table", "decimal") if is_json else ("each",)
    for key in foreign:
        if key in found:
            msg = f"{where} is {'json' if is_json else 'html'} and has {key}, which is of the other format"
            raise SourceError(msg)
    for column in columns:
        if column.header is not None and is_json:
            msg = f"column {column.field.name} of {where} has a header, but the page is json; expected path:"
            raise SourceError(msg)


def _word(found: dict[str, Any], key: str, where: str, words: tuple[str, ...], default: str) -> str:
    said = found.get(key, default)
    if said not in words:
        choices = list(words)
        msg = f"{key} of {where} is {shown(said)}; expected {' or '.join(words)}{nearest(str(said), choices)}"
        raise SourceError(msg)
    return str(said)
