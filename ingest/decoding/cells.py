"""A number as people and pages write it.

    "1,234.5 W"  →  1234.5 in W      "1.234,5 kWh"  →  1234.5 in kWh, where pages say decimal: ","

Digits may be parted by threes, with the sign that is not the decimal one, a space or an apostrophe: 1,23 is
no number with a decimal point. What follows the number is its unit, and is brought to the unit that the
column says it is sent in; where the column says none, there may be none.
"""

import re
from fractions import Fraction
from typing import Any

from engine.model.errors import SourceError
from ingest.decoding.values import FieldError, shown
from ingest.sources.columns import Field
from ingest.sources.units import UNITS, converter, unit_of

SPACES = {" ", "\u00a0", "\u2009", "\u202f", "'", "\u2019"}
MINUS = {ord("\u2212"): "-", ord("\u2013"): "-"}
MOST = 400


def _pattern(decimal: str) -> re.Pattern[str]:
    parted = re.escape("".join(sorted(SPACES | ({",", "."} - {decimal}))))
    whole = rf"\d{{1,3}}(?P<by>[{parted}])\d{{3}}(?:(?P=by)\d{{3}})*(?!\d)|\d+"
    point = re.escape(decimal)
    digits = rf"(?:(?P<whole>{whole})(?:{point}(?P<part>\d*))?|{point}(?P<only>\d+))"
    return re.compile(rf"(?P<sign>[+-]?)\s*{digits}(?P<exponent>[eE][+-]?\d{{1,3}})?(?P<rest>.*)", re.ASCII)


PATTERNS = {decimal: _pattern(decimal) for decimal in ".,"}


def number_in(text: str, decimal: str) -> tuple[str, str] | None:
    """Return a number as Python writes it, and its unit; None where a text begins with no number."""
    found = PATTERNS[decimal].fullmatch(text.strip().translate(MINUS)[:MOST])
    if found is None or found["rest"][:1].isdigit() or found["rest"][:1] in {".", ","}:
        return None
    whole = "".join(sign for sign in found["whole"] or "0" if sign.isdigit())
    part = found["part"] or found["only"]
    exponent = found["exponent"] or ""
    return f"{found['sign']}{whole}{'.' + part if part else ''}{exponent}", found["rest"].strip()


def read_cell(field: Field, text: Any, decimal: str) -> Any:
    """Return the number of a cell in the unit that its column is sent in, as text."""
    found = number_in(text, decimal) if isinstance(text, str) else None
    if found is None:
        return text
    number, unit = found
    wanted = field.sent.unit
    if not unit or unit == wanted:
        return number
    if wanted is None:
        msg = f"column {field.name}: found {shown(text)}; expected a number without a unit, or unit: {unit}"
        raise FieldError(msg)
    return repr(float(_converted(field.name, number, unit, wanted)))


def _converted(name: str, number: str, unit: str, wanted: str) -> Fraction:
    try:
        convert = converter(unit_of(unit, name), UNITS[wanted], name)
    except SourceError as error:
        msg = f"column {name}: found the unit {unit[:40]}; expected {wanted}"
        raise FieldError(msg) from error
    return Fraction(convert(Fraction(number)))
