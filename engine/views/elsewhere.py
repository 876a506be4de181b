"""What a row that another site computed tells of the rows there.

    row  →  Map: the columns handed on     Join: what one side's key is, the other's is too
         →  Filter: what equals a constant     …  →  { column: value } of a row of each relation

Of a total nothing can be told: which rows it stands on only its site knows. Nor of a union's row, whose
side is not said. A part is named where its key is known, or all of it.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.model.relation import Relation
from engine.model.values import Row, Type, Value
from engine.plan.expressions import Call, Expr, Field, Literal, conjuncts, to_text
from engine.plan.leaves import Leaf, Shipped, Totalled
from engine.plan.physical import Filter, HashJoin, Map, Physical, Unique, children, leaves

Known = dict[int, Value]


class Part(NamedTuple):
    """What is known of a row of a relation."""

    relation: Relation
    known: Known

    @property
    def is_named(self) -> bool:
        positions = self.relation.key_positions or range(len(self.relation.columns))
        return all(position in self.known for position in positions)

    @property
    def row(self) -> Row | None:
        """The row, where all of it is known."""
        width = len(self.relation.columns)
        return tuple([self.known[i] for i in range(width)]) if len(self.known) == width else None


class Elsewhere(NamedTuple):
    """What of an answer is another site's: fragments by their names, and the sites of base relations.

    ``totals`` are those of the stream site's own pass: the rows below them are in the log alone.
    """

    fragments: Mapping[str, Shipped]
    sites: Mapping[str, str]
    totals: Mapping[str, Totalled] = {}

    def site_of(self, relation: str) -> str | None:
        leaf = self.fragments.get(relation)
        return leaf.site if leaf is not None else self.sites.get(relation)


NOWHERE = Elsewhere({}, {})


def parts_of(leaf: Shipped, row: Row) -> tuple[Part, ...]:
    """Return the rows that a fragment's row stands on, where each is named; else nothing."""
    found = told(leaf.plan, dict(enumerate(row)))
    return found if all(part.is_named for part in found) else ()


def maybe_whole(leaf: Shipped, row: Row) -> tuple[str, Row] | None:
    """Return the one row that a fragment's row is, with its relation, if it is one and all of it is known."""
    parts = told(leaf.plan, dict(enumerate(row)))
    whole = parts[0].row if len(parts) == 1 else None
    return None if whole is None else (parts[0].relation.name, whole)


def told(plan: Physical, known: Known) -> tuple[Part, ...]:
    """Return what is known of the rows below a node's row."""
    match plan:
        case Filter(child, predicate):
            return told(child, known | fixed(predicate))
        case Map(child, expressions):
            below = {
                each.position: known[i]
                for i, each in enumerate(expressions)
                if isinstance(each, Field) and i in known
            }
            return told(child, below)
        case Unique(child):
            return told(child, known)
        case HashJoin():
            return told_of_join(plan, known)
    return (Part(plan.relation, known),) if isinstance(plan, Leaf) else ()


def told_of_join(plan: HashJoin, known: Known) -> tuple[Part, ...]:
    width = len(plan.left.columns)
    left = {i: value for i, value in known.items() if i < width}
    right = {i - width: value for i, value in known.items() if i >= width}
    for mine, its in zip(plan.left_keys, plan.right_keys, strict=True):
        if isinstance(mine, Field) and isinstance(its, Field) and is_exact(mine):
            if mine.position in left:
                right.setdefault(its.position, left[mine.position])
            elif its.position in right:
                left[mine.position] = right[its.position]
    sides = told(plan.left, left), told(plan.right, right)
    return sides[0] + sides[1] if all(sides) else ()


def fixed(predicate: Expr) -> Known:
    """Return the columns that a predicate holds to a constant."""
    found: Known = {}
    for part in conjuncts(predicate):
        match part:
            case Call("=", (Field() as field, Literal() as constant)) | Call(
                "=", (Literal() as constant, Field() as field)
            ) if field.type == constant.type and is_exact(field):
                found[field.position] = constant.value
            case Field():
                found[part.position] = True
    return found


def is_exact(field: Field) -> bool:
    """Tell whether equal values of a column are one: 0.0 and -0.0 are not."""
    return field.type != Type.DOUBLE


def read_by(leaf: Shipped) -> tuple[str, ...]:
    """Name the relations that a fragment reads."""
    return tuple(dict.fromkeys(each.relation.name for each in leaves(leaf.plan)))


def asked_by(leaf: Shipped) -> str:
    """Say what a fragment selects."""
    return " and ".join(to_text(predicate) for predicate in predicates(leaf.plan))


def predicates(plan: Physical) -> Iterator[Expr]:
    if isinstance(plan, Filter):
        yield plan.predicate
    for each in children(plan):
        yield from predicates(each)
