"""The best paths over links: fewest hops, least cost, greatest width, and the paths themselves.

    best(x, y, c)  =  the best c over all paths from x to y        chosen inside the recursion

Costs must not be negative: a path gets no better by going on. A path from a node to itself is a cycle
through it, of one link at least.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009: minHops, shortestPath, cheapest cost, highest bandwidth, aggregate selection.
"""

from collections.abc import Callable

from engine.model.values import Type
from engine.plan.logical import Best, Fixpoint, Plan
from engine.queries.clauses import AnyTerm, Term, atom, clause, least, taken, term, text, whole


def min_hops(link: Plan, source: str = "src", target: str = "dst") -> Fixpoint:
    """Return the least number of links from x to y.

    hops(x, y, min 1)     :- link(x, y).
    hops(x, y, min 1 + n) :- link(x, z), hops(z, y, n).
    """
    return hops("min_hops", taken(link, source, target), [], [])


def cheapest(link: Plan, source: str = "src", target: str = "dst", cost: str = "cost") -> Fixpoint:
    """Return the least cost from x to y.

    cheapest(x, y, min c)     :- link(x, y, c).
    cheapest(x, y, min w + c) :- link(x, z, w), cheapest(z, y, c).
    """
    return best_cost("cheapest", taken(link, source, target, cost), "min", "+")


def widest(link: Plan, source: str = "src", target: str = "dst", width: str = "width") -> Fixpoint:
    """Return the highest bandwidth from x to y: that of the path whose narrowest link is widest.

    widest(x, y, max c)           :- link(x, y, c).
    widest(x, y, max least(w, c)) :- link(x, z, w), widest(z, y, c).
    """
    return best_cost("widest", taken(link, source, target, width), "max", "least")


def best_cost(name: str, edge: Plan, best: str, combine: str) -> Fixpoint:
    """Return the best of the costs that combine along the paths over edges (x, y, cost).

    name(x, y, best c)           :- edge(x, y, c).
    name(x, y, best combine(w, c)) :- edge(x, z, w), name(z, y, c).
    """
    source, target, cost = (column.name for column in edge.columns)
    return least(
        name,
        edge,
        lambda paths: [
            clause(
                {source: "x", target: "y", cost: term(combine, "w", "c")},
                atom(edge, "x", "z", "w"),
                atom(paths, "z", "y", "c"),
            )
        ],
        group=(0, 1),
        best=(Best(best, 2),),
    )


def horizon(link: Plan, radius: int, source: str = "src", target: str = "dst") -> Fixpoint:
    """Return who is within a radius of whom, with the least number of links.

    horizon(x, y, min 1)     :- link(x, y).                            where radius > 0
    horizon(x, y, min 1 + n) :- link(x, z), horizon(z, y, n), n < radius.
    """
    is_near, leads_on = term(">", whole(radius), whole(0)), term("<", "n", whole(radius))
    return hops("horizon", taken(link, source, target), [is_near], [leads_on])


def hops(name: str, edge: Plan, first: list[Term], onward: list[Term]) -> Fixpoint:
    """Return the least number of edges from x to y, on conditions for the first and any further one."""
    source, target = (column.name for column in edge.columns)
    head: dict[str, AnyTerm] = {source: "x", target: "y"}
    return least(
        name,
        clause({**head, "hops": whole(1)}, atom(edge, "x", "y"), where=first),
        lambda near: [
            clause(
                {**head, "hops": term("+", whole(1), "n")},
                atom(edge, "x", "z"),
                atom(near, "z", "y", "n"),
                where=onward,
            )
        ],
        group=(0, 1),
        best=(Best("min", 2),),
    )


def shortest_paths(link: Plan, source: str = "src", target: str = "dst") -> Fixpoint:
    """Return all paths of the least number of links, each written ``x>z>y``: ties are all there.

    path(x, y, x ‖ ">" ‖ y, n) :- link(x, y), hops(x, y, n), n = 1.
    path(x, y, x ‖ ">" ‖ p, n) :- link(x, z), path(z, y, p, m), hops(x, y, n), n = 1 + m.

    The least numbers come first, as a stratum of their own. The paths then go over tight links only,
    those that lie on a path of that length, so they are finite on any network.
    """
    edge = taken(link, source, target)
    one_more = clause({source: "x", target: "y", "one": whole(1)}, atom(edge, "x", "y"))
    return tight_paths("shortest_paths", one_more, min_hops(link, source, target))


def cheapest_paths(link: Plan, source: str = "src", target: str = "dst", cost: str = "cost") -> Fixpoint:
    """Return all paths of the least cost, as ``shortest_paths``; every cost must be positive."""
    edge = taken(link, source, target, cost)
    return tight_paths("cheapest_paths", edge, cheapest(link, source, target, cost))


def tight_paths(name: str, edge: Plan, best: Fixpoint) -> Fixpoint:
    """Return the paths over edges (x, y, w) whose costs add up to the best(x, y, c).

    path(x, y, x ‖ ">" ‖ y, c) :- edge(x, y, c), best(x, y, c).
    path(x, y, x ‖ ">" ‖ p, c) :- edge(x, z, w), path(z, y, p, d), best(x, y, c), c = w + d.
    """
    source, target, cost = (column.name for column in best.columns)
    written = shown_as_text(best.columns[0].type)

    def head(rest: AnyTerm) -> dict[str, AnyTerm]:
        path = term("||", term("||", written("x"), text(">")), rest)
        return {source: "x", target: "y", "path": path, cost: "c"}

    return least(
        name,
        clause(head(written("y")), atom(edge, "x", "y", "c"), atom(best, "x", "y", "c")),
        lambda paths: [
            clause(
                head("p"),
                atom(edge, "x", "z", "w"),
                atom(paths, "z", "y", "p", "d"),
                atom(best, "x", "y", "c"),
                where=[term("=", "c", term("+", "w", "d"))],
            )
        ],
    )


def shown_as_text(kind: Type) -> Callable[[AnyTerm], AnyTerm]:
    """Return what writes a node's name as text."""
    if kind is Type.TEXT:
        return lambda node: node
    return lambda node: Term(f"text_of_{kind}", (node,))
