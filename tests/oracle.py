"""What a plan's rows are, by definition: the oracle that incremental answers are held against.

    evaluate(plan, readings of a log prefix, T)  →  the bag of rows at time T

It shares nothing with the operators or the optimizer: windows by their formula, joins by nested
loops, sums by fractions. Comparison, logic and arithmetic are evaluated here too; the meaning of
the other scalar functions is taken from the catalogue.
"""

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from engine.model.reading import Reading
from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type, Value
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.functions import FUNCTIONS
from engine.plan.logical import Aggregate, AggregateCall, Distinct, Join, Plan, Project, Scan, Select
from engine.plan.physical import (
    Filter,
    GroupBy,
    HashJoin,
    Map,
    Physical,
    StreamFragment,
    Table,
    Unique,
    Windowed,
)
from engine.plan.windows import Range, Rows, Window

Bag = Counter[Row]


def evaluate(plan: Plan, readings: Sequence[Reading], now: int) -> Bag:
    """The rows of a plan at time ``now`` after these readings."""
    match plan:
        case Scan(relation, window):
            own = [reading for reading in readings if reading.relation == relation.name]
            return table(relation, own) if relation.kind is RelationKind.TABLE else windowed(window, own, now)
        case Join(inputs, predicates):
            bags = [evaluate(each, readings, now) for each in inputs]
            return selected(combinations(bags), predicates)
        case Select(child, predicate):
            return selected(evaluate(child, readings, now).items(), (predicate,))
        case Project(child, expressions, _):
            below = evaluate(child, readings, now)
            return bag((tuple(value(e, row) for e in expressions), n) for row, n in below.items())
        case Aggregate(child, groups, calls, _):
            return aggregated(evaluate(child, readings, now), groups, calls)
        case Distinct(child):
            return Counter(dict.fromkeys(evaluate(child, readings, now), 1))


def run(plan: Physical, readings: Sequence[Reading], now: int) -> Bag:
    """The rows of a physical plan, its fragments filtered below their windows."""
    match plan:
        case Table(relation, fragment):
            return table(relation, taken(fragment, readings))
        case Windowed(_, window, fragment):
            return windowed(window, taken(fragment, readings), now)
        case Filter(child, predicate):
            return selected(run(child, readings, now).items(), (predicate,))
        case Map(child, expressions, _):
            below = run(child, readings, now)
            return bag((tuple(value(e, row) for e in expressions), n) for row, n in below.items())
        case HashJoin(left, right, left_keys, right_keys):
            pairs = product(run(left, readings, now).items(), run(right, readings, now).items())
            keys = list(zip(left_keys, right_keys, strict=True))
            met = [
                (a, b) for a, b in pairs if all(value(k, a[0]) == value(m, b[0]) is not None for k, m in keys)
            ]
            return bag((a + b, n * m) for (a, n), (b, m) in met)
        case GroupBy(child, groups, calls, _):
            return aggregated(run(child, readings, now), groups, calls)
        case Unique(child):
            return Counter(dict.fromkeys(run(child, readings, now), 1))


def taken(fragment: StreamFragment, readings: Sequence[Reading]) -> list[Reading]:
    own = [reading for reading in readings if reading.relation == fragment.relation]
    return [r for r in own if fragment.predicate is None or value(fragment.predicate, r.row) is True]


def bag(counted: Iterable[tuple[Row, int]]) -> Bag:
    total: Bag = Counter()
    for row, count in counted:
        total[row] += count
    return +total


def windowed(window: Window | None, readings: Sequence[Reading], now: int) -> Bag:
    """The rows of a stream that are in its window at time ``now``."""
    match window:
        case Range(length):
            kept = [reading for reading in readings if now - length < reading.at <= now]
        case Rows(count, partition):
            parts: dict[Row, list[Reading]] = defaultdict(list)
            for reading in readings:
                parts[tuple(reading.row[i] for i in partition)].append(reading)
            kept = [reading for part in parts.values() for reading in part[-count:]]
        case _:
            kept = list(readings)
    return Counter(reading.row for reading in kept)


def table(relation: Relation, readings: Sequence[Reading]) -> Bag:
    return keyed_table(relation, readings) if relation.key else bag_table(readings)


def keyed_table(relation: Relation, readings: Sequence[Reading]) -> Bag:
    """Under each key the row inserted last, unless that very row was deleted after."""
    changes: dict[Row, list[Reading]] = defaultdict(list)
    for reading in readings:
        changes[tuple(reading.row[i] for i in relation.key_positions)].append(reading)
    standing: Bag = Counter()
    for history in changes.values():
        inserts = [i for i, reading in enumerate(history) if reading.sign > 0]
        if inserts:
            latest = history[inserts[-1]].row
            later = history[inserts[-1] + 1 :]
            standing[latest] += not any(reading.row == latest for reading in later)
    return +standing


def bag_table(readings: Sequence[Reading]) -> Bag:
    """Every insert, less the deletes that met one."""
    standing: Bag = Counter()
    for reading in readings:
        standing[reading.row] = max(0, standing[reading.row] + reading.sign)
    return +standing


