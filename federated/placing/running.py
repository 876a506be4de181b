"""What runs already answers what is asked anew, where it holds no fewer rows and columns.

    running   π_a σ_p (R)         wanted   π_b σ_(p ∧ q) (R)         b, q read columns of a
    wanted    =   π_b σ_q (running)

so that two similar queries have one fragment, and one that brings all of a relation serves all of them.
Selections stand above windows, so that one more of them can be asked here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple

from engine.plan.expressions import Expr, Field, conjunction, conjuncts, move, positions
from engine.plan.leaves import Leaf, Shipped, Table, Windowed
from engine.plan.physical import Filter, Map, Physical, fragments_in


class Read(NamedTuple):
    """Columns of the selected rows of one relation."""

    leaf: Table | Windowed
    predicates: tuple[Expr, ...]
    expressions: tuple[Expr, ...]


def maybe_read(plan: Physical) -> Read | None:
    """Recognise a selection and a projection of one relation."""
    over = plan.expressions if isinstance(plan, Map) else None
    below = plan.child if isinstance(plan, Map) else plan
    predicates = conjuncts(below.predicate) if isinstance(below, Filter) else ()
    leaf = below.child if isinstance(below, Filter) else below
    if not isinstance(leaf, Table | Windowed):
        return None
    whole = tuple(Field(i, column.type, column.name) for i, column in enumerate(leaf.columns))
    return Read(leaf, predicates, over or whole)


def maybe_from(running: Shipped, wanted: Shipped) -> Physical | None:
    """Return what computes a fragment from one that runs."""
    has, asks = maybe_read(running.plan), maybe_read(wanted.plan)
    if running == wanted or has is None or asks is None or running.site != wanted.site:
        return None
    if has.leaf != asks.leaf or not set(has.predicates) <= set(asks.predicates):
        return None
    where = {e.position: place for place, e in enumerate(has.expressions) if isinstance(e, Field)}
    rest = tuple(p for p in asks.predicates if p not in has.predicates)
    if any(not positions(each) <= where.keys() for each in (*rest, *asks.expressions)):
        return None
    tree: Physical = running
    if rest:
        tree = Filter(tree, move(conjunction(rest), where.__getitem__))
    moved = tuple(move(each, where.__getitem__) for each in asks.expressions)
    return Map(tree, moved, wanted.columns)


def with_running(plan: Physical, running: Iterable[Shipped]) -> Physical:
    """Return the plan with its fragments computed from what runs, where that can be."""
    wanted = fragments_in(plan)
    known = sorted(running, key=lambda leaf: leaf.name)
    found: dict[Physical, Physical] = {}
    for leaf in wanted:
        answers = [made for each in known if (made := maybe_from(each, leaf)) is not None]
        if leaf not in known and answers:
            found[leaf] = answers[0]
    result: Physical = instead_of(plan, found, {}) if found else plan
    return result


def instead_of(part: Any, found: Mapping[Physical, Physical], done: dict[int, Any]) -> Any:
    """Put other leaves into a plan, each node once."""
    if isinstance(part, Leaf):
        return found.get(part, part)
    if isinstance(part, tuple):
        return tuple(instead_of(each, found, done) for each in part)
    if not isinstance(part, Physical):
        return part
    if id(part) not in done:
        changed = {each.name: instead_of(getattr(part, each.name), found, done) for each in fields(part)}
        done[id(part)] = replace(part, **changed)
    return done[id(part)]
