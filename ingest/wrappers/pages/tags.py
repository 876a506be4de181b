"""The tags and texts of an HTML page, in one pass that takes time by its length whatever is in it.

    page  →  Text("12.3 W"), Tag("td", {"rowspan": "2"}), Tag("/td"), …

A page is broken more often than not, and may be meant to be: the parser of the standard library takes
the square of the time for tags and comments that never end, and so half a minute for sixty kilobytes. Here
each sign is looked at a bounded number of times: what is not closed goes to the end of the page, as browsers
have it. What is in scripts, styles and comments is neither tag nor text.

References:
    WHATWG. HTML Living Standard: 13.2.5 Tokenization.
"""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import NamedTuple

_TAG = re.compile(r"<(/?[A-Za-z][^\s/>]*)((?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+)>")
_ATTRIBUTE = re.compile(r"([^\s\"'>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title")
}
_LETTER = re.compile(r"/?[A-Za-z]")
MOST_ATTRIBUTES = 2_000


class Text(NamedTuple):
    """Characters between two tags."""

    text: str


class Tag(NamedTuple):
    """A tag by its name in small letters, which begins with a slash where it ends an element."""

    name: str
    written: str

    @property
    def attributes(self) -> Mapping[str, str]:
        """What it says besides its name; of one that is said twice, the first."""
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.written[:MOST_ATTRIBUTES]):
            found.setdefault(match[1].lower(), unescape(match[2] or match[3] or match[4] or ""))
        return found


def tokens_of(page: str) -> Iterator[Text | Tag]:
    """Yield what a page is made of."""
    at = 0
    while at < len(page):
        opens = page.find("<", at)
        opens = len(page) if opens < 0 else opens
        if opens > at:
            yield Text(unescape(page[at:opens]))
        if opens == len(page):
            return
        if not _LETTER.match(page, opens + 1):
            at = _after_comment(page, opens)
            if at == opens + 1:
                yield Text("<")
            continue
        found = _TAG.match(page, opens)
        if found is None:
            return
        tag = Tag(found[1].lower(), found[2])
        yield tag
        at = _after_raw(page, found.end(), tag.name)


def _after_comment(page: str, opens: int) -> int:
    """Return where a comment ends, or what a browser takes for one; after the sign where it is none."""
    if page.startswith("!--", opens + 1):
        return _after(page, "-->", opens + 2)
    return _after(page, ">", opens) if page[opens + 1 : opens + 2] in ("!", "?", "/") else opens + 1


def _after(page: str, end: str, at: int) -> int:
    found = page.find(end, at)
    return len(page) if found < 0 else found + len(end)


def _after_raw(page: str, at: int, name: str) -> int:
    """Return where the end tag begins of an element that holds no tags, after its start tag."""
    if name not in _RAW:
        return at
    found = _RAW[name].search(page, at)
    return len(page) if found is None else found.start()
