"""The logical plan: what a query means, before anyone decides how.

    Plan  =  Scan  |  Constant(rows)  |  Join(inputs, predicates)  |  Select  |  Project  |  Aggregate
          |  Distinct  |  Union(inputs)  |  AntiJoin(left, right)  |  OuterJoin(left, right)  |  Top
          |  Fixpoint(definitions)  |  Recur  |  Nearest(ways, targets)

A join is n-ary and its predicates speak of the concatenation of its inputs: no order is implied.
A fixpoint defines one or more relations by each other; in their bodies ``Recur`` stands for one of
them. Nothing but select, project, join, union, distinct and the left of an anti-join may stand between
a ``Recur`` and the body's root (an outer join is
read as the union that it is); what a body reads besides, and what an anti-join has on its right, is
closed: another stratum, finished before. With stages a ``Recur`` may be on that right. Plans are values.
"""

from dataclasses import dataclass
from functools import cached_property

from engine.model.relation import Column, Relation
from engine.plan.constant import Constant
from engine.plan.expressions import Expr
from engine.plan.nearest import Nearest
from engine.plan.outer_join import OuterJoin
from engine.plan.sharing import node
from engine.plan.windows import Window


@node
@dataclass(frozen=True)
class Scan:
    """A base relation; a stream, or a row of each key every ``sample`` microseconds, through a window."""

    relation: Relation
    window: Window | None
    sample: int | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.relation.columns


@node
@dataclass(frozen=True)
class Join:
    """All combinations of the inputs' rows that satisfy every predicate."""

    inputs: "tuple[Plan, ...]"
    predicates: tuple[Expr, ...]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for plan in self.inputs for column in plan.columns)


@node
@dataclass(frozen=True)
class Select:
    """The rows that satisfy a predicate."""

    child: "Plan"
    predicate: Expr

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


@node
@dataclass(frozen=True)
class Project:
    """One expression a column; duplicates stay."""

    child: "Plan"
    expressions: tuple[Expr, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class SortKey:
    """One column of an order; of values that are equal the next key decides, at last the whole row."""

    expression: Expr
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate over an expression; over every row where there is none.

    ``distinct`` takes each value once. ``separator`` and ``order`` are of those aggregates whose result
    depends on an order (string_agg, array_agg); where no order is told they take their values in order.
    """

    function: str
    argument: Expr | None
    distinct: bool = False
    separator: str = ""
    order: tuple[SortKey, ...] = ()


@node
@dataclass(frozen=True)
class Aggregate:
    """One row a group: the group's values, then the aggregates'."""

    child: "Plan"
    groups: tuple[Expr, ...]
    calls: tuple[AggregateCall, ...]
    columns: tuple[Column, ...]


@node
@dataclass(frozen=True)
class Distinct:
    """Each row once."""

    child: "Plan"

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


@node
@dataclass(frozen=True)
class Union:
    """All rows of all inputs; duplicates stay."""

    inputs: "tuple[Plan, ...]"

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.inputs[0].columns


@node
@dataclass(frozen=True)
class AntiJoin:
    """The rows on the left whose key is nowhere on the right; a key with a NULL in it is nowhere."""

    left: "Plan"
    right: "Plan"
    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.left.columns


@node
@dataclass(frozen=True)
class Top:
    """The first ``count`` rows after ``skip`` in an order; all of them where there is no count.

    Rows that the keys do not tell apart are ordered by the whole row, so the answer is one.
    """

    child: "Plan"
    order: tuple[SortKey, ...]
    count: int | None
    skip: int = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.child.columns


@node
@dataclass(frozen=True)
class Recur:
    """Inside a fixpoint: the relation that its definition of this number defines."""

    number: int
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Definition:
    """A relation defined by the union of its bodies, each row once.

    With ``best``, aggregate selection: of the rows that agree on ``group`` those stay, ties
    included, that are least or greatest in one of the named columns.

    With ``stage``, a whole number computed from a row, the definitions are XY-stratified: a row stands
    only on rows of a lower (stage, turn), so negation of what is being defined has a meaning.
    """

    name: str
    columns: tuple[Column, ...]
    bodies: "tuple[Plan, ...]"
    group: tuple[int, ...] = ()
    best: "tuple[Best, ...]" = ()
    stage: Expr | None = None
    turn: int = 0


@dataclass(frozen=True)
class Best:
    """``min`` or ``max`` of a column; NULL is never best."""

    function: str
    position: int


@node
@dataclass(frozen=True)
class Fixpoint:
    """The least relations that satisfy their definitions; ``output`` numbers the one that is meant.

    More than ``rounds`` rounds of derivation in one tick are an error; the session's budget has a bound too.
    """

    definitions: tuple[Definition, ...]
    output: int = 0
    rounds: int | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.definitions[self.output].columns


Leaf = Scan | Constant | Recur
Stratum = Fixpoint | Nearest
Plan = Leaf | Join | Select | Project | Aggregate | Distinct | Union | AntiJoin | OuterJoin | Top | Stratum


def inputs_of(plan: Plan) -> tuple[Plan, ...]:
    """Return what feeds a node."""
    match plan:
        case Scan() | Constant() | Recur():
            return ()
        case Join(inputs) | Union(inputs):
            return inputs
        case AntiJoin(left, right) | OuterJoin(left, right) | Nearest(left, right):
            return (left, right)
        case Fixpoint(definitions):
            return tuple(body for definition in definitions for body in definition.bodies)
        case _:
            return (plan.child,)
