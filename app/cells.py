r"""What the command line prints, so that data can neither steer a terminal nor forge a line.

cell_of(v)      NULL, true, 3.5, ["a", null]; of a text, each sign that is not to be seen as its escape
say(line)       the line, escaped likewise; tabs stay, since they part the cells of a row

ESC[31m  →  \u001b[31m        a line end  →  \n
"""

import json
import sys
from collections.abc import Iterable
from typing import Any

import click


def cell_of(value: Any) -> str:
    """Return a value as one line of text."""
    if isinstance(value, str):
        return escaped(value)
    if value is None:
        return "NULL"
    return escaped(json.dumps(value, ensure_ascii=False))


def row_of(row: Iterable[Any]) -> str:
    """Return the cells of a row, parted by tabs."""
    return "\t".join(map(cell_of, row))


def say(line: str, *, err: bool = False) -> None:
    """Print one line."""
    click.echo(escaped(line, keep="\t"), err=err)


def put_out(text: str) -> None:
    """Print lines that are data: as they are for a file or another program, else so that all can be seen."""
    if sys.stdout.isatty():
        say_lines(text)
    else:
        click.echo(text)


def say_lines(text: str) -> None:
    """Print a text whose line ends are ours."""
    for line in text.split("\n"):
        say(line)


def escaped(text: str, keep: str = "") -> str:
    """Return a text in which every sign can be seen."""
    return "".join(sign if sign.isprintable() or sign in keep else json.dumps(sign)[1:-1] for sign in text)
