"""Moments of PostgreSQL that Python has no value for, as its driver is to give them.

infinity, -infinity  →  NULL, as of doubles      before year 1, after 9999  →  text, which is refused
"""

from typing import Any

import sqlalchemy as sa
from psycopg import DataError
from psycopg.abc import Buffer
from psycopg.types.datetime import DateLoader, TimestampLoader, TimestamptzLoader

ENDLESS = (b"infinity", b"-infinity")


def take_far_moments(engine: sa.Engine) -> None:
    """Have the connections of an engine give what is no moment of Python's."""

    @sa.event.listens_for(engine, "connect")
    def choose(connection: Any, _record: object) -> None:
        for name, loader in _LOADERS.items():
            connection.adapters.register_loader(name, loader)


def _forgiving(loader: type[Any]) -> type[Any]:
    class Forgiving(loader):  # type: ignore[misc]
        def load(self, data: Buffer) -> Any:
            text = bytes(data)
            if text in ENDLESS:
                return None
            try:
                return super().load(data)
            except DataError:
                return text.decode()

    return Forgiving


_LOADERS = {
    "date": _forgiving(DateLoader),
    "timestamp": _forgiving(TimestampLoader),
    "timestamptz": _forgiving(TimestamptzLoader),
}
