"""What is sent becomes a column's value: what encodes it, its unit, and what it has to be like.

    "70.7"  →  70.7  →  °F → °C  →  21.5  →  -40 … 60  →  21.5

Every step is declared; nothing is guessed. The steps are composed once for each topic, and one that a column
does not have costs nothing.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from engine.model.values import Type, Value
from ingest.decoding.values import (
    EXPECTED,
    HIGHEST,
    Check,
    FieldError,
    check_of,
    is_finite,
    moment,
    shown,
)
from ingest.pseudonyms import pseudonym
from ingest.sources.columns import TICKS, Field, Quality, same
from ingest.sources.units import UNITS, converter

TEXT = "text"
_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,9})?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?\d{1,20}\s*", re.ASCII)
SAID_AS_TEXT = {True: "true", False: "false"}


def conversion_of(field: Field, is_in_text: bool, key: bytes = b"") -> Check:
    """Return what makes the column's value of what is sent; a topic's part and a plain payload are text."""
    convert = _read_as_sent(field, is_in_text)
    sent = field.sent
    if sent.unit != sent.column_unit or sent.scale != 1:
        convert = _then(convert, _scaling(field))
    if field.quality != Quality(else_null=field.quality.else_null):
        convert = _then(convert, _judging(field))
    if field.pseudonym:
        convert = _hiding(convert, field.name, key)
    return _or_null(convert) if field.quality.else_null else convert


def _then(first: Check, second: Check) -> Check:
    return lambda value: second(first(value))


def _or_null(convert: Check) -> Check:
    def convert_or_null(value: Any) -> Value:
        try:
            return convert(value)
        except FieldError:
            return None

    return convert_or_null


def _hiding(convert: Check, name: str, key: bytes) -> Check:
    """Return what puts a pseudonym in a value's place; a reason must not say the value either."""

    def hide(value: Any) -> Value:
        try:
            return pseudonym(key, str(convert(value)))
        except FieldError as error:
            msg = f"column {name}: found what is not shown, as it stands for somebody; expected text"
            raise FieldError(msg) from error.__cause__

    return hide


def _read_as_sent(field: Field, is_in_text: bool) -> Check:
    check, sent = check_of(field.type, field.name), field.sent
    if sent.true or sent.false:
        return _worded(field, sent.true, sent.false, is_in_text)
    encoding = sent.encoding or (TEXT if is_in_text and field.type is not Type.TEXT else None)
    if encoding is None:
        return check
    if encoding == TEXT and field.type is Type.BOOLEAN:
        return _worded(field, ("true", True), ("false", False), is_in_text=False)
    decode = _decoder_of(field.type, encoding)
    expected = f"{EXPECTED[field.type]}, sent as {encoding}"

    def read(value: Any) -> Value:
        found = decode(value)
        if found is None:
            msg = f"column {field.name}: found {shown(value)}; expected {expected}"
            raise FieldError(msg)
        return check(found)

    return read


def _decoder_of(kind: Type, encoding: str) -> Callable[[Any], Any]:
    """Return what reads an encoding; None is what cannot be read."""
    ticks = TICKS.get(encoding)
    if ticks is not None:
        return lambda value: _ticks(value, ticks)
    return {
        (Type.DOUBLE, TEXT): _float_of,
        (Type.BIGINT, TEXT): _whole_of,
        (Type.BIGINT, "number"): _whole_number,
        (Type.TIMESTAMP, TEXT): _moment_of,
        (Type.TEXT, "number"): _text_of,
    }[kind, encoding]


def _float_of(value: Any) -> Any:
    return float(value) if type(value) is str and _NUMBER.fullmatch(value) else _unless_text(value)


def _whole_of(value: Any) -> Any:
    return int(value) if type(value) is str and _WHOLE.fullmatch(value) else _unless_text(value)


def _unless_text(value: Any) -> Any:
    return None if type(value) is str else value


def _whole_number(value: Any) -> Any:
    is_whole = type(value) is float and is_finite(value) and value.is_integer()
    return int(value) if is_whole else _unless_text(value)


def _moment_of(value: Any) -> Any:
    return int(value) if type(value) is str and _WHOLE.fullmatch(value) else moment(value)


def _text_of(value: Any) -> Any:
    if type(value) in (int, float) and is_finite(value):
        return str(value)
    return value if type(value) is str else None


def _ticks(value: Any, micros: Fraction) -> Any:
    """Return the timestamp, the nearest microsecond."""
    number = _whole_of(value)
    number = _float_of(value) if number is None else number
    if type(number) not in (int, float) or not is_finite(number) or abs(number * micros) > HIGHEST:
        return None
    return round(Fraction(repr(number)) * micros)


def _worded(field: Field, true: Sequence[Any], false: Sequence[Any], is_in_text: bool) -> Check:
    words = [(word, True) for word in true] + [(word, False) for word in false]
    if is_in_text:
        words = [(SAID_AS_TEXT[w] if isinstance(w, bool) else str(w), means) for w, means in words]
    expected = ", ".join(dict.fromkeys(shown(word) for word, _ in words))

    def read(value: Any) -> Value:
        for word, means in words:
            if same(value, word):
                return means
        msg = f"column {field.name}: found {shown(value)}; expected one of {expected}"
        raise FieldError(msg)

    return read


def _scaling(field: Field) -> Check:
    sent, scale = field.sent, field.sent.scale
    convert = None
    if sent.unit != sent.column_unit:
        convert = converter(UNITS[sent.unit or ""], UNITS[sent.column_unit or ""], field.name)

    def scaled(value: Any) -> Value:
        try:
            exact = Fraction(repr(value)) * scale
            return (float(exact) if convert is None else convert(exact)) + 0.0
        except OverflowError as error:
            msg = f"column {field.name}: found {shown(value)}, beyond a double once scaled; expected less"
            raise FieldError(msg) from error

    return scaled


def _judging(field: Field) -> Check:
    least, most, one_of = field.quality.least, field.quality.most, field.quality.one_of

    def judge(value: Any) -> Value:
        expected = None
        if least is not None and value < least:
            expected = f"at least {least}"
        elif most is not None and value > most:
            expected = f"at most {most}"
        elif one_of and value not in one_of:
            expected = f"one of {', '.join(map(str, one_of))}"
        if expected is not None:
            msg = f"column {field.name}: found {shown(value)}; expected {expected}"
            raise FieldError(msg)
        return value  # type: ignore[no-any-return]

    return judge
