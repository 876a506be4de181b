"""One column of a row: a part of the topic, or what stands at its path, converted.

    reader_of(field, …) → function of a topic's levels → function of the element → Value

Compiled once for each stream, and parts of the topic once for each topic, so that a message costs only its
own checks.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.model.values import Value
from ingest.decoding.conversions import conversion_of
from ingest.decoding.values import EXPECTED, Check, FieldError, shown
from ingest.sources.columns import Field
from ingest.sources.paths import Origin, Path, follow

Find = Callable[[Any], Any]
OfTopic = Callable[[Sequence[str]], Check]


class Element(NamedTuple):
    """One element of what ``each`` names, its place there, and the payload that it is in."""

    value: Any
    place: int | str
    payload: Any


def reader_of(field: Field, is_each: bool, is_plain: bool, key: bytes) -> OfTopic:
    """Return what, of a topic's levels, makes the field's reader; of an ``Element`` where there are many.

    Arrival is no part of a message: whoever has its stamp puts it in its place.
    """
    if field.is_arrival:
        return lambda _levels: _nothing
    if field.path is None:
        in_topic = conversion_of(field, is_in_text=True, key=key)
        return lambda levels: _from_topic(field, levels[field.level or 0], in_topic)
    read = _from_payload(field, field.path, is_each, is_plain, conversion_of(field, is_plain, key))
    return lambda _levels: read


def _nothing(_found: object) -> Value:
    return None


def _from_payload(field: Field, path: Path, is_each: bool, is_plain: bool, convert: Check) -> Check:
    if is_plain:
        return _whole(field, convert)
    find = _finder(path, is_each)
    if find is None:
        return _from_member(field, path.steps[0], convert)
    name, text, optional = field.name, path.text, field.optional

    def read(found: Any) -> Value:
        value = find(found)
        if value is None:
            if not optional:
                raise _absent(name, text)
            return None
        return convert(value)

    return read


def _whole(field: Field, convert: Check) -> Check:
    def read(found: Any) -> Value:
        if found or field.optional:
            return convert(found) if found else None
        msg = f"column {field.name}: the payload is empty"
        raise FieldError(msg)

    return read


def _from_member(field: Field, member: str | int, convert: Check) -> Check:
    """Return what reads a member of the payload itself: what nearly all columns are."""
    name, path, optional = field.name, str(member), field.optional

    def read(found: Any) -> Value:
        value = found.get(member)
        if value is None:
            if not optional:
                raise _absent(name, path)
            return None
        return convert(value)

    return read


def _absent(name: str, path: str) -> FieldError:
    return FieldError(f"column {name}: the payload has no {path}")


def _finder(path: Path, is_each: bool) -> Find | None:
    """Return what follows a path; None where that is a member of an object that is there."""
    steps = path.steps
    if not is_each:
        is_member = len(steps) == 1 and path.begins_with_a_name and path.origin is Origin.ELEMENT
        return None if is_member else lambda found: follow(found, steps)
    if path.origin is Origin.PLACE:
        return lambda element: element.place
    if path.origin is Origin.PAYLOAD:
        return lambda element: follow(element.payload, steps)
    return lambda element: follow(element.value, steps)


def _from_topic(field: Field, level: str, convert: Check) -> Check:
    """Convert a part of the topic once; a part that does not fit fails each message."""
    try:
        value = convert(level)
    except FieldError as error:
        is_plain_reason = field.sent == type(field.sent)() and field.quality == type(field.quality)()
        expected = f"column {field.name}: the topic has {shown(level)}; expected {EXPECTED[field.type]}"
        reason = expected if is_plain_reason and not field.pseudonym else str(error)

        def fail(_found: object) -> Value:
            raise FieldError(reason)

        return fail
    return lambda _found: value
