"""Bags of rows and what plans do with them, by nested loops.

Bag  =  Row → how often it is there
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import product
from typing import Any

from engine.model.values import Row, Type, Value
from engine.plan.expressions import Expr, positions
from engine.plan.folds import FOLDS
from engine.plan.logical import AggregateCall, SortKey
from tests.oracle_folds import folded
from tests.oracle_values import double, integer, value

Bag = Counter[Row]
MOST_COMBINATIONS = 20_000


class TooMuch(Exception):
    """Nested loops would take too long over so many rows."""


def bag(counted: Iterable[tuple[Row, int]]) -> Bag:
    total: Bag = Counter()
    for row, count in counted:
        total[row] += count
    return +total


def once(rows: Iterable[Row]) -> Bag:
    return Counter(dict.fromkeys(rows, 1))


def merged(bags: Iterable[Bag]) -> Bag:
    return sum(bags, Counter())


def joined(bags: Sequence[Bag], predicates: Sequence[Expr]) -> Bag:
    """All combinations, each asked a predicate as soon as it has all that the predicate reads."""
    rows: Bag = Counter({(): 1})
    waiting = list(predicates)
    for each in bags:
        if len(rows) * len(each) > MOST_COMBINATIONS:
            raise TooMuch
        rows = Counter({a + b: n * m for (a, n), (b, m) in product(rows.items(), each.items())})
        width = len(next(iter(rows), ()))
        for predicate in [p for p in waiting if max(positions(p), default=0) < width]:
            waiting.remove(predicate)
            rows = selected(rows, predicate)
    return rows


def selected(rows: Bag, predicate: Expr) -> Bag:
    return Counter({row: n for row, n in rows.items() if value(predicate, row) is True})


def projected(rows: Bag, expressions: Sequence[Expr]) -> Bag:
    return bag((tuple(value(e, row) for e in expressions), n) for row, n in rows.items())


def keys_of(expressions: Sequence[Expr], row: Row) -> Row | None:
    """The values of a key, unless one is NULL."""
    key = tuple(value(e, row) for e in expressions)
    return None if None in key else key


def met(left: Bag, right: Bag, left_keys: Sequence[Expr], right_keys: Sequence[Expr]) -> Bag:
    keyed = [(keys_of(right_keys, row), row, count) for row, count in right.items()]
    pairs = product([(keys_of(left_keys, row), row, count) for row, count in left.items()], keyed)
    return bag((a + b, n * m) for (k, a, n), (key, b, m) in pairs if k is not None and k == key)


def outer(
    left: Bag, right: Bag, widths: tuple[int, int], predicates: Sequence[Expr], keeps_right: bool
) -> Bag:
    """The pairs that satisfy every predicate, and the rows that are in none, padded with NULLs."""
    mine, its = widths
    pairs = joined([left, right], predicates)
    matched = {row[:mine] for row in pairs}, {row[mine:] for row in pairs}
    padded = [(row + (None,) * its, n) for row, n in left.items() if row not in matched[0]]
    if keeps_right:
        padded += [((None,) * mine + row, n) for row, n in right.items() if row not in matched[1]]
    return bag([*pairs.items(), *padded])


def unmet(left: Bag, right: Bag, left_keys: Sequence[Expr], right_keys: Sequence[Expr]) -> Bag:
    """The rows on the left whose key is not on the right; a key with a NULL is nowhere."""
    there = {keys_of(right_keys, row) for row in right} - {None}
    return Counter({row: n for row, n in left.items() if keys_of(left_keys, row) not in there})


def first_rows(rows: Bag, order: Sequence[SortKey], count: int | None, skip: int) -> Bag:
    """The rows in a line, copies behind each other, and what is counted off from it."""
    line = in_line(rows, order)
    return Counter(line[skip:] if count is None else line[skip : skip + count])


def in_line(rows: Bag, order: Sequence[SortKey]) -> list[Row]:
    """The rows one behind the other, copies too."""
    return [row for row in sorted(rows, key=cmp_to_key(partial(compared, order))) for _ in range(rows[row])]


def compared(order: Sequence[SortKey], one: Row, other: Row) -> int:
    """Which of two rows comes first: by the keys, then column by column."""
    for key in order:
        left, right = value(key.expression, one), value(key.expression, other)
        if None in (left, right) and left is not right:
            return -1 if (left is None) == key.nulls_first else 1
        if found := sign(left, right):
            return -found if key.descending else found
    return sign(one, other)


def sign(left: Value, right: Value) -> int:
    """Less than zero where the left is less; NULL is greater than anything, parts decide in turn."""
    if left is None or right is None:
        return (left is None) - (right is None)
    if isinstance(left, tuple) and isinstance(right, tuple):
        parts = (sign(a, b) for a, b in zip(left, right, strict=False))
        return next((found for found in parts if found), len(left) - len(right))
    return (left > right) - (left < right)  # type: ignore[operator]


def aggregated(rows: Bag, groups: Sequence[Expr], calls: Sequence[AggregateCall]) -> Bag:
    members: dict[Row, Bag] = defaultdict(Counter)
    for row, count in rows.items():
        members[tuple(value(g, row) for g in groups)][row] += count
    if not groups and not members:
        members[()] = Counter()
    return bag((key + tuple(total(c, held) for c in calls), 1) for key, held in members.items())


def total(call: AggregateCall, rows: Bag) -> Value:
    """An aggregate over the rows of one group."""
    if call.argument is None:
        return rows.total()
    line = in_line(rows, (*call.order, SortKey(call.argument)))
    values = [value(call.argument, row) for row in line]
    if call.distinct:
        values = [v for i, v in enumerate(values) if v not in values[:i]]
    if call.function == "single":
        assert len(values) < 2
        return values[0] if values else None
    if call.function == "array_agg":
        return tuple(values) or None
    known: list[Any] = [v for v in values if v is not None]
    if call.function == "count":
        return len(known)
    if call.function in FOLDS:
        return folded(call.function, known) if known else None
    return of_known(call, known) if known else None


def of_known(call: AggregateCall, values: list[Any]) -> Value:
    """An aggregate over values none of which is NULL."""
    exact = partial(map, Fraction, values)
    match call.function:
        case "min" | "max":
            ordered = sorted(values, key=cmp_to_key(sign))
            return ordered[0 if call.function == "min" else -1]  # type: ignore[no-any-return]
        case "bool_and" | "bool_or":
            return all(values) if call.function == "bool_and" else any(values)
        case "string_agg":
            return call.separator.join(values)
        case "avg":
            return rounded_once(sum(exact(), Fraction()) / len(values))
        case "var_pop" | "stddev_pop":
            measured = statistics.pvariance if call.function == "var_pop" else statistics.pstdev
            return rounded_once(measured(list(exact())))
        case "var_samp" | "stddev_samp":
            measured = statistics.variance if call.function == "var_samp" else statistics.stdev
            return rounded_once(measured(list(exact()))) if len(values) > 1 else None
    whole = sum(exact(), Fraction())
    assert call.argument is not None
    return rounded_once(whole) if call.argument.type is Type.DOUBLE else integer(int(whole))


def rounded_once(exact: Fraction | float) -> Value:
    try:
        return double(float(exact))
    except OverflowError:
        return None
