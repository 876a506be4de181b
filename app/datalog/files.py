"""Files of facts, as Soufflé reads and writes them: a row a line, values between tabs.

.input edge(IO=file, filename="e.txt", delimiter=",", headers=true)      .output path(IO=stdout)

Without parameters edge is read from edge.facts and path is written to path.csv. A relation of no
columns has the line () where its one row is there. Rows are written in order: numbers by size,
symbols by code point. A file that is not there is an error, as it is for Soufflé.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TextIO

from app.datalog.scanning import Malformed, counted
from app.datalog.values import Texts
from engine.model.errors import QueryError, SourceError, nearest
from engine.model.values import Row

KNOWN = ("IO", "filename", "name", "delimiter", "headers", "rfc4180", "attributeNames", "operation")
STREAMS = ("stdin", "stdout")
NOTHING = "()"


class Shape(NamedTuple):
    """A relation: its name, and the names and kinds of its columns."""

    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(kind for _, kind in self.columns)


class Format(NamedTuple):
    """What the parameters of .input or .output ask for; ``filename`` is empty for a standard stream."""

    filename: str
    delimiter: str
    headers: bool
    rfc4180: bool


def format_of(kind: str, relation: str, parameters: Mapping[str, str]) -> Format:
    """Return the format that a directive's parameters ask for; ``kind`` is input or output."""
    unknown = next((name for name in parameters if name not in KNOWN), None)
    if unknown is not None:
        known = [name for name in KNOWN if name not in ("name", "operation")]
        message = f".{kind} {relation} has no parameter {unknown}; there are {', '.join(known)}"
        raise QueryError(message + nearest(unknown, known))
    stream = "stdin" if kind == "input" else "stdout"
    source = parameters.get("IO", "file")
    if source not in ("file", stream):
        message = f".{kind} {relation} asks for IO={source}; expected file or {stream}"
        raise QueryError(message)
    suffix = "facts" if kind == "input" else "csv"
    name = "" if source == stream else parameters.get("filename", f"{relation}.{suffix}")
    rfc4180 = parameters.get("rfc4180") == "true"
    delimiter = parameters.get("delimiter", "," if rfc4180 else "\t")
    return Format(name, delimiter, parameters.get("headers") == "true", rfc4180)


def read_facts(shape: Shape, texts: Texts, form: Format, folder: Path, stdin: TextIO) -> list[Row]:
    """Return the facts of a relation, each once."""
    if not form.filename:
        return list(dict.fromkeys(rows_in(shape, texts, form, stdin, "standard input")))
    path = folder / form.filename
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        message = (
            f"cannot read the facts of {shape.name}: {path}: {error.strerror}; --facts names their folder"
        )
        raise SourceError(message) from None
    except UnicodeDecodeError as error:
        line = 1 + error.object.count(b"\n", 0, error.start)
        message = f"{path}, line {line}, is not UTF-8: found the byte {error.object[error.start]:#x}"
        raise SourceError(message) from None
    lines = lines[:-1] if not lines[-1] else lines
    return list(dict.fromkeys(rows_in(shape, texts, form, lines, str(path))))


def rows_in(shape: Shape, texts: Texts, form: Format, lines: Iterable[str], name: str) -> Iterator[Row]:
    """Yield the row of each line; what cannot be read is told by its file, line and column."""
    for number, found in records(form, lines):
        if found in ([], [""]) and shape.kinds != ("symbol",):
            continue
        if number == 1 and form.headers:
            continue
        try:
            yield row_of(shape, texts, form, found)
        except Malformed as error:
            message = f"{name}, line {number}, {error}, in a fact of {shape.name}"
            raise SourceError(message) from None


def records(form: Format, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the values of each row with the line that it ends on; in quotes a value may go over lines."""
    if form.rfc4180:
        reader = csv.reader((f"{line.rstrip(chr(10))}\n" for line in lines), delimiter=form.delimiter)
        for found in reader:
            yield reader.line_num, found
        return
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        yield number, text.split(form.delimiter) if form.delimiter else [text]


def row_of(shape: Shape, texts: Texts, form: Format, found: list[str]) -> Row:
    if not shape.columns and found == [NOTHING]:
        return ()
    if len(found) != len(shape.columns):
        column = 1 + sum(len(part) + len(form.delimiter) for part in found[: len(shape.columns)])
        between = {"\t": "tabs", ",": "commas", " ": "spaces"}.get(form.delimiter, form.delimiter)
        raise Malformed(column, counted(len(found)), f"{len(shape.columns)} between {between}")
    column, row = 1, []
    for part, kind in zip(found, shape.kinds, strict=True):
        row.append(texts.plain(part, kind, column))
        column += len(part) + len(form.delimiter)
    return tuple(row)


def written(shape: Shape, texts: Texts, form: Format, rows: Iterable[Row]) -> str:
    """Return the text of a file of rows."""
    kinds = shape.kinds
    headed = form.headers and bool(shape.columns)
    lines = [form.delimiter.join(name for name, _ in shape.columns)] if headed else []
    join: Callable[[list[str]], str] = quoted_line(form.delimiter) if form.rfc4180 else form.delimiter.join
    for row in sorted(rows):
        values = [texts.file_text(value, kind) for value, kind in zip(row, kinds, strict=True)]
        lines.append(join(values) if values else NOTHING)
    return "".join(f"{line}\n" for line in lines)


def quoted_line(delimiter: str) -> Callable[[list[str]], str]:
    def join(values: list[str]) -> str:
        line = io.StringIO()
        csv.writer(line, delimiter=delimiter, lineterminator="\n").writerow(values)
        return line.getvalue()[:-1]

    return join


def write_rows(shape: Shape, texts: Texts, form: Format, folder: Path, rows: Iterable[Row]) -> str:
    """Write an output relation; return what goes to standard output instead, where that was asked for."""
    text = written(shape, texts, form, rows)
    if not form.filename:
        return f"---------------\n{shape.name}\n===============\n{text}===============\n"
    path = folder / form.filename
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"cannot write {shape.name}: {path}: {error.strerror}; --out names the folder of results"
        raise SourceError(message) from None
    return ""
