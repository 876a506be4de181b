"""What every derivation of a fact needs, and what of it can be said part by part.

    necessary(f)  =  {f} ∪ ∩ over the bodies of f   ∪ over a body's facts b   necessary(b)

the greatest solution, as for dominators. With C the necessary facts of the goal g,

    P(g)  =  ∧ over f ∈ C   P(f, with the other necessary facts of f taken for granted)

and a body that needs its own head is circular and derives nothing. So a program falls into parts at
its bottlenecks, whatever its rules; a necessary base row is a part by itself, and a cut. Parts that
share base rows are put together again.

References:
    Lengauer, Tarjan. A Fast Algorithm for Finding Dominators in a Flowgraph. TOPLAS 1979: the same
    notion in graphs; facts with bodies are and/or-graphs, where it is found by iteration.
"""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

from engine.views.why.effort import Effort
from engine.views.why.ground import Body, Ground, Number
from engine.views.why.web import bits

GOAL: Number = 0
Sets = list[int]
Bodies = dict[Number, list[Body]]


class Part(NamedTuple):
    """A necessary fact, and the bodies of all below it that is not granted; a base row has none."""

    root: Number
    bodies: Bodies


def derivable(ground: Ground) -> list[Number]:
    """Return the facts that follow from base rows, each after what one of its bodies needs."""
    waiting: dict[Number, list[tuple[Number, int]]] = {}
    missing: list[list[int]] = [[len(body) for body in bodies] for bodies in ground.bodies]
    for head, bodies in enumerate(ground.bodies):
        for place, body in enumerate(bodies):
            for part in body:
                waiting.setdefault(part, []).append((head, place))
    given = [head for head, bodies in enumerate(ground.bodies) if () in bodies]
    order = [*sorted(ground.base), *given]
    known = set(order)
    for fact in order:
        for head, place in waiting.get(fact, ()):
            missing[head][place] -= 1
            if not missing[head][place] and head not in known:
                known.add(head)
                order.append(head)
    return order


def necessary(ground: Ground, order: list[Number], effort: Effort) -> Sets:
    """Return the necessary facts of each derivable fact, as bits; of another one, all."""
    everything = (1 << len(ground.facts)) - 1
    found = [everything] * len(ground.facts)
    cost = 1 + len(ground.facts) // 1024
    changed = True
    while changed:
        changed = False
        for fact in order:
            effort.spend(cost * (1 + len(ground.bodies[fact])))
            needed = everything if ground.bodies[fact] else 0
            for body in ground.bodies[fact]:
                needed &= reduce(or_, [found[part] for part in body], 0)
            if needed | 1 << fact != found[fact]:
                found[fact] = needed | 1 << fact
                changed = True
    return found


def parts(ground: Ground, needed: Sets, effort: Effort) -> Iterator[Part]:
    """Yield a part for each necessary fact of the goal."""
    base = sum(1 << fact for fact in ground.base)
    for root in bits(needed[GOAL]):
        granted = needed[GOAL] & (needed[root] | base) & ~(1 << root)
        yield Part(root, _below(ground, needed, root, granted, effort))


def _below(ground: Ground, needed: Sets, root: Number, granted: int, effort: Effort) -> Bodies:
    """Return the bodies below a fact, without what is granted and without circles."""
    found: Bodies = {}
    for fact in _reached(root, found):
        effort.spend(1 + len(ground.bodies[fact]))
        circular = 1 << fact | 1 << root
        found[fact] = [
            tuple([part for part in body if not granted >> part & 1])
            for body in ground.bodies[fact]
            if not any(needed[part] & circular for part in body)
        ]
    return _without_known(found, root, effort)


def _without_known(rules: Bodies, root: Number, effort: Effort) -> Bodies:
    """Leave out what needs nothing, and what is then needed no more."""
    known: set[Number] = set()
    grows = True
    while grows:
        effort.spend(len(rules))
        gained = {f for f, bodies in rules.items() if any(known.issuperset(body) for body in bodies)} - known
        known |= gained
        grows = bool(gained) and root not in known
    found: Bodies = {}
    for fact in _reached(root, found):
        bodies = {frozenset(body) - known for body in rules[fact]}
        found[fact] = [tuple(sorted(b)) for b in bodies if not any(other < b for other in bodies)]
    return found


def _reached(root: Number, found: Bodies) -> Iterator[Number]:
    """Yield the root and, once a fact's bodies have been found, what is in them."""
    unseen = [root]
    while unseen:
        fact = unseen.pop()
        if fact not in found:
            yield fact
            unseen += [part for body in found[fact] for part in body]
