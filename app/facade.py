"""What the app needs of an engine: the few calls it makes, and the values they return.

The engine's own classes fit these; the app is typed against the shape, so that everything here
runs over any source of views.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from engine.model.relation import Column
from engine.model.values import Row

Changes = tuple[tuple[Row, int], ...]


class Snapshot(NamedTuple):
    """A whole view as of one tick."""

    view: str
    run: str
    tick: int
    at: int
    columns: tuple[Column, ...]
    rows: Changes


class Delta(NamedTuple):
    """What changed in a view between two ticks."""

    view: str
    run: str
    tick: int
    after: int
    at: int
    changes: Changes


class Stamp(NamedTuple):
    """The last closed tick."""

    tick: int
    at: int
    offset: int


class ViewInfo(NamedTuple):
    """What is known of a registered view."""

    name: str
    columns: tuple[Column, ...]
    sql: str
    rows: int


class Subscription(Protocol):
    """A running delivery of deltas."""

    @property
    def snapshot(self) -> Snapshot: ...

    def close(self) -> None: ...


class Engine(Protocol):
    """Thread-safe; ``deliver`` runs on the engine thread and must not block."""

    @property
    def run(self) -> str: ...

    def stamp(self) -> Stamp: ...

    def subscribe(self, view: str, deliver: Callable[[Delta], None]) -> Subscription: ...

    def query(self, sql: str) -> str: ...

    def create_view(self, sql: str) -> str: ...

    def explain(self, sql: str) -> str: ...

    def views(self) -> tuple[ViewInfo, ...]: ...
