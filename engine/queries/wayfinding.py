"""Ways on foot: what can be reached while doors are closed, and from everywhere the nearest target.

    open(a, b, w)      :-  segment(s, a, b, w), not closed(s).          and the same backwards
    reached(p)         :-  start(p).
    reached(p)         :-  open(p, q, _), reached(q).
    nearest(p, q, t, d)                               ``engine.plan.nearest``

Lengths are whole numbers, those of ways positive: sums are exact, so the tight links are found by
equality, and no way leads in a circle. Of equal ways the one over the first point in order is taken,
so everybody sees the same.
"""

from engine.model.relation import Column
from engine.plan.expressions import Field
from engine.plan.logical import Aggregate, AggregateCall, AntiJoin, Best, Fixpoint, Plan, Union
from engine.plan.nearest import Nearest
from engine.queries.clauses import atom, clause, least, taken, term


def open_ways(segments: Plan, closed: Plan | None) -> Plan:
    """Return (a, b, length), both ways, of the segments (segment, a, b, length) that are not ``closed``."""
    left = taken(segments, "segment", "a", "b", "length")
    left = left if closed is None else without(left, closed, "segment")
    there = clause({"a": "a", "b": "b", "length": "w"}, atom(left, "_", "a", "b", "w"))
    back = clause({"a": "b", "b": "a", "length": "w"}, atom(left, "_", "a", "b", "w"))
    return Union((there, back))


def reached(ways: Plan, starts: Plan) -> Fixpoint:
    """Return the points that ways (a, b, length) connect with the ``starts`` (point)."""
    return least(
        "reached",
        taken(starts, "point"),
        lambda found: [clause({"point": "p"}, atom(ways, "p", "q", "_"), atom(found, "q"))],
    )


def nearest(ways: Plan, targets: Plan) -> Plan:
    """Return (point, next, target, length): how to walk on to the nearest of (point, target, length).

    A target is off its point by its length; where one leaves for it, ``next`` is the point itself.
    """
    return Nearest(taken(ways, "a", "b", "length"), taken(targets, "point", "target", "length"))


def trails(ways: Plan, goals: Plan, starts: Plan) -> Plan:
    """Return (key, point, next, length) along the way from a key's start to its goal, and no other points.

    ``goals`` are (key, point, length), ``starts`` (key, point), one of each a key. The goal's
    point has itself as ``next``.
    """
    goals, starts = taken(goals, "key", "point", "length"), taken(starts, "key", "point")
    far = far_from_each(ways, goals)
    onward = onward_by_key(ways, far, goals)
    trail = least(
        "trail",
        starts,
        lambda found: [
            clause({"key": "k", "point": "q"}, atom(found, "k", "p"), atom(onward, "k", "p", "q"))
        ],
    )
    head = {"key": "k", "point": "p", "next": "q", "length": "d"}
    walks = clause(head, atom(trail, "k", "p"), atom(onward, "k", "p", "q"), atom(far, "k", "p", "d"))
    ends = clause({**head, "next": "p"}, atom(trail, "k", "p"), atom(goals, "k", "p", "d"))
    return Union((walks, ends))


def far_from_each(ways: Plan, goals: Plan) -> Fixpoint:
    """Return (key, point, length): how far each point is from a key's goal."""
    return least(
        "far_from_each",
        goals,
        lambda far: [
            clause(
                {"key": "k", "point": "p", "length": term("+", "w", "d")},
                atom(ways, "p", "q", "w"),
                atom(far, "k", "q", "d"),
            )
        ],
        group=(0, 1),
        best=(Best("min", 2),),
    )


def onward_by_key(ways: Plan, far: Plan, goals: Plan) -> Plan:
    """Return (key, point, next): over which neighbour the shortest way to a key's goal goes."""
    tight = clause(
        {"key": "k", "point": "p", "next": "q"},
        atom(ways, "p", "q", "w"),
        atom(far, "k", "q", "d"),
        atom(far, "k", "p", "c"),
        where=[term("=", "c", term("+", "w", "d"))],
    )
    key, point, following = tight.columns
    ends = taken(goals, "key", "point")
    both = (Field(0, key.type, key.name), Field(1, point.type, point.name))
    away = AntiJoin(tight, ends, both, both)
    least_value = AggregateCall("min", Field(2, following.type, following.name))
    return Aggregate(away, both, (least_value,), (key, point, Column(following.name, following.type)))


def without(plan: Plan, unwanted: Plan, column: str) -> AntiJoin:
    """Return the rows whose value in a column is not among the unwanted."""
    position = [each.name for each in plan.columns].index(column)
    key = Field(position, plan.columns[position].type, column)
    return AntiJoin(plan, taken(unwanted, column), (key,), (Field(0, key.type, column),))
