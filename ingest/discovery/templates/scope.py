"""What a template's functions are given: the message, the names that it set, and how much work is left."""

from collections.abc import Callable
from typing import Any

from ingest.decoding.values import FieldError
from ingest.discovery.message import Message
from ingest.discovery.templates import bounds

Code = Callable[["Scope"], Any]


class TemplateError(FieldError):
    """A template that is not compiled; the message is the reason."""


class Scope:
    """What the names in a template stand for, and how much work is left."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.names: dict[str, Any] = {}
        self._left = bounds.MAX_WORK

    def spend(self, value: Any) -> Any:
        """Return a value that is gone through; fail where that is too much work."""
        kind = type(value)
        if kind is int or kind is float or kind is bool or value is None:
            return value
        self._left -= len(value) if kind is str else max(len(self.message.payload), bounds.size_of(value))
        if self._left < 0:
            msg = f"it goes through more than {bounds.MAX_WORK} characters"
            raise bounds.TooLargeError(msg)
        return value
