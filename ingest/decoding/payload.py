"""A payload's bytes → what they say as JSON (RFC 8259), or a FieldError; and the way back to one line."""

import json
from typing import Any

from ingest.decoding.values import FieldError

MAX_PAYLOAD = 1_000_000
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
        return _PARSER.decode(text)
    except RecursionError as error:
        msg = "payload is nested too deeply"
        raise FieldError(msg) from error
    except ValueError as error:
        msg = f"payload is not JSON: {error}"
        raise FieldError(msg) from error


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
    """Return text that fits a line and any encoding."""
    plain = text.encode("utf-8", "replace").decode("utf-8")[: 2 * SAMPLE]
    return " ".join(plain.split())
