"""Where a value stands in a payload.

    a.b   a[0].b   a[-1]   ["odd.key"][2]     from the element, or the payload where there is no each:
    $.device                                  from the payload, also with each:
    @                                         the element itself
    #                                         its place: a number in an array, a name in an object

``$`` and ``@`` mean what they mean in JSONPath (RFC 9535, section 2.2), of which nothing else is taken: one
path is one value.
"""

import re
from enum import StrEnum
from typing import Any, NamedTuple

from engine.model.errors import SourceError

MOST_STEPS = 32
_STEP = re.compile(r'\.?([^.\[\]"$@#\s][^.\[\]"]*)|\[(-?\d{1,9})\]|\["([^"]+)"\]')


class Origin(StrEnum):
    """What a path begins at."""

    ELEMENT = "@"
    PAYLOAD = "$"
    PLACE = "#"


class Path(NamedTuple):
    """A path as steps: names of members, numbers of elements."""

    text: str
    origin: Origin
    steps: tuple[str | int, ...]

    @property
    def begins_with_a_name(self) -> bool:
        """Tell whether what it is followed from must be an object."""
        return bool(self.steps) and isinstance(self.steps[0], str)


def member(name: str) -> Path:
    """Return the path of a member by its name, whatever signs that has."""
    return Path(name, Origin.ELEMENT, (name,))


def path_of(text: str, where: str) -> Path:
    """Return the path that a text writes."""
    if text == Origin.PLACE:
        return Path(text, Origin.PLACE, ())
    origin = Origin(text[0]) if text[:1] in ("$", "@") else Origin.ELEMENT
    rest = text[1:] if text[:1] in ("$", "@") else text
    steps, at = [], 0
    while at < len(rest):
        match = _STEP.match(rest, at)
        if match is None or (match[0][0] not in ".[" and at) or (match[0][0] == "." and text[0] == "."):
            raise _refusal(text, where)
        name, number, quoted = match.groups()
        steps.append(int(number) if number is not None else name or quoted)
        at = match.end()
    if not text or len(steps) > MOST_STEPS:
        raise _refusal(text, where)
    return Path(text, origin, tuple(steps))


def _refusal(text: str, where: str) -> SourceError:
    there = 'expected one like reading.value, a[0].b, $.device, @ or ["odd.key"]'
    return SourceError(f"path of {where} is {text!r}; {there}")


def follow(found: Any, steps: tuple[str | int, ...]) -> Any:
    """Return what stands at the end of a path, or None where there is nothing."""
    for step in steps:
        if type(step) is str:
            found = found.get(step) if type(found) is dict else None
        else:
            has_it = type(found) is list and isinstance(step, int) and -len(found) <= step < len(found)
            found = found[step] if has_it else None
    return found
