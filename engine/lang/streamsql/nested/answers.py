"""What a query is for each of the rows around it, as one more column of theirs.

An aggregate of the query by its keys, told as little of as the answer needs, so that a row more or less
changes no answer that stays as it is; made to have a value for every key, and joined.
"""

from dataclasses import replace

from engine.lang.streamsql.nested.correlation import reads_outer
from engine.lang.streamsql.nested.nested import (
    Keyed,
    Nested,
    aggregated,
    keyed,
    met_by_key,
    over_domain,
    telling,
)
from engine.lang.streamsql.query.gathered import Gathered
from engine.lang.streamsql.scalars.literals import converted
from engine.lang.streamsql.scalars.logic import FALSE, NONE, TRUE, UNKNOWN, condition, truth_of_in
from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Literal, conjunction, substitute
from engine.plan.logical import AggregateCall, Distinct, Project, Select, Top
from engine.plan.rows import fields_of, pairs_of

COUNT = AggregateCall("count", None)
ENDS = {"<": ("max",), "<=": ("max",), ">": ("min",), ">=": ("min",), "<>": ("min", "max")}


def single(nested: Nested, rows: Gathered) -> Expr:
    """Return the only value of a query; NULL where it has no row, and an error where it has two.

    Of keys that no outer row has nothing may be asked, for there two rows are no error.
    """
    first = maybe_first(nested, rows)
    if first is not None:
        return first
    found = keyed(nested, rows)
    if found.empty is not None:
        return only(found, rows)
    if found.mine and not found.is_null_safe:
        found = over_domain(nested, rows)
    (value,) = found.values
    one = aggregated(found, (AggregateCall("single", value),), (value.type,))
    return met_by_key(rows, one, (Literal(None, value.type),))[0]


def maybe_first(nested: Nested, rows: Gathered) -> Expr | None:
    """Return the value of the row that LIMIT 1 leaves of a key's, by a list in that order; else decline."""
    match nested.plan:
        case Top(child, order, 1, skip):
            shown: Expr = fields_of(child)[0]
        case Project(Top(child, order, 1, skip), (shown,), _):
            pass
        case _:
            return None
    if not nested.outers or reads_outer(shown):
        return None
    found = keyed(replace(nested, plan=child), rows)

    def over(expression: Expr) -> Expr:
        return substitute(expression, found.values)

    keys = tuple(replace(key, expression=over(key.expression)) for key in order)
    listed = AggregateCall("array_agg", over(shown), order=keys)
    lists = aggregated(found, (listed,), (shown.type.listed,))
    at = Literal(skip + 1, Type.BIGINT)
    told = telling(lists, (Call("element", (lists.values[0], at), shown.type),))
    return met_by_key(rows, told, (Literal(None, shown.type),))[0]


def only(found: Keyed, rows: Gathered) -> Expr:
    """Return the value of a query that has one row for each key, and one for what has no key."""
    assert found.empty is not None
    (value,) = found.values
    return met_by_key(rows, telling(found, (value,)), (Literal(found.empty[0], value.type),))[0]


def exists(found: Keyed, rows: Gathered) -> Expr:
    """Return whether a query has a row."""
    if found.empty is not None:
        return TRUE
    counted = aggregated(found, (COUNT,), (Type.BIGINT,))
    is_there = condition(">", counted.values[0], NONE)
    return met_by_key(rows, telling(counted, (is_there,)), (FALSE,))[0]


def is_in(found: Keyed, rows: Gathered, needle: Expr, value: Expr) -> Expr:
    """Return whether a value is among those of a query."""
    counted = aggregated(found, (COUNT, AggregateCall("count", value)), (Type.BIGINT, Type.BIGINT))
    is_empty, has_null = met_by_key(rows, telling(counted, doubts(counted)), (TRUE, FALSE))
    is_known = condition("not", condition("is_null", value))
    keys = (*found.its, value)
    columns = tuple(Column(f"key_{i}", key.type) for i, key in enumerate(keys))
    there = Distinct(Project(Select(found.plan, is_known), keys, columns))
    mine = (*found.mine, needle)
    matched = telling(Keyed(there, (), mine, fields_of(there), found.is_null_safe), (TRUE,))
    (hit,) = met_by_key(rows, matched, (FALSE,))
    return truth_of_in(hit, is_empty, has_null, needle)


def doubts(counted: Keyed) -> tuple[Expr, Expr]:
    """Return whether there is no row, and whether one is NULL, by how many there are and are known."""
    total, known = counted.values[:2]
    return condition("=", total, NONE), condition("<", known, total)


def any_of(symbol: str, found: Keyed, rows: Gathered, needle: Expr, value: Expr) -> Expr:
    """Compare with the largest or the smallest value; what differs from any differs from one of them."""
    ends = ENDS[symbol]
    calls = [COUNT, AggregateCall("count", value), *(AggregateCall(end, value) for end in ends)]
    kinds = [Type.BIGINT, Type.BIGINT, *(value.type for _ in ends)]
    counted = aggregated(found, calls, kinds)
    told = telling(counted, (*doubts(counted), *counted.values[2:]))
    empty = (TRUE, FALSE, *(Literal(None, value.type) for _ in ends))
    is_empty, has_null, *extremes = met_by_key(rows, told, empty)
    hits = [condition(symbol, needle, extreme) for extreme in extremes]
    hit = hits[0] if len(hits) == 1 else condition("or", *hits)
    return truth_of_in(hit, is_empty, has_null, needle)


def row_in(nested: Nested, rows: Gathered, needle: tuple[Expr, ...]) -> Expr:
    """Compare a row with each of the query's: found, or unknown with one of them, or in none."""
    found = over_domain(nested, rows, needle)
    mine = found.its[len(nested.outers) :]
    both = zip(found.values, mine, strict=True)
    equal = conjunction(pairs_of(mine, [converted(value, each.type) or value for value, each in both]))
    calls = [
        AggregateCall("count", Call("case", (asked, TRUE, UNKNOWN), Type.BOOLEAN))
        for asked in (equal, condition("is_null", equal))
    ]
    counted = aggregated(found, calls, (Type.BIGINT, Type.BIGINT))
    told = telling(counted, [condition(">", count, NONE) for count in counted.values])
    hit, unknown = met_by_key(rows, told, (FALSE, FALSE))
    return Call("case", (hit, TRUE, unknown, UNKNOWN, FALSE), Type.BOOLEAN)
