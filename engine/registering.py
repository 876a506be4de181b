"""Views come and go by statements: created, replaced under those that read them, dropped.

CREATE [OR REPLACE] VIEW  →  bind  →  check where it is sent  →  run  →  registry
"""

from collections.abc import Callable, Iterable, Sequence

from engine.contracts import Stamp
from engine.lang.streamsql import CreateView, Output, Query, Statement, parse
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS, Parameters
from engine.model.errors import PlanError, QueryError
from engine.model.relation import Column
from engine.plan.logical import Plan
from engine.registry import Registry
from engine.running import Running

CheckOutputs = Callable[[Iterable[Output], Sequence[Column]], None]


def accept(_outputs: Iterable[Output], _columns: Sequence[Column]) -> None: ...


class Registering:
    """Carries such statements out; ``stamp`` tells the last closed tick."""

    def __init__(
        self, views: Registry, running: Running, stamp: Callable[[], Stamp], check_outputs: CheckOutputs
    ) -> None:
        self._views = views
        self._running = running
        self._stamp = stamp
        self._check_outputs = check_outputs

    def create(self, statement: CreateView) -> str:
        """Register a view; one of its name is an error, unless the statement says what then."""
        if statement.is_replacing:
            return self._replace_under_readers(statement)
        if not (statement.is_optional and statement.name in self._views):
            self._views.check_new(statement.name)
            self._register(statement, self._bound(statement))
        return statement.name

    def install(self, name: str, plan: Plan) -> None:
        """Register a view whose plan was built by hand; it is installed at every start, not restored."""
        self._views.check_new(name)
        self._running.register(name, "", plan, self._stamp())

    def offer(self, name: str, plan: Plan) -> None:
        """Register a view whose plan was built by hand, until it is dropped; no start brings it back."""
        self.install(name, plan)
        self._views.let_pass(name)

    def start(self, query: Query, parameters: Parameters = NO_PARAMETERS) -> str:
        """Register a query and return the name that it got."""
        plan, name = self._bound(query, parameters), self._views.next_unnamed()
        self._running.register(name, query.text, plan, self._stamp(), query.limits, query.goal)
        return name

    def _register(self, statement: CreateView, plan: Plan) -> None:
        limits, goal = statement.limits, statement.goal
        self._running.register(statement.name, statement.text, plan, self._stamp(), limits, goal)

    def _bound(self, statement: CreateView | Query, parameters: Parameters = NO_PARAMETERS) -> Plan:
        plan = self._views.bind(statement, parameters)
        self._check_outputs(statement.outputs, plan.columns)
        return plan

    def drop(self, *names: str) -> None:
        self._views.remove(*names)
        self._running.forget_unused()

    def replace(self, statement: Statement) -> str:
        """Register a view, in place of one of that name that says something else."""
        if not isinstance(statement, CreateView):
            message = (
                f"a script of views holds {type(statement).__name__}; expected CREATE VIEW name AS SELECT …"
            )
            raise QueryError(message)
        self._views.check_name(statement.name)
        logical = self._views.bound_in_place(statement)
        self._check_outputs(statement.outputs, logical.columns)
        held = self._views.get(statement.name)
        if held is None or held.sql != statement.text or held.logical != logical:
            self._register(statement, logical)
            self._running.forget_unused()
        return statement.name

    def bring(self, statement: Statement) -> None:
        """Register a view that comes with the building: only the building's script replaces it."""
        self._views.let_stay(self.replace(statement))

    def _replace_under_readers(self, statement: CreateView) -> str:
        """Replace a view; those that read it read the new one, or are suspended where it is too much."""
        self._views.check_replaceable(statement)
        self.replace(statement)
        for view in [view for view in self._views if view.is_written and view.name != statement.name]:
            try:
                self.replace(parse(view.sql))
            except (QueryError, PlanError) as error:
                view.suspend(error.message, self._stamp().at)
        self._running.forget_unused()
        return statement.name
