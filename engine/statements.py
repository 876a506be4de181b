"""A text of statements is carried out over a session, one after the other.

    text ─parse→ statements ─execute→ outcomes          a query's outcome is what it contains as of now

All of a text is read before any of it is carried out; what is wrong then stops what comes after it.
"""

from collections.abc import Callable
from typing import TypeGuard

from sqlglot import exp

from engine.awaiting import ended
from engine.contracts import Explanation
from engine.lang.streamsql import (
    CreateRelation,
    CreateView,
    DeleteRows,
    DropRelation,
    DropView,
    Explain,
    ExplainWhy,
    InsertRows,
    Query,
    Show,
    Statement,
    parse_script,
)
from engine.lang.streamsql.grammar.syntax import STATEMENTS
from engine.lang.streamsql.statements.constants import value_for
from engine.lang.streamsql.statements.parameters import Parameters, check_given, check_unasked, names_in
from engine.model.errors import QueryError
from engine.model.values import Value
from engine.outcomes import Changed, Listing, NotThere, Outcome, Plan
from engine.plan.explaining import ExplainedPlan, PlanForm
from engine.session import Session
from engine.showing import show
from engine.views.finding import column_of, maybe_row
from engine.views.view import Snapshot
from engine.views.why.effort import Effort

MakeEffort = Callable[[], Effort]
MOST_STATEMENTS = 300
CHANGES = (CreateView, CreateRelation, DropView, DropRelation, InsertRows, DeleteRows)


class Statements:
    """What carries out statements; ``may_drop`` objects to the end of a view that somebody watches."""

    def __init__(
        self, session: Session, effort: MakeEffort, may_drop: Callable[[str], None] = lambda _: None
    ) -> None:
        self._session = session
        self._effort = effort
        self._may_drop = may_drop

    def execute(self, statement: Statement, given: Parameters) -> Outcome:
        """Carry out one statement with those of the values that it asks for."""
        match statement:
            case Query() | Explain() if is_asked_once(statement):
                return ended(self.once(statement, given))
            case CreateView():
                return self._created(statement)
            case DropView():
                return self._dropped(statement)
            case Show():
                return show(self._session, statement)
            case Explain():
                return Plan(self._plan(statement, given), statement.form)
            case ExplainWhy():
                return self._why(statement, given)
        message = "relations cannot be made, written or dropped here; views can"
        raise QueryError(message)

    def once(self, asked: Query | Explain, given: Parameters) -> "Started":
        """Start a query that is asked once, for its rows or for how it ran."""
        form = asked.form if isinstance(asked, Explain) else None
        query = asked if isinstance(asked, Query) else query_of(asked)
        if query.outputs:
            message = "rows go somewhere for as long as a query stands: CREATE VIEW name AS … OUTPUT TO …"
            raise QueryError(message, query.outputs[0].span)
        return Started(self._session, self._session.start(query, asked_by(query.select, given)), form)

    def _created(self, statement: CreateView) -> Changed:
        stood = statement.name in {view.name for view in self._session.views()}
        self._session.create(statement)
        done = "created" if not stood else "replaced" if statement.is_replacing else "kept"
        return Changed(done, "view", (statement.name,))  # type: ignore[arg-type]

    def _dropped(self, statement: DropView) -> Changed:
        there = {view.name for view in self._session.views()}
        names = [name for name in statement.names if name in there or not statement.is_optional]
        for name in names:
            self._may_drop(name)
        self._session.drop(*names)
        return Changed("dropped", "view", tuple(names))

    def _plan(self, asked: Explain, given: Parameters) -> ExplainedPlan:
        questions = self._session.questions
        if isinstance(asked.of, str):
            return questions.running(asked.of, asked.analyzes)
        return questions.plan(query_of(asked), asked_by(asked.of, given))

    def _why(self, asked: ExplainWhy, given: Parameters) -> Explanation | NotThere:
        snapshot = self._session.snapshot(asked.view)._replace(tick=self._session.stamp.tick)
        said = row_said(snapshot, asked, given)
        row = maybe_row(snapshot, said)
        if row is not None and not asked.is_negated:
            return self._session.why(asked.view, row, self._effort())
        missing = tuple(said[column.name] for column in snapshot.columns) if row is None else row
        return NotThere(snapshot, missing, self._session.why_not(asked.view, missing, self._effort()))


class Started:
    """A query that runs until its rows were read, or, with a form, until its plan was."""

    def __init__(self, session: Session, name: str, form: PlanForm | None = None) -> None:
        self._session, self._name, self._form = session, name, form

    def is_answered(self) -> bool:
        return not self._session.awaits(self._name)

    def told(self) -> Listing | Plan:
        if self._form is not None:
            return Plan(self._session.questions.running(self._name, analyzes=True), self._form)
        found, without = self._session.snapshot(self._name), self._session.without(self._name)
        return Listing(found.columns, tuple(row for row, count in found.rows for _ in range(count)), without)

    def end(self) -> None:
        self._session.drop(self._name)


def row_said(snapshot: Snapshot, asked: ExplainWhy, given: Parameters) -> dict[str, Value]:
    """Return what is said of a row, by column."""
    if asked.values is None:
        pairs = [(column_of(snapshot, name), node) for name, node in asked.where]
    elif len(asked.values) == len(snapshot.columns):
        pairs = list(zip(snapshot.columns, asked.values, strict=True))
    else:
        names = ", ".join(column.name for column in snapshot.columns)
        message = (
            f"{asked.view} has {len(snapshot.columns)} columns ({names}), found {len(asked.values)} values"
        )
        raise QueryError(message, asked.span)
    return {column.name: value_for(column, node, given) for column, node in pairs}


def prepared(text: str, given: Parameters) -> list[Statement]:
    """Read a text of statements and see that it is given every value that it asks for, and no other."""
    statements = parse_script(text)
    if not statements:
        message = f"expected a statement, found none; it may be {STATEMENTS}"
        raise QueryError(message)
    if len(statements) > MOST_STATEMENTS:
        message = (
            f"{len(statements)} statements in one text; at most {MOST_STATEMENTS} are carried out at once"
        )
        raise QueryError(message)
    for statement in statements:
        if isinstance(statement, CreateView):
            check_unasked(statement.select)
    check_given([tree for statement in statements for tree in trees_of(statement)], given)
    return statements


def is_asked_once(statement: Statement) -> TypeGuard[Query | Explain]:
    """Tell whether a statement starts a query that ends with its answer."""
    return isinstance(statement, Query) or (
        isinstance(statement, Explain) and statement.analyzes and not isinstance(statement.of, str)
    )


def query_of(asked: Explain) -> Query:
    """Return the query that is to be explained."""
    assert not isinstance(asked.of, str)
    return Query(asked.of, "", goal=asked.goal)


def changes_something(statement: Statement) -> bool:
    """Tell whether a statement makes or drops anything."""
    return isinstance(statement, CHANGES)


def trees_of(statement: Statement) -> list[exp.Expr]:
    """Return the parts of a statement in which a parameter may stand."""
    match statement:
        case Query(select):
            return [select]
        case Explain(exp.Expr() as of):
            return [of]
        case InsertRows(_, _, rows):
            return [node for row in rows for node in row]
        case DeleteRows(_, select):
            return [select]
        case ExplainWhy(_, values, where):
            return [*(values or ()), *(node for _, node in where)]
    return []


def asked_by(tree: exp.Expr, given: Parameters) -> Parameters:
    """Return those of the values that a statement asks for."""
    asked = set(names_in(tree))
    return {name: value for name, value in given.items() if name in asked}
