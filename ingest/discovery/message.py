"""A message as templates see it: its text, and what it says as JSON, each read once when it is asked for."""

from functools import cached_property
from typing import Any

from jinja2 import Undefined

from ingest.decoding.payload import parse
from ingest.decoding.values import FieldError

MAX_STATE = 100_000
NO_JSON = Undefined(name="value_json")


class Message:
    """One payload, shared by all that is read from it."""

    def __init__(self, payload: bytes) -> None:
        if len(payload) > MAX_STATE:
            msg = f"a state of {len(payload)} bytes; at most {MAX_STATE} are read"
            raise FieldError(msg)
        self.payload = payload
        self.no_json = ""

    @cached_property
    def text(self) -> str:
        """The payload as text."""
        try:
            return self.payload.decode("utf-8")
        except UnicodeDecodeError as error:
            msg = f"payload is not UTF-8 at byte {error.start}"
            raise FieldError(msg) from error

    @cached_property
    def json(self) -> Any:
        """What the payload says as JSON; undefined, with ``no_json`` saying why, where it is none."""
        try:
            return parse(self.payload)
        except FieldError as error:
            self.no_json = str(error)
            return NO_JSON
