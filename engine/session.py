"""The session: registered queries and the tick that drives every view.

    advance(readings up to an offset)  →  one delta for each view that changed

It needs no JVM and no thread: whoever holds it calls it from one thread. The optimizer is given to
it, so the engine does not know which sites there are.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.adapting import Adapting
from engine.answering import is_database
from engine.contracts import Explanation, History, Optimizer, Stamp, ViewInfo, no_history
from engine.itself import Itself
from engine.lang.streamsql import CreateView, Explain, Query, Statement, parse
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS, Parameters
from engine.model.catalog import Catalog
from engine.model.errors import PlanError, QueryError
from engine.model.reading import Reading
from engine.model.relation import SENSOR_SITE
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.partitions.in_place import InPlace
from engine.partitions.operator import Carry
from engine.plan.explaining import ExplainedPlan
from engine.plan.leaves import StreamFragment
from engine.questions import Questions
from engine.registering import CheckOutputs, Registering, accept
from engine.registry import Registry
from engine.relations import Relations
from engine.running import Running
from engine.upkeep import Upkeep
from engine.views.checkpoint import Image
from engine.views.nodes import LeafNode
from engine.views.tick import reason_of
from engine.views.view import Delta, Snapshot, View
from engine.views.why.effort import Effort
from engine.views.why.missing import Missing


class Session:
    """Views over a catalog, driven by ticks."""

    def __init__(
        self,
        catalog: Catalog,
        optimizer: Optimizer,
        history: History = no_history,
        budget: Budget | None = None,
        check_outputs: CheckOutputs = accept,
        carry: Carry = InPlace,
    ) -> None:
        self.run = uuid.uuid4().hex[:12]
        self.stamp = Stamp(0, 0, 0)
        self.catalog = catalog
        budget = budget or Budget()
        self._upkeep = Upkeep(catalog, optimizer, history, budget, carry)
        inspecting = self._upkeep.inspecting
        self.punctuality, self.shares = inspecting.punctuality, inspecting.shares
        self.at_risk = self._upkeep.at_risk
        self._views = Registry(catalog)
        self.relations = Relations(catalog, self._views, self._upkeep)
        self.itself = Itself(self._views, self._upkeep)
        self._running = Running(optimizer, self._upkeep, self._views, budget)
        registering = Registering(self._views, self._running, lambda: self.stamp, check_outputs)
        self.create, self.start, self.install = registering.create, registering.start, registering.install
        self.replace, self.bring, self.drop = registering.replace, registering.bring, registering.drop
        self.offer = registering.offer
        self.adapting = Adapting(optimizer, self._upkeep, self._views, self._running)
        self.questions = Questions(catalog, optimizer, self._views, self._upkeep, self.stamp)
        self.questions.changes = self.adapting.changes

    # Queries

    def create_view(self, sql: str) -> str:
        """Register ``CREATE VIEW name AS …`` and return the name."""
        statement = parse(sql)
        if not isinstance(statement, CreateView):
            message = "expected CREATE VIEW name AS SELECT …"
            raise QueryError(message)
        return self.create(statement)

    def query(self, sql: str, parameters: Parameters = NO_PARAMETERS) -> str:
        """Register a SELECT without a name and return the name that it got."""
        return self.start(query_in(sql), parameters)

    def explain(self, sql: str, parameters: Parameters = NO_PARAMETERS) -> ExplainedPlan:
        """Return the plan of a query; of a view, by its name, with what its nodes keep."""
        return self.explained(explained_in(sql), parameters)

    def explained(self, statement: str | Statement, parameters: Parameters) -> ExplainedPlan:
        """The same of a text that was read: the name of a view, or a statement."""
        if isinstance(statement, str):
            return self.questions.running(statement)
        if isinstance(statement, Explain):
            if isinstance(statement.of, str):
                return self.questions.running(statement.of, statement.analyzes)
            statement = Query(statement.of, "", goal=statement.goal)
        if not isinstance(statement, Query | CreateView):
            message = "expected a query or the name of a view; `smartcis sql` takes every other statement"
            raise QueryError(message)
        return self.questions.plan(statement, parameters)

    # The tick

    def fragments(self) -> tuple[StreamFragment, ...]:
        """Return what the next tick must bring; safe to ask from any thread."""
        return self._upkeep.fragments

    def advance(self, end: int, at: int, readings: Mapping[StreamFragment, Sequence[Reading]]) -> list[Delta]:
        """Close one tick; a tick that was closed before changes nothing.

        ``readings`` has every fragment that the pass knew of, also those without rows.
        """
        if end <= self.stamp.offset:
            return []
        changes, failed = self._running.advance(end, at, readings, self.stamp)
        self.stamp = Stamp(self.stamp.tick + 1, at, end)
        deltas = self._running.applied(changes, failed, self._now())
        return deltas + self._gaps(self._running.interrupted(failed, self.stamp))

    def adapt(self) -> None:
        """Let views change their plans, between two ticks; nobody sees it."""
        self.adapting.adapt(self.stamp)

    def _gaps(self, views: Iterable[View]) -> list[Delta]:
        """Tell the readers of views that what they hold is no more."""
        return [view.gap(*self._now()) for view in views]

    def _now(self) -> tuple[str, int, int]:
        return self.run, self.stamp.tick, self.stamp.at

    # Reading

    def views(self) -> tuple[ViewInfo, ...]:
        told = [
            (v.name, v.columns, v.sql, len(v.rows), v.suspended, self.without(v.name)) for v in self._views
        ]
        return tuple(ViewInfo(*each) for each in told)

    def without(self, name: str) -> tuple[str, ...]:
        """Return the sites that a view needs and that are not up, or have not answered yet."""
        return self._upkeep.missing(self._views[name].nodes)

    def missing(self) -> dict[str, tuple[str, ...]]:
        """Return the sites that each view is without, of those that are without any."""
        if self._upkeep.is_alone:
            return {}
        return {view.name: found for view in self._views if (found := self._upkeep.missing(view.nodes))}

    def awaited(self) -> frozenset[tuple[str, str]]:
        """Return the gateways from which an answer is on its way, each with the fragment's name."""
        found = self._upkeep.awaited(self._upkeep.shipped)
        return frozenset(pair for pair in found if not is_database(pair[0]) and pair[0] != SENSOR_SITE)

    def sites(self) -> tuple[Row, ...]:
        """Return what is known of the other sites, in the columns of ``sites``."""
        return self._upkeep.sites()

    def awaits(self, name: str) -> bool:
        """Tell whether an answer to a view is on its way from a site that is up."""
        return bool(self._upkeep.awaited(self._views[name].nodes))

    def shipped(self) -> tuple[LeafNode, ...]:
        """Return the leaves that other sites are to answer; safe to ask from any thread."""
        return self._upkeep.shipped

    def snapshot(self, name: str) -> Snapshot:
        """Return a view as of the last closed tick."""
        view = self._views[name]
        if view.suspended is not None:
            message = f"the view {name} is suspended: {view.suspended}"
            raise QueryError(message)
        return view.snapshot(self.run, self._running.in_order(view, self.stamp))

    def text_of(self, name: str) -> str:
        """Return the text of a view."""
        view = self._views[name]
        if not view.is_written:
            message = f"{name} comes with the building, which has it as a plan and not as a text"
            raise QueryError(message)
        return view.sql

    def why(self, name: str, row: Row, effort: Effort) -> Explanation:
        return self.questions.why(name, row, effort, self.stamp)

    def why_not(self, name: str, row: Row, effort: Effort) -> Missing:
        return self.questions.why_not(name, row, effort, self.stamp)

    # What a snapshot keeps

    def image(self) -> Image:
        """Return a copy of what a snapshot keeps: the leaves' state and the named views."""
        named = [(view.name, view.sql) for view in self._views if view.is_written]
        return Image(self.stamp.tick, self.stamp.at, self.stamp.offset, self._upkeep.image(), named)

    def restore(self, image: Image, report: Callable[[str], None]) -> None:
        """Start from an image, before any view but the installed; what no longer binds is reported."""
        self.stamp = Stamp(image.tick, image.at, image.offset)
        self._upkeep.restore(image.leaves, self.stamp)
        for view in self._views:
            try:
                self._running.start(view, self.stamp)
            except Exception as error:
                view.suspend(reason_of(error), self.stamp.at)
        for name, sql in image.views:
            try:
                self.create_view(sql)
            except (QueryError, PlanError) as error:
                report(f"the view {name} of the last run cannot be kept: {error.message}")

    def restored(self, report: Callable[[str], None]) -> None:
        """Say that every view of the start is registered; what reads a replaced one reads the new one."""
        self._upkeep.restored()
        for view in [view for view in self._views if view.is_written]:
            try:
                self.replace(parse(view.sql))
            except (QueryError, PlanError) as error:
                report(f"the view {view.name} stays as it was until the next start: {error.message}")
        self._running.is_up = True


def query_in(sql: str) -> Query:
    """Read a text that must be one query."""
    statement = parse(sql)
    if not isinstance(statement, Query):
        others = "Run once in the console, `smartcis sql` and POST /api/statements take every other statement"
        message = f"expected a query, which can be watched; {others}"
        raise QueryError(message)
    return statement


def explained_in(sql: str) -> str | Statement:
    """Read what is to be explained: the name of a view, or a statement."""
    named = sql.strip()
    return named if named.isidentifier() else parse(sql)
