"""A message on an entity's topic → its value and its text.

    number → (21.5, –)     on or off → (1.0, "ON")     word → (–, "heating")     null, NaN → (–, –)

A number that was declared no number (a version "1.10") keeps its text besides. An empty result says nothing.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jinja2 import Undefined

from engine.model.values import Type
from ingest.decoding.payload import kind_of, parse
from ingest.decoding.values import FieldError, check_of, shown
from ingest.discovery.known import Extract
from ingest.discovery.message import NO_JSON, Message
from ingest.discovery.templates import UnsaidError, compiled
from ingest.discovery.templates.expressions import item_of

Said = tuple[float | None, str | None]
Reader = Callable[[Message], Said | None]

KEPT = 50_000
NO_TEXT = "\0"  # how Homie says a text that is empty
NO_VALUE = "None"  # how a template prints null
NOT_MEASURED = ("nan", "NaN", "unknown", "unavailable")
NOTHING: Said = (None, None)

_text = check_of(Type.TEXT, "text")


@lru_cache(KEPT)
def reader_of(extract: Extract) -> Reader:
    """Return what reads a value from a message: nothing where it says none, or FieldError."""
    find = _found_by(extract)
    if extract.key is not None:
        find = _part(find, extract.key)
    if extract.on is not None and extract.off is not None:
        return _switched(find, extract.on, extract.off)
    divisor, is_number = extract.divisor, extract.numeric

    def read(message: Message) -> Said | None:
        found = find(message)
        kind = type(found)
        if kind is float or kind is int:
            return (_finite(found, divisor), None)
        return _worded(found, divisor, is_number)

    return read


def _found_by(extract: Extract) -> Callable[[Message], Any]:
    if extract.template is not None:
        return compiled(extract.template)
    path = extract.path
    if not path:
        return lambda message: message.text

    def follow(message: Message) -> Any:
        found = message.json
        if found is NO_JSON:
            raise UnsaidError(message.no_json)
        for key in path:
            found = item_of(found, key)
            if type(found) is Undefined:
                return ""
        return found

    return follow


def _part(find: Callable[[Message], Any], key: str) -> Callable[[Message], Any]:
    def part(message: Message) -> Any:
        found = find(message)
        if type(found) is str and found.lstrip().startswith("{"):
            found = parse(str(_text(found)).encode())
        return found.get(key, "") if type(found) is dict else found

    return part


def _switched(find: Callable[[Message], Any], on: str, off: str) -> Reader:
    words = {on: (1.0, on), off: (0.0, off), NO_VALUE: NOTHING, "": None}

    def read(message: Message) -> Said | None:
        found = find(message)
        said = str(found).strip()
        if said in words:
            return words[said]
        msg = f"found {shown(said)}; expected {shown(on)} or {shown(off)}"
        raise FieldError(msg)

    return read


def _worded(found: Any, divisor: float, is_number: bool) -> Said | None:
    """Return what anything but a number says."""
    if found is None:
        return NOTHING
    if isinstance(found, Undefined):
        return None
    if type(found) is bool:
        return (float(found), str(found))
    if type(found) is not str:
        msg = f"found {kind_of(found)}; expected a value"
        raise FieldError(msg)
    said = found.strip().strip(NO_TEXT)
    if not said:
        return None
    if said == NO_VALUE:
        return NOTHING
    number = _number(said)
    if number is not None:
        return (number / divisor + 0.0, None if is_number else said)
    if not is_number:
        return (None, str(_text(said)))
    if said in NOT_MEASURED:
        return NOTHING
    msg = f"found {shown(said)}; expected a number"
    raise FieldError(msg)


def _number(said: str) -> float | None:
    if "_" in said:
        return None
    try:
        number = float(said)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _finite(found: float, divisor: float) -> float | None:
    try:
        number = float(found) / divisor + 0.0
    except OverflowError as error:
        msg = "found an integer that is too large; expected a finite number"
        raise FieldError(msg) from error
    return number if math.isfinite(number) else None
