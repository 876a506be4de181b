"""A chapter as a page: docs/NAME.md rendered once, with headings that can be pointed at and coloured code.

The text is ours, but it is rendered as any text is: raw HTML in it is shown, never obeyed. A link to another
file of the folder, and its name as code (`docs/web.md`), lead to that chapter.
"""

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from app.book.chapters import CHAPTERS
from app.book.highlight import highlighted

FOLDER = Path(__file__).resolve().parents[2] / "docs"
OTHER_CHAPTER = re.compile(r"(?:docs/)?(\w+)\.md(#[\w-]+)?")


class Heading(NamedTuple):
    """A heading that the table of contents lists."""

    level: int
    text: str
    anchor: str


class Section(NamedTuple):
    """What stands below one heading, as plain texts: paragraphs, items, rows of tables, blocks of code."""

    heading: str
    anchor: str
    blocks: tuple[str, ...]


class Chapter(NamedTuple):
    """One page of the book."""

    name: str
    html: str
    contents: tuple[Heading, ...]
    sections: tuple[Section, ...]


@cache
def chapter(name: str) -> Chapter:
    """Return a chapter by its name, which is one of those with a file."""
    return rendered(name, (FOLDER / f"{name}.md").read_text("utf-8"))


def rendered(name: str, text: str) -> Chapter:
    """Render a text; headings get anchors, by which others can point at them."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("fence", _fence)
    markdown.add_render_rule("code_inline", _code)
    markdown.add_render_rule("link_open", _link)
    markdown.add_render_rule("table_open", _table)
    markdown.add_render_rule("table_close", _table_end)
    tokens = markdown.parse(text)
    contents = tuple(_anchored(tokens))
    sections = tuple(_sections(tokens))
    html = markdown.renderer.render(_with_links(tokens), markdown.options, {})
    return Chapter(name, html, contents, sections)


def _anchored(tokens: Sequence[Token]) -> list[Heading]:
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


def _sections(tokens: Sequence[Token]) -> list[Section]:
    """Part a chapter at its headings; what stands above the first with an anchor is under its title."""
    found: list[tuple[str, str, list[str]]] = [("", "", [])]
    row: list[str] = []
    previous = Token("", "", 0)
    for token in tokens:
        match token.type:
            case "inline" if previous.type == "heading_open":
                found.append((_plain(token), str(previous.attrGet("id") or ""), []))
            case "inline" if previous.type in ("td_open", "th_open"):
                row.append(_plain(token))
            case "inline":
                found[-1][2].append(_plain(token))
            case "fence":
                found[-1][2].append(token.content)
            case "tr_close":
                found[-1][2].append(" · ".join(row))
                row = []
        previous = token
    return [Section(heading, anchor, tuple(blocks)) for heading, anchor, blocks in found if heading or blocks]


def _plain(inline: Token) -> str:
    parts = (" " if child.type == "softbreak" else child.content for child in inline.children or ())
    return "".join(parts)


def _with_links(tokens: Sequence[Token]) -> list[Token]:
    """Put a link beside each heading with an anchor: outside, so that the heading is read without it."""
    found: list[Token] = []
    opened = Token("", "", 0)
    for token in tokens:
        if token.type == "heading_open":
            opened = token
        if token.type == "heading_open" and token.attrGet("id"):
            found.append(_markup('<div class="docs-heading">'))
        found.append(token)
        if token.type == "heading_close" and (anchor := opened.attrGet("id")):
            label = escape(f"Link to {_plain(found[-2])}")
            link = f'<a class="docs-anchor" href="#{anchor}" aria-label="{label}">#</a>'
            found.append(_markup(f"{link}</div>\n"))
    return found


def _markup(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


def _fence(_: RendererHTML, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """A block of code; a second word of its head that names a file is shown above it."""
    language, _rest, name = tokens[at].info.strip().partition(" ")
    shown = f' data-name="{escape(name)}"' if "." in name else ""
    code = highlighted(language, tokens[at].content)
    return f'<pre{shown}><code class="language-{escape(language or "text")}">{code}</code></pre>\n'


def _code(_: RendererHTML, tokens: Sequence[Token], at: int, *__: Any) -> str:
    text = tokens[at].content
    code = f"<code>{escape(text)}</code>"
    other = _address(text) if text.startswith("docs/") else None
    return f'<a href="{escape(other)}">{code}</a>' if other else code


def _link(renderer: RendererHTML, tokens: Sequence[Token], at: int, *more: Any) -> str:
    token = tokens[at]
    token.attrSet("href", _address(str(token.attrGet("href"))) or str(token.attrGet("href")))
    return renderer.renderToken(tokens, at, *more[:2])


def _table(*_: Any) -> str:
    """A table may be wider than a phone: it scrolls in a frame of its own, by keyboard too."""
    return '<div class="docs-table" role="group" aria-label="Table" tabindex="0"><table>\n'


def _table_end(*_: Any) -> str:
    return "</table></div>\n"


def _address(file: str) -> str | None:
    """Return where a file of the folder is in the book, from any other chapter."""
    found = OTHER_CHAPTER.fullmatch(file)
    return f"{found[1]}{found[2] or ''}" if found and found[1] in CHAPTERS else None
