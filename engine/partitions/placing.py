"""Where the rows of a plan's nodes are: with the owner of a key, at one home, or where no row tells.

placement(node)  =  by the placements of its inputs, as far as the node lets their keys through
"""

from dataclasses import dataclass

from engine.partitions.hashing import Partition, stable
from engine.plan.expressions import Expr, Field, substitute
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    BestPaths,
    Closure,
    Filter,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Merge,
    Physical,
    Pick,
    Recursive,
    Unique,
)

Key = tuple[Expr, ...]


@dataclass(frozen=True)
class Gathered:
    """All at the home of a part, chosen by its number."""

    part: int

    def home(self, partitions: int) -> Partition:
        return stable(self.part) % partitions


@dataclass(frozen=True)
class Everywhere:
    """A copy for each partition."""


@dataclass(frozen=True)
class Staying:
    """Where it is."""


Placement = Key | Gathered | None
"""Of which key the owner has a row; None where no row tells."""
Route = Key | Gathered | Everywhere | Staying


def where(route: Route) -> Placement:
    """Return where rows are that came by a route."""
    return None if isinstance(route, Everywhere | Staying) else route


def put_out(node: Physical, came: tuple[Placement, ...], home: Gathered | None) -> Placement:
    """Return where the rows of a node are, by where those of its inputs are."""
    if home is not None:
        return home
    match node:
        case Filter() | Unique() | HashJoin() | HashAntiJoin():
            return came[0]
        case HashOuterJoin():
            return None if node.keeps_right else came[0]
        case GroupBy(_, groups):
            return tuple(Field(i, each.type) for i, each in enumerate(groups))
        case Map(_, expressions):
            return renamed(came[0], expressions)
        case Merge():
            return came[0] if len(set(came)) == 1 else None
        case Pick():
            return first_of(node) if came[0] is None else came[0]
        case Closure() | BestPaths():
            return first_of(node)
        case Recursive(_, program):
            return first_of(node) if len(program.definitions) == 1 else None
    return None


def renamed(came: Placement, expressions: Key) -> Placement:
    """Return the key of a projection's input over its output, where it puts all of it out."""
    if came is None or isinstance(came, Gathered):
        return came
    if not all(key in expressions for key in came):
        return None
    return tuple(Field(expressions.index(key), key.type) for key in came)


def handed_down(key: Key | None, node: Physical) -> Key | None:
    """Return a key that is wanted of a node's rows over those of its input."""
    if key is None or isinstance(node, Pick):
        return None
    return tuple(substitute(each, node.expressions) for each in key) if isinstance(node, Map) else key


def whole(plan: Physical) -> Key:
    return tuple(Field(i, column.type) for i, column in enumerate(plan.columns))


def first_of(plan: Physical) -> Key:
    return whole(plan)[:1]
