"""Which table of a page is meant.

table: 2    table: {id: outlets}    table: {caption: Outlets}    table: {headers: [Outlet, Power]}
"""

from typing import NamedTuple

from engine.model.errors import SourceError
from ingest.checked_yaml import names, shown, text

BY = ("id", "caption", "headers")


class Chosen(NamedTuple):
    """Which table of a page is meant: the n-th, or the first with this id, caption, or these headers."""

    by: str
    number: int = 1
    texts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.by} {', '.join(self.texts) or self.number}"


def chosen_of(spec: object, where: str) -> Chosen:
    """Return what a section says of it."""
    if isinstance(spec, int) and not isinstance(spec, bool) and spec > 0:
        return Chosen("number", spec)
    here = f"table of {where}"
    if not isinstance(spec, dict) or len(spec) != 1 or not set(spec) <= set(BY):
        expected = "expected a number from 1, {id: …}, {caption: …} or {headers: [Outlet, Power]}"
        msg = f"{here} is {shown(spec)}; {expected}"
        raise SourceError(msg)
    (by,) = spec
    return Chosen(by, texts=names(spec, by, here) if by == "headers" else (text(spec, by, here),))
