"""A page becomes rows as they stand there: {column: the text of a cell, or what the JSON has}.

    HTML   the table that is meant → the column under each header → a row of each line
    JSON   the elements → what stands at each path

Nothing is converted here: that is done where the log is read (``ingest.decoding.pages``), so that a wrong
mapping loses nothing. What is not on the page at all, a table or a header, is an error that names what is.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ingest.decoding.payload import kind_of, parse
from ingest.decoding.values import FieldError
from ingest.sources.page_tables import Chosen
from ingest.sources.pages import Page, PageColumn, PageSource
from ingest.sources.paths import Origin, Path, follow
from ingest.wrappers.fetching import Fetched
from ingest.wrappers.pages.tables import Table, TooLargeError, plain, tables_of

MOST_ROWS = 50_000
NO_CHARSETS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf_7")
SEEN = 8
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.ASCII)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_.:-]+)", re.IGNORECASE)

Raw = dict[str, Any]


class PageError(ValueError):
    """A page is not what its section expects; one line."""


def rows_of(source: PageSource, page: Page, fetched: Fetched) -> list[Raw]:
    """Return the rows of a page that was fetched."""
    body = fetched.body or b""
    found = _of_json(source, body) if source.is_json else _of_html(source, _text(body, fetched.content_type))
    given = {c.field.name: page.name if c.is_page else c.value for c in source.columns if not c.is_read}
    fixed = {name: value for name, value in given.items() if value is not None}
    rows = [{**fixed, **row} for row in found]
    if len(rows) > MOST_ROWS:
        msg = f"the page has {len(rows)} rows; at most {MOST_ROWS} are read"
        raise PageError(msg)
    return rows


def _text(body: bytes, content_type: str) -> str:
    """Decode a page as it says itself; UTF-8 where it says nothing, or what no page is written in."""
    said = _CHARSET.search(content_type)
    meta = _META.search(body[:2_048])
    charset = said[1] if said else meta[1].decode() if meta else "utf-8"
    try:
        name = codecs.lookup(charset).name.replace("-", "_")
        return body.decode("utf-8" if name in NO_CHARSETS else name, "replace")
    except (LookupError, ValueError):
        return body.decode("utf-8", "replace")


def _of_html(source: PageSource, page: str) -> Iterable[Raw]:
    try:
        tables = tables_of(page)
    except TooLargeError as error:
        raise PageError(str(error)) from error
    assert source.chosen is not None
    table = _meant(tables, source.chosen)
    places = {c.field.name: _place(table, c) for c in source.columns if c.is_read}
    for row in table.rows:
        if any(row[place] for place in places.values()):
            yield {name: row[place] for name, place in places.items() if row[place]}


def _meant(tables: Sequence[Table], chosen: Chosen) -> Table:
    for n, table in enumerate(tables, 1):
        if _is_meant(n, table, chosen):
            return table
    there = "; ".join(_told(n, table) for n, table in enumerate(tables[:SEEN], 1)) or "none"
    msg = f"the page has no table of {chosen}; there are {there}"
    raise PageError(msg)


def _is_meant(n: int, table: Table, chosen: Chosen) -> bool:
    match chosen.by:
        case "id":
            return table.name == chosen.texts[0]
        case "caption":
            return same(table.caption, chosen.texts[0])
        case "headers":
            return all(_places(table, each) for each in chosen.texts)
    return n == chosen.number


def _told(n: int, table: Table) -> str:
    names = [each for each in (table.name and f"id {table.name}", table.caption) if each]
    headers = ", ".join(header for header in table.headers if header)
    return f"{n} ({'; '.join([*names, headers or 'no headers'])})"[:120]


def _place(table: Table, column: PageColumn) -> int:
    wanted = column.header or column.field.name
    found = _places(table, wanted)
    if len(found) == 1:
        return found[0]
    there = ", ".join(header for header in table.headers if header) or "none"
    problem = f"{len(found)} headers {wanted}" if found else f"no header {wanted}"
    msg = f"the table has {problem} for column {column.field.name}; there are {there}"
    raise PageError(msg)


def _places(table: Table, wanted: str) -> list[int]:
    """Return the columns under a header: all of its text, else the last line of it."""
    whole = [n for n, header in enumerate(table.headers) if same(header, wanted)]
    ends = f" {plain(wanted).casefold()}"
    return whole or [n for n, header in enumerate(table.headers) if header.casefold().endswith(ends)]


def same(one: str, other: str) -> bool:
    return plain(one).casefold() == plain(other).casefold()


def _of_json(source: PageSource, body: bytes) -> Iterator[Raw]:
    try:
        payload = parse(body, limit=len(body))
    except FieldError as error:
        raise PageError(str(error).replace("payload", "page")) from error
    for place, element in _elements(source.each, payload):
        found = {
            c.field.name: _value(c.field.path, place, element, payload) for c in source.columns if c.is_read
        }
        yield {name: value for name, value in found.items() if value is not None}


def _elements(each: Path | None, payload: Any) -> Iterable[tuple[int | str, Any]]:
    if each is None:
        return [(0, payload)]
    found = follow(payload, each.steps)
    if isinstance(found, list):
        return list(enumerate(found))
    if isinstance(found, Mapping):
        return list(found.items())
    what = "nothing" if found is None else kind_of(found)
    msg = f"at {each.text} the page has {what}; expected an array or an object of which each is a row"
    raise PageError(msg)


def _value(path: Path | None, place: int | str, element: Any, payload: Any) -> Any:
    assert path is not None
    if path.origin is Origin.PLACE:
        return place
    return follow(payload if path.origin is Origin.PAYLOAD else element, path.steps)
