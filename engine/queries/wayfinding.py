"""Ways on foot: what can be reached while doors are closed, and from everywhere the nearest target.

    open(a, b, w)      :-  segment(s, a, b, w), not closed(s).          and the same backwards
    reached(p)         :-  start(p).
    reached(p)         :-  open(p, q, _), reached(q).
    far(p, min e)      :-  target(p, _, e).
    far(p, min w + d)  :-  open(p, q, w), far(q, d).
    here(p, min t)     :-  target(p, t, e), far(p, e).
    next(p, min q)     :-  open(p, q, w), far(q, d), far(p, w + d), not here(p, _).
    leads(p, t)        :-  here(p, t).
    leads(p, t)        :-  next(p, q), leads(q, t).

Lengths are whole numbers, those of ways positive: sums are exact, so the tight links are found by
equality, and no way leads in a circle. Of equal ways the one over the first point in order is taken,
so everybody sees the same.
"""

from engine.model.relation import Column
from engine.plan.expressions import Field
from engine.plan.logical import Aggregate, AggregateCall, AntiJoin, Best, Fixpoint, Plan, Union
from engine.queries.clauses import atom, clause, least, taken, term


def open_ways(segments: Plan, closed: Plan) -> Plan:
    """Return (a, b, length), both ways, of the segments (segment, a, b, length) that are not ``closed``."""
    left = without(taken(segments, "segment", "a", "b", "length"), closed, "segment")
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
    wanted = taken(targets, "point", "target", "length")
    far = lengths(ways, wanted)
    here = first(clause({"point": "p", "target": "t"}, atom(wanted, "p", "t", "e"), atom(far, "p", "e")))
    onward = next_points(ways, far, here)
    leads = least(
        "leads",
        here,
        lambda found: [clause({"point": "p", "target": "t"}, atom(onward, "p", "q"), atom(found, "q", "t"))],
    )
    head = {"point": "p", "next": "q", "target": "t", "length": "d"}
    walks = clause(head, atom(onward, "p", "q"), atom(leads, "p", "t"), atom(far, "p", "d"))
    leaves = clause({**head, "next": "p"}, atom(here, "p", "t"), atom(far, "p", "d"))
    return Union((walks, leaves))


def lengths(ways: Plan, targets: Plan) -> Fixpoint:
    """Return (point, length): how far each point is from the target that is nearest to it."""
    return least(
        "far",
        taken(targets, "point", "length"),
        lambda far: [
            clause(
                {"point": "p", "length": term("+", "w", "d")}, atom(ways, "p", "q", "w"), atom(far, "q", "d")
            )
        ],
        group=(0,),
        best=(Best("min", 1),),
    )


def next_points(ways: Plan, far: Plan, here: Plan) -> Plan:
    """Return (point, next): over which neighbour the shortest way goes, for whoever is not there yet."""
    tight = clause(
        {"point": "p", "next": "q"},
        atom(ways, "p", "q", "w"),
        atom(far, "q", "d"),
        atom(far, "p", "c"),
        where=[term("=", "c", term("+", "w", "d"))],
    )
    return first(without(tight, here, "point"))


def first(pairs: Plan) -> Plan:
    """Return of each first column the least second."""
    key, value = pairs.columns
    least_value = AggregateCall("min", Field(1, value.type, value.name))
    columns = (key, Column(value.name, value.type))
    return Aggregate(pairs, (Field(0, key.type, key.name),), (least_value,), columns)


def without(plan: Plan, unwanted: Plan, column: str) -> AntiJoin:
    """Return the rows whose value in a column is not among the unwanted."""
    position = [each.name for each in plan.columns].index(column)
    key = Field(position, plan.columns[position].type, column)
    return AntiJoin(plan, taken(unwanted, column), (key,), (Field(0, key.type, column),))
