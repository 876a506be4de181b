"""What a text may say: the statements, as plain values. Names are in small letters.

A query's ``select`` is a node of the parse tree, which the binder reads; everything else is read here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sqlglot import exp

from engine.model.errors import Span
from engine.model.relation import Column
from engine.operators.budget import NO_LIMITS, Limits
from engine.plan.explaining import PlanForm
from engine.plan.goal import FASTEST, Goal
from engine.views.history import Retention

OutputKind = Literal["display", "alarm", "mqtt"]


@dataclass(frozen=True, slots=True)
class Output:
    """Where a query's rows go besides to whoever reads it; an alarm may have no name, and options."""

    kind: OutputKind
    target: str = ""
    span: Span | None = field(default=None, compare=False)
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A continuous query without a name."""

    select: exp.Expr
    text: str
    outputs: tuple[Output, ...] = ()
    limits: Limits = NO_LIMITS
    goal: Goal = FASTEST


@dataclass(frozen=True, slots=True)
class CreateView:
    """A continuous query with a name; ``history`` says how long its past is kept, if at all."""

    name: str
    select: exp.Expr
    text: str
    outputs: tuple[Output, ...] = ()
    limits: Limits = NO_LIMITS
    goal: Goal = FASTEST
    is_replacing: bool = False
    is_optional: bool = False
    history: Retention | None = None


@dataclass(frozen=True, slots=True)
class CreateRelation:
    """A base relation that comes into being; the options say from where its rows come."""

    kind: Literal["stream", "table"]
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    is_optional: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class DropView:
    """The end of views; ``is_optional`` where those that are not there are passed over."""

    names: tuple[str, ...]
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class DropRelation:
    """The end of base relations."""

    kind: Literal["stream", "table"]
    names: tuple[str, ...]
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class InsertRows:
    """Rows that come into a relation which people write; without columns, in the relation's order."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class DeleteRows:
    """Rows that leave a table which people write: those that ``select`` finds."""

    name: str
    select: exp.Select
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Show:
    """A question about what there is; ``of`` names what is asked about."""

    what: Literal["views", "streams", "tables", "functions", "columns", "create"]
    of: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Explain:
    """A question about a plan: of a query, or of a running view by its name."""

    of: exp.Expr | str
    analyzes: bool = False
    form: PlanForm = "text"
    span: Span | None = None
    goal: Goal = FASTEST


@dataclass(frozen=True, slots=True)
class ExplainWhy:
    """A question about a row: its values in order, or what is said of it column by column."""

    view: str
    values: tuple[exp.Expr, ...] | None
    where: tuple[tuple[str, exp.Expr], ...] = ()
    is_negated: bool = False
    span: Span | None = None


Making = CreateView | CreateRelation | DropView | DropRelation | InsertRows | DeleteRows
Statement = Query | Making | Show | Explain | ExplainWhy