def combinations(bags: Sequence[Bag]) -> Iterable[tuple[Row, int]]:
    for choice in product(*(each.items() for each in bags)):
        yield tuple(v for row, _ in choice for v in row), math.prod(count for _, count in choice)


def selected(rows: Iterable[tuple[Row, int]], predicates: Sequence[Expr]) -> Bag:
    return bag((row, n) for row, n in rows if all(value(p, row) is True for p in predicates))


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
    found = [(value(call.argument, row), count) for row, count in rows.items()]
    values = [v for v, count in found if v is not None for _ in range(count)]
    if call.function == "count":
        return len(values)
    if not values:
        return None
    match call.function:
        case "min":
            return min(values)  # type: ignore[type-var]
        case "max":
            return max(values)  # type: ignore[type-var]
        case "avg":
            return rounded_once(sum(map(Fraction, values), Fraction()) / len(values))  # type: ignore[arg-type]
    whole = sum(map(Fraction, values), Fraction())  # type: ignore[arg-type]
    return rounded_once(whole) if call.argument.type is Type.DOUBLE else integer(int(whole))


def rounded_once(exact: Fraction) -> Value:
    try:
        return double(float(exact))
    except OverflowError:
        return None


def double(number: float) -> Value:
    """A double that has a place in a row: finite, and zero without a sign."""
    if math.isnan(number) or math.isinf(number):
        return None
    return 0.0 if number == 0.0 else number


def integer(number: int) -> Value:
    return number if -(2**63) <= number <= 2**63 - 1 else None


def value(expr: Expr, row: Row) -> Value:
    """An expression's value over a row."""
    match expr:
        case Field(position):
            return row[position]
        case Literal(constant):
            return constant
        case Call(function, args, kind):
            lazily = LAZY.get(function)
            if lazily is not None:
                return lazily([partial(value, arg, row) for arg in args])
            given = [value(arg, row) for arg in args]
            if function in STRICT:
                return None if None in given else STRICT[function](kind, *given)
            return FUNCTIONS[function].meaning(*given)  # type: ignore[no-any-return]


Thunks = Sequence[Callable[[], Value]]


def all_true(parts: Thunks) -> Value:
    found = [part() for part in parts]
    return False if False in found else None if None in found else True


def any_true(parts: Thunks) -> Value:
    found = [part() for part in parts]
    return True if True in found else None if None in found else False


def first_known(parts: Thunks) -> Value:
    return next((v for part in parts if (v := part()) is not None), None)


def first_match(parts: Thunks) -> Value:
    *pairs, otherwise = parts
    for condition, result in zip(pairs[::2], pairs[1::2], strict=True):
        if condition() is True:
            return result()
    return otherwise()


LAZY: dict[str, Callable[[Thunks], Value]] = {
    "and": all_true,
    "or": any_true,
    "coalesce": first_known,
    "case": first_match,
    "is_null": lambda parts: parts[0]() is None,
}


def comparison(compare: Callable[[Any, Any], bool]) -> Callable[..., Value]:
    return lambda _, left, right: compare(left, right)


def arithmetic(compute: Callable[[Any, Any], Any]) -> Callable[..., Value]:
    """In whole numbers exactly; in doubles by the machine."""

    def computed(kind: Type, left: Any, right: Any) -> Value:
        try:
            found = compute(left, right)
        except OverflowError:
            return None
        return integer(found) if kind is Type.BIGINT else double(found)

    return computed


def quotient(_: Type, left: float, right: float) -> Value:
    return None if right == 0 else double(left / right)


def rest(_: Type, left: int, right: int) -> Value:
    """What is left of ``left`` after taking ``right`` from it as often as it goes, towards zero."""
    return None if right == 0 else left - right * int(Fraction(left, right))


def matches(text: str, pattern: str) -> bool:
    """LIKE, by trying every length for every %."""
    if not pattern:
        return not text
    first, others = pattern[0], pattern[1:]
    if first == "%":
        return any(matches(text[i:], others) for i in range(len(text) + 1))
    if first == "\\" and others:
        first, others = others[0], others[1:]
        return text[:1] == first and matches(text[1:], others)
    return bool(text) and first in ("_", text[0]) and matches(text[1:], others)


STRICT: dict[str, Callable[..., Value]] = {
    "=": comparison(operator.eq),
    "<>": comparison(operator.ne),
    "<": comparison(operator.lt),
    "<=": comparison(operator.le),
    ">": comparison(operator.gt),
    ">=": comparison(operator.ge),
    "+": arithmetic(operator.add),
    "-": arithmetic(operator.sub),
    "*": arithmetic(operator.mul),
    "/": quotient,
    "%": rest,
    "not": lambda _, condition: not condition,
    "negate": lambda kind, number: integer(-number) if kind is Type.BIGINT else double(-number),
    "abs": lambda kind, number: integer(abs(number)) if kind is Type.BIGINT else double(abs(number)),
    "like": lambda _, text, pattern: matches(text, pattern),
    "||": lambda _, left, right: left + right,
}
