"""The tables of an HTML page, as grids of texts.

    <td rowspan=2 colspan=3>  stands in all six places that it covers
    header rows               those in <thead>, or the first ones that have nothing but <th>
    a column's header         the texts above it from top to bottom, each once: "Power W"

Pages of devices are seldom valid: a cell ends where the next begins, a row likewise, and what is not closed
ends with the table. Tables may lie in cells of others. Rows of
<tfoot>, and header rows that are repeated further down, are left out.

References:
    WHATWG. HTML Living Standard: 4.9.12.1 Forming a table; 13.1.2.4 Optional tags.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.wrappers.pages.tags import Tag, Text, tokens_of

MOST_CELLS = 200_000
MOST_SPAN = 1_000
UNSEEN = "template"
CELLS = ("td", "th")
SECTIONS = ("thead", "tbody", "tfoot")
BREAKS = ("br", "p", "div", "li")


class Cell(NamedTuple):
    """One cell as it is written."""

    text: str
    is_header: bool
    rows: int
    columns: int


@dataclass
class Written:
    """A table as it is written: rows of cells, each row with its section."""

    name: str = ""
    caption: str = ""
    rows: list[tuple[str, list[Cell]]] = field(default_factory=list)


class Table(NamedTuple):
    """A table laid out: what it is called, the header of each column, and the rows below."""

    name: str
    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class TooLargeError(ValueError):
    """A table would have more cells than anybody looks at."""


def tables_of(page: str) -> list[Table]:
    """Return the tables of a page, in the order in which they begin."""
    reader = _Reader()
    for token in tokens_of(page):
        reader.take(token)
    return [_laid_out(table) for table in reader.finished()]


def plain(text: str) -> str:
    """Return a text with single spaces between its words; other white space is one too."""
    return " ".join(text.split())


class _Open:
    """A table that is being read."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.table = Written(attributes.get("id", ""))
        self.section = "tbody"
        self.texts: list[str] = []
        self._cell: tuple[bool, int, int] | None = None
        self._is_caption = False

    def begin(self, name: str, tag: Tag) -> None:
        """Begin a cell, a row, a section or the caption; what was open before has ended."""
        if name in SECTIONS:
            self.section = name
        elif name == "caption":
            self._is_caption = True
        elif name == "tr" or not self.table.rows:
            self.table.rows.append((self.section, []))
        if name in CELLS:
            said = tag.attributes
            self._cell = (name == "th", _span(said.get("rowspan")), _span(said.get("colspan")))

    def end_cell(self) -> None:
        text = plain("".join(self.texts))
        if self._cell is not None:
            self.table.rows[-1][1].append(Cell(text, *self._cell))
        elif self._is_caption:
            self.table.caption = text
        self._cell, self._is_caption = None, False
        self.texts.clear()


class _Reader:
    """Follows the tags that make tables."""

    def __init__(self) -> None:
        self._found: list[Written] = []
        self._open: list[_Open] = []
        self._unseen = self._cells = 0

    def take(self, token: Text | Tag) -> None:
        if isinstance(token, Text):
            if self._open and not self._unseen:
                self._open[-1].texts.append(token.text)
        elif token.name.removeprefix("/") == UNSEEN:
            self._unseen = max(self._unseen + (-1 if token.name.startswith("/") else 1), 0)
        elif token.name == "table":
            self._open.append(_Open(token.attributes))
            self._found.append(self._open[-1].table)
        elif token.name == "/table" and self._open:
            self._open.pop().end_cell()
        elif self._open and not self._unseen:
            self._cells += token.name in CELLS
            _check_size(self._cells)
            _within(self._open[-1], token)

    def finished(self) -> list[Written]:
        """Return what was found; what is not closed ends with the page."""
        while self._open:
            self._open.pop().end_cell()
        return self._found


def _within(table: _Open, tag: Tag) -> None:
    name = tag.name.removeprefix("/")
    if name == tag.name and name in BREAKS:
        table.texts.append(" ")
    elif name in (*CELLS, "tr", "caption", *SECTIONS):
        table.end_cell()
        if name == tag.name:
            table.begin(name, tag)
        elif name in SECTIONS:
            table.section = "tbody"


def _span(said: str | None) -> int:
    number = int(said) if said is not None and said.isascii() and said.isdecimal() and len(said) < 6 else 1
    return min(number, MOST_SPAN) if number else MOST_SPAN


def _laid_out(table: Written) -> Table:
    grid = list(_placed([cells for _, cells in table.rows]))
    written = [(section, cells, row) for (section, cells), row in zip(table.rows, grid, strict=True) if row]
    heads = 0
    for section, cells, _ in written:
        if section != "thead" and not _is_header(cells):
            break
        heads += 1
    width = max((len(row) for *_, row in written), default=0)
    headers = [_header([row for *_, row in written[:heads]], column) for column in range(width)]
    rows = [
        (*row, *[""] * (width - len(row)))
        for section, cells, row in written[heads:]
        if section == "tbody" and not _is_header(cells)
    ]
    return Table(table.name, table.caption, tuple(headers), tuple(rows))


def _is_header(cells: Sequence[Cell]) -> bool:
    return bool(cells) and all(cell.is_header for cell in cells)


def _header(heads: Sequence[Sequence[str]], column: int) -> str:
    texts = [row[column] for row in heads if column < len(row) and row[column]]
    return " ".join(dict.fromkeys(texts))


def _placed(rows: Sequence[Sequence[Cell]]) -> Iterator[list[str]]:
    """Yield each row with every cell in all the places that it covers."""
    hanging: dict[int, tuple[str, int]] = {}
    places = 0
    for cells in rows:
        row: list[str] = []
        for cell in cells:
            _hang(row, hanging)
            for _ in range(cell.columns):
                hanging[len(row)] = (cell.text, cell.rows - 1)
                row.append(cell.text)
            _check_size(places + len(row))
        _hang(row, hanging)
        places += len(row)
        _check_size(places)
        hanging = {place: (text, left) for place, (text, left) in hanging.items() if left > 0}
        yield row


def _check_size(places: int) -> None:
    if places > MOST_CELLS:
        msg = f"a table has more than {MOST_CELLS} cells"
        raise TooLargeError(msg)


def _hang(row: list[str], hanging: dict[int, tuple[str, int]]) -> None:
    """Add the cells of rows above that reach into the next places."""
    while len(row) in hanging and hanging[len(row)][1] > 0:
        text, left = hanging[len(row)]
        hanging[len(row)] = (text, left - 1)
        row.append(text)
