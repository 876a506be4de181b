"""What a statement leads to: a change, a listing, a plan, or why a row is there or not."""

from typing import Literal, NamedTuple

from engine.contracts import Explanation
from engine.model.relation import Column
from engine.model.values import Row
from engine.plan.explaining import ExplainedPlan, PlanForm
from engine.views.view import Snapshot
from engine.views.why.missing import Missing


class Changed(NamedTuple):
    """What there is by now, or is no more; ``kept`` is what stood already and was to be left so."""

    done: Literal["created", "replaced", "kept", "dropped"]
    kind: Literal["view", "stream", "table"]
    names: tuple[str, ...]


class Written(NamedTuple):
    """How many rows people put into a relation, or took out."""

    done: Literal["inserted", "deleted"]
    name: str
    rows: int


class Listing(NamedTuple):
    """Rows, in the order in which they are shown; ``missing`` are the sites that have no say in them yet."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    missing: tuple[str, ...] = ()


class Plan(NamedTuple):
    """How a query is run, and the form in which that was asked for."""

    plan: ExplainedPlan
    form: PlanForm = "text"


class NotThere(NamedTuple):
    """Why a row is not in a view."""

    snapshot: Snapshot
    row: Row
    missing: Missing


Outcome = Changed | Written | Listing | Plan | Explanation | NotThere
