"""A payload's bytes → what they say as JSON (RFC 8259), or a FieldError; and the way back to one line."""

import json
import sys
from typing import Any

from ingest.decoding.values import FieldError

MAX_PAYLOAD = 1_000_000
MAX_DEPTH = 100
NESTS = (dict, list)
SAMPLE = 200


def plain(payload: bytes, limit: int = MAX_PAYLOAD) -> str:
    """Return a payload as text, without the white space around it, or raise FieldError."""
    if len(payload) > limit:
        msg = f"payload of {len(payload)} bytes; at most {limit} are decoded"
        raise FieldError(msg)
    try:
        return payload.decode("utf-8").strip(" \t\r\n")
    except UnicodeDecodeError as error:
        msg = f"payload is not UTF-8 at byte {error.start}"
        raise FieldError(msg) from error


def parse(payload: bytes, limit: int = MAX_PAYLOAD) -> Any:
    """Parse JSON as RFC 8259 has it, or raise FieldError."""
    text = plain(payload, limit)
    try:
        found = _PARSER.decode(text)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        msg = _why_no_json(text, error)
        raise FieldError(msg) from error
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_deeper(found, MAX_DEPTH):
        raise _too_deep()
    return found


def _is_deeper(found: Any, most: int) -> bool:
    """Tell whether arrays and objects stand in each other more often; the limit of Python's stack moves."""
    nested = [found] if type(found) in NESTS else []
    for _ in range(most):
        inner = (value for each in nested for value in (each.values() if type(each) is dict else each))
        nested = [value for value in inner if type(value) in NESTS]
        if not nested:
            return False
    return True


def _too_deep() -> FieldError:
    return FieldError(f"payload is nested too deeply; at most {MAX_DEPTH} arrays and objects in each other")


def _why_no_json(text: str, error: ValueError) -> str:
    if not text:
        return "payload is empty; expected JSON"
    if text.startswith("\ufeff"):
        return "payload begins with a byte order mark; expected JSON without one"
    if not isinstance(error, json.JSONDecodeError) and "digits" in str(error):
        return f"payload has a number of more than {sys.get_int_max_str_digits()} digits"
    return f"payload is not JSON: {error}"


def _no_constant(name: str) -> None:
    msg = f"{name} is no number"
    raise ValueError(msg)


_PARSER = json.JSONDecoder(parse_constant=_no_constant)


def kind_of(value: object) -> str:
    """Name what kind of JSON a value is."""
    return {dict: "an object", list: "an array", str: "text", bool: "a boolean", type(None): "null"}.get(
        type(value), "a number"
    )


def one_line(text: str) -> str:
    """Return text that fits a line, any encoding, and PostgreSQL."""
    plain = text.encode("utf-8", "replace").decode("utf-8")[: 2 * SAMPLE].replace("\0", "\ufffd")
    return " ".join(plain.split())
