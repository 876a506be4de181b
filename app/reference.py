"""The reference, as pages: docs/NAME.md rendered once, with a table of contents.

    docs/streamsql.md, docs/datalog.md, docs/sensors.md   →   /docs/streamsql, /docs/datalog, /docs/sensors

The text is ours, but it is rendered as any text is: raw HTML in it is shown, never obeyed. Every example
in it is executed by a test.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = Path(__file__).resolve().parent.parent / "docs"
CHAPTERS: Mapping[str, str] = {
    "streamsql": "StreamSQL",
    "datalog": "Datalog",
    "sensors": "Sensors of your own",
}


class Heading(NamedTuple):
    """A heading that the table of contents lists."""

    level: int
    text: str
    anchor: str


class Chapter(NamedTuple):
    """One page of the reference."""

    name: str
    title: str
    html: str
    contents: tuple[Heading, ...]


@cache
def chapter(name: str) -> Chapter:
    """Return a chapter by its name, which is one of ``CHAPTERS``."""
    return rendered(name, (FOLDER / f"{name}.md").read_text("utf-8"))


def rendered(name: str, text: str) -> Chapter:
    """Render a text; headings get anchors, by which others can point at them."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    contents = tuple(_anchored(tokens))
    html = markdown.renderer.render(tokens, markdown.options, {})
    return Chapter(name, CHAPTERS.get(name, name), html, contents)


def _anchored(tokens: list[Token]) -> list[Heading]:
    found: list[Heading] = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.tag in ("h2", "h3"):
            text = inline.content.replace("`", "")
            anchor = free_anchor(text, {heading.anchor for heading in found})
            opening.attrSet("id", anchor)
            found.append(Heading(int(opening.tag[1]), text, anchor))
    return found


def free_anchor(text: str, taken: set[str]) -> str:
    """Return a heading's words with dashes; of several that agree the later get a number."""
    words = "-".join(re.findall(r"\w+", text.lower())) or "section"
    number = 1
    while (anchor := words if number == 1 else f"{words}-{number}") in taken:
        number += 1
    return anchor
