"""What the app needs of an engine: the few calls it makes.

`engine.service.Engine` fits; the app is typed against the shape, so that everything here runs over any
source of views.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from engine.checking import Use
from engine.contracts import Explanation, Punctuality, Stamp, ViewInfo
from engine.lang.streamsql import Statement
from engine.lang.streamsql.statements.parameters import Parameters
from engine.model.relation import Relation
from engine.model.values import Row
from engine.outcomes import Outcome
from engine.plan.explaining import ExplainedPlan, Search
from engine.plan.explaining.shares import Shares
from engine.statements import MakeEffort
from engine.views.view import Delta, Snapshot
from engine.views.why.effort import Effort
from engine.views.why.missing import Missing

__all__ = ["Delta", "Engine", "Snapshot", "Stamp", "Subscription", "ViewInfo"]


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

    def listen(self, view: str, deliver: Callable[[Delta], None]) -> Subscription: ...

    def query(self, sql: str, parameters: Parameters = ...) -> str: ...

    def execute(self, statement: Statement, parameters: Parameters, effort: MakeEffort) -> Outcome: ...

    def create_view(self, sql: str) -> str: ...

    def use_of(self, sql: str) -> Use: ...

    def explain(self, sql: str, parameters: Parameters = ...) -> ExplainedPlan: ...

    def plan_of(self, view: str, weighs: bool = ...) -> ExplainedPlan: ...

    def snapshot(self, view: str) -> Snapshot: ...

    def why(self, view: str, row: Row, effort: Effort) -> Explanation: ...

    def why_not(self, view: str, row: Row, effort: Effort) -> Missing: ...

    def views(self) -> tuple[ViewInfo, ...]: ...

    def relations(self) -> tuple[Relation, ...]: ...

    def missing(self) -> Mapping[str, tuple[str, ...]]: ...

    def sites(self) -> tuple[Row, ...]: ...

    def searched(self) -> Search: ...
    def shares(self) -> Shares: ...

    def punctuality(self) -> tuple[Punctuality, ...]: ...
