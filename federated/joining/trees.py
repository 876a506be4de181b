"""Trees of joins over numbered inputs, and the operators that they stand for.

    Tree  =  number  |  (Tree, Tree)          the one with the lowest number is on the left

So trees that join the same sets are equal plans, and what two of them have in common runs once.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from engine.plan.expressions import Expr, conjunction, move
from engine.plan.physical import Filter, HashJoin, Physical
from federated.joining.predicates import Predicates

Tree = int | tuple["Tree", "Tree"]


class Built(NamedTuple):
    """The plan of a tree, the inputs in it, and where their columns are."""

    plan: Physical
    mask: int
    place: dict[int, int]


def mask_of(tree: Tree) -> int:
    """Return the inputs of a tree, as a set."""
    return 1 << tree if isinstance(tree, int) else mask_of(tree[0]) | mask_of(tree[1])


def joins(tree: Tree) -> Iterator[tuple[int, int]]:
    """Yield the two sets that each join of a tree brings together, inputs before what reads them."""
    if not isinstance(tree, int):
        yield from joins(tree[0])
        yield from joins(tree[1])
        yield mask_of(tree[0]), mask_of(tree[1])


def joined(one: Tree, other: Tree) -> Tree:
    """Return the tree of two, the one with the lowest number on the left."""
    mine, its = mask_of(one), mask_of(other)
    return (one, other) if mine & -mine < its & -its else (other, one)


def build(
    tree: Tree, inputs: tuple[Physical, ...], predicates: Predicates, note: Callable[[int, Physical], None]
) -> Built:
    """Return the operators of a tree; ``note`` is told of what each set's rows come out of."""
    if isinstance(tree, int):
        start, plan = predicates.starts[tree], inputs[tree]
        return Built(plan, 1 << tree, {start + column: column for column in range(len(plan.columns))})
    left, right = (build(each, inputs, predicates, note) for each in tree)
    keys, rest = predicates.between(left.mask, right.mask)
    width, mask = len(left.plan.columns), left.mask | right.mask
    place = {**left.place, **{position: width + there for position, there in right.place.items()}}
    met = HashJoin(
        left.plan,
        right.plan,
        tuple(move(mine, left.place.__getitem__) for mine, _ in keys),
        tuple(move(its, right.place.__getitem__) for _, its in keys),
    )
    above = selected(met, tuple(move(each, place.__getitem__) for each in rest))
    note(mask, above)
    return Built(above, mask, place)


def selected(plan: Physical, asked: tuple[Expr, ...]) -> Physical:
    return Filter(plan, conjunction(asked)) if asked else plan
