"""The orders of a join for people: which runs, and of those that end with another join the best.

    lost  =  of each way to part the inputs in two the best tree         the cheapest FEW of them

Asked for when a plan is explained; it takes what the search knows anyway.
"""

from collections import Counter
from collections.abc import Iterator

from engine.plan.explaining import Joined, Ordered
from engine.plan.explaining.describing import describe
from engine.plan.expressions import fields
from engine.plan.leaves import Shipped
from engine.plan.physical import Physical, leaves
from federated.estimating.cost import CostModel
from federated.joining.region import Region
from federated.joining.trees import Tree, joins, mask_of

FEW = 5
NAMED = 2
"""Relations that an input may be called by; one that reads more is called by the first."""


def orders(region: Region, runs: Tree, model: CostModel) -> Joined:
    """Return the order that runs, and the best of the others."""
    names, found = names_of(region), region.others(model)
    mine = frozenset(left | right for left, right in joins(runs))
    lost = [_ordered(region, tree, names, model, mine) for tree in found or () if tree != runs]
    told = zip(names, map(describe, region.inputs), strict=True)
    chosen = Ordered(order_text(runs, names), region.cost(runs, model))
    cheapest = sorted(lost, key=lambda each: (each.cost, each.order))[:FEW]
    return Joined(tuple(told), chosen, tuple(cheapest), found is not None)


def _ordered(region: Region, tree: Tree, names: list[str], model: CostModel, mine: frozenset[int]) -> Ordered:
    """Return an order with the dearest of the sets that the running one does not make."""
    order, cost = order_text(tree, names), region.cost(tree, model)
    made = [each for each in joins(tree) if each[0] | each[1] not in mine]
    if not made:
        return Ordered(order, cost)
    left, right = max(made, key=lambda each: region.of_join(*each)[0])
    part = next(_parts(tree, left | right))
    return Ordered(order, cost, order_text(part, names), region.of_join(left, right)[1])


def _parts(tree: Tree, mask: int) -> Iterator[Tree]:
    """Yield the part of a tree that covers a set."""
    if mask_of(tree) == mask:
        yield tree
    elif not isinstance(tree, int):
        for each in tree:
            yield from _parts(each, mask)


def order_text(tree: Tree, names: list[str]) -> str:
    """Return a tree as it is written: (a ⋈ b) ⋈ c."""
    if isinstance(tree, int):
        return names[tree]
    sides = (order_text(each, names) for each in tree)
    return " ⋈ ".join(f"({s})" if not isinstance(t, int) else s for s, t in zip(sides, tree, strict=True))


def names_of(region: Region) -> list[str]:
    """Name the inputs as the query does, where its conditions say; else by what they read."""
    said = [_called(region, number) or _read(each) for number, each in enumerate(region.inputs)]
    many, so_far = Counter(said), Counter[str]()
    named = []
    for each in said:
        so_far[each] += 1
        named.append(each if many[each] == 1 else f"{each} {so_far[each]}")
    return named


def _called(region: Region, number: int) -> str:
    """Return by what name the conditions of a join call an input."""
    predicates = region.predicates
    asked = [field for joined in predicates.classes for field in joined]
    asked += [field for other in predicates.others for field in fields(other.predicate)]
    mine = (field.name for field in asked if predicates.owner(field) == number)
    return next((name.partition(".")[0] for name in mine if "." in name), "")


def _read(plan: Physical) -> str:
    below = [leaf.plan if isinstance(leaf, Shipped) else leaf for leaf in leaves(plan)]
    names = list(dict.fromkeys(leaf.relation.name for each in below for leaf in leaves(each)))
    told = names if len(names) <= NAMED else [names[0], f"{len(names) - 1} more"]
    return " + ".join(told) or "constants"
