"""What a template may call (``listed``): each a plain function of values, none of which can run for long.

Numbers are read as Home Assistant reads them: ``float`` and ``int`` of what is no number are the default
that is given, else the template fails. What is undefined stays undefined until it is used.
"""

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import Undefined, UndefinedError
from jinja2.utils import htmlsafe_json_dumps

from ingest.discovery.templates.bounds import MAX_TEXT, bounded, plus, replaced

_NONE = object()
TRUE, FALSE = ("1", "true", "yes", "on", "enable"), ("0", "false", "no", "off", "disable")
MAX_DIGITS = 15


def to_float(value: Any, default: Any = _NONE) -> Any:
    """Return a number, or the default."""
    return _or(default, lambda: float(_defined(value)), value, "a number")


def to_int(value: Any, default: Any = _NONE, base: int = 10) -> Any:
    """Return a whole number, cut off, or the default."""
    if type(value) is str and base != 10:
        return _or(default, lambda: int(value, base), value, f"an integer to the base {base}")
    return _or(default, lambda: int(float(_defined(value))), value, "a number")


def to_bool(value: Any, default: Any = _NONE) -> Any:
    """Return what a word of yes or no means."""
    said = str(_defined(value)).strip().lower()
    return _or(
        default, lambda: {**dict.fromkeys(TRUE, True), **dict.fromkeys(FALSE, False)}[said], value, "a bool"
    )


def rounded(value: Any, precision: int = 0, method: str = "common", default: Any = _NONE) -> Any:
    """Round a number; to an integer where no digits are asked for."""

    def to_digits() -> Any:
        number, factor = float(_defined(value)), 10.0 ** min(max(precision, -MAX_DIGITS), MAX_DIGITS)
        ways: dict[str, Callable[[], float]] = {
            "ceil": lambda: math.ceil(number * factor) / factor,
            "floor": lambda: math.floor(number * factor) / factor,
            "half": lambda: round(number * 2) / 2,
        }
        found = ways.get(method, lambda: round(number, precision))()
        return int(found) if precision == 0 else found

    return _or(default, to_digits, value, "a number")


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number or the text of one."""
    try:
        return not isinstance(value, bool | Undefined) and math.isfinite(float(value))
    except (ValueError, TypeError, OverflowError):
        return False


def chosen(value: Any, if_true: Any = True, if_false: Any = False, if_none: Any = _NONE) -> Any:
    """Return one of the values given, by whether a value is true."""
    if if_none is not _NONE and (value is None or isinstance(value, Undefined)):
        return if_none
    return if_true if value else if_false


def or_default(value: Any, default: Any = "", also_false: bool = False) -> Any:
    """Return a value, or the default where it is undefined."""
    return default if isinstance(value, Undefined) or (also_false and not value) else value


def said(value: Any) -> Any:
    """Return what is defined; fail otherwise."""
    return _defined(value)


def _defined(value: Any) -> Any:
    if isinstance(value, Undefined):
        msg = f"{value._undefined_name} is undefined"
        raise UndefinedError(msg)
    return value


def _or(default: Any, convert: Callable[[], Any], value: Any, expected: str) -> Any:
    try:
        return bounded(convert())
    except (ValueError, TypeError, OverflowError, KeyError, UndefinedError) as error:
        if default is not _NONE:
            return default
        if isinstance(error, UndefinedError):
            raise
        msg = f"found {str(value)[:60]!r}; expected {expected}"
        raise ValueError(msg) from error


def joined(values: Any, between: str = "") -> str:
    texts, sign = [str(each) for each in values], str(between)
    if sum(map(len, texts)) + len(texts) * len(sign) > MAX_TEXT:
        bounded(" " * (MAX_TEXT + 1))
    return sign.join(texts)


def first(values: Any) -> Any:
    return next(iter(values), Undefined(name="first"))


def total(values: Iterable[Any]) -> Any:
    found: Any = 0
    for each in values:
        found = plus(found, each)
    return found


def to_safe_json(value: Any) -> str:
    """Return JSON as Jinja writes it, so that it may stand in a page."""
    return str(htmlsafe_json_dumps(said(value), sort_keys=True))


def to_json(value: Any) -> str:
    return json.dumps(_defined(value), separators=(",", ":"), ensure_ascii=False)[:MAX_TEXT]


def replaced_in(text: Any, old: str, new: str, count: int = -1) -> str:
    return replaced(str(text), str(old), str(new), count)
