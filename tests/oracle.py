"""What a plan's rows are, by definition: the oracle that incremental answers are held against.

    evaluate(plan, readings of a log prefix, T)  →  the bag of rows at time T

It shares nothing with the operators or the optimizer: windows by their formula, joins by nested
loops, sums by fractions, recursion by starting over until nothing is added (``oracle_recursion``).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from engine.model.reading import Reading
from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type
from engine.plan.constant import Constant
from engine.plan.expressions import Call, Expr
from engine.plan.leaves import Table, Windowed
from engine.plan.logical import (
    Aggregate,
    AntiJoin,
    Distinct,
    Fixpoint,
    Join,
    Plan,
    Project,
    Scan,
    Select,
    Top,
    Union,
)
from engine.plan.nearest import Nearest, NearestPaths
from engine.plan.outer_join import HashOuterJoin, OuterJoin
from engine.plan.physical import (
    BestPaths,
    Closure,
    Filter,
    FirstRows,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Merge,
    Physical,
    Pick,
    Recursive,
    Unique,
)
from engine.plan.rows import shifted
from engine.plan.windows import Range, Rows, Window
from tests.oracle_bags import (
    Bag,
    aggregated,
    first_rows,
    joined,
    merged,
    met,
    once,
    outer,
    projected,
    selected,
    unmet,
)
from tests.oracle_recursion import Given, best_paths, closure, least_relations, least_rows, nearest_targets
from tests.oracle_values import value


def evaluate(plan: Plan | Given, readings: Sequence[Reading], now: int) -> Bag:
    """The rows of a plan at time ``now`` after these readings."""
    below = partial(evaluate, readings=readings, now=now)
    match plan:
        case Given(rows):
            return rows
        case Constant(rows):
            return Counter(rows)
        case Scan(relation, window, sample):
            return standing(relation, window, taken(relation.name, None, readings), now, sample)
        case Join(inputs, predicates):
            return joined([below(each) for each in inputs], predicates)
        case Select(child, predicate):
            return selected(below(child), predicate)
        case Project(child, expressions, _):
            return projected(below(child), expressions)
        case Distinct(child):
            return once(below(child))
        case Union(inputs):
            return merged(map(below, inputs))
    return over_closed(plan, below)


def over_closed(plan: Plan, below: Callable[[Plan], Bag]) -> Bag:
    """The rows of a node that asks for its inputs whole."""
    match plan:
        case Aggregate(child, groups, calls, _):
            return aggregated(below(child), groups, calls)
        case AntiJoin(left, right, left_keys, right_keys):
            return unmet(below(left), below(right), left_keys, right_keys)
        case OuterJoin(left, right, predicates, keeps_right):
            widths = len(left.columns), len(right.columns)
            return outer(below(left), below(right), widths, predicates, keeps_right)
        case Top(child, order, count, skip):
            return first_rows(below(child), order, count, skip)
        case Nearest(ways, targets):
            return once(nearest_targets(below(ways), below(targets)))
        case Fixpoint(definitions, output):
            return once(least_relations(definitions, below)[output])
    raise AssertionError(plan)


def run(plan: Physical, readings: Sequence[Reading], now: int) -> Bag:
    """The rows of a physical plan, its fragments filtered below their windows."""
    below = partial(run, readings=readings, now=now)
    match plan:
        case Table(relation, fragment):
            return standing(relation, None, taken(fragment.relation, fragment.predicate, readings), now)
        case Windowed(relation, window, fragment, sample):
            own = taken(fragment.relation, fragment.predicate, readings)
            return standing(relation, window, own, now, sample)
        case Filter(child, predicate):
            return selected(below(child), predicate)
        case Map(child, expressions, _):
            return projected(below(child), expressions)
        case HashJoin(left, right, left_keys, right_keys):
            return met(below(left), below(right), left_keys, right_keys)
        case GroupBy(child, groups, calls, _):
            return aggregated(below(child), groups, calls)
        case Unique(child):
            return once(below(child))
        case Merge(inputs):
            return merged(map(below, inputs))
        case HashAntiJoin(left, right, left_keys, right_keys):
            return unmet(below(left), below(right), left_keys, right_keys)
    return run_apart(plan, below)


def run_apart(plan: Physical, below: Callable[[Physical], Bag]) -> Bag:
    """The rows of a node that asks for its inputs whole."""
    match plan:
        case Constant(rows):
            return Counter(rows)
        case HashOuterJoin(left, right, left_keys, right_keys, condition, keeps_right):
            widths = len(left.columns), len(right.columns)
            keys = zip(left_keys, right_keys, strict=True)
            predicates = [Call("=", (a, shifted(b, widths[0])), Type.BOOLEAN) for a, b in keys]
            predicates += [] if condition is None else [condition]
            return outer(below(left), below(right), widths, predicates, keeps_right)
        case FirstRows(child, order, count, skip):
            return first_rows(below(child), order, count, skip)
    return once(recursive(plan, below))


def recursive(plan: Physical, below: Callable[[Physical], Bag]) -> Iterable[Row]:
    """The rows of a recursive node, each once."""
    match plan:
        case Closure(edges, seeds, width, order):
            return closure(below(edges), below(seeds), width, order)
        case BestPaths(edges, seeds):
            return best_paths(below(edges), below(seeds), plan)
        case NearestPaths(ways, targets):
            return nearest_targets(below(ways), below(targets))
        case Recursive(inputs, program):
            return least_rows(program, [below(each) for each in inputs])
        case Pick(child, number):
            return [row[1:] for row in below(child) if row[0] == number]
    raise AssertionError(plan)


def taken(relation: str, predicate: Expr | None, readings: Sequence[Reading]) -> list[Reading]:
    own = [reading for reading in readings if reading.relation == relation]
    return [reading for reading in own if predicate is None or value(predicate, reading.row) is True]


def standing(
    relation: Relation,
    window: Window | None,
    readings: Sequence[Reading],
    now: int,
    sample: int | None = None,
) -> Bag:
    """The rows of a base relation that its readings have left standing."""
    if relation.kind is RelationKind.TABLE:
        return table(relation, readings)
    kept = readings if sample is None else sampled(relation, sample, readings)
    return windowed(relation, window, kept, now)


def happened(relation: Relation, reading: Reading) -> int:
    names = [column.name for column in relation.columns]
    return reading.at if relation.event_time is None else reading.row[names.index(relation.event_time)]


def sampled(relation: Relation, period: int, readings: Sequence[Reading]) -> list[Reading]:
    """The rows of a later period than any row of the same key before."""
    keys = [tuple(reading.row[i] for i in relation.key_positions) for reading in readings]
    periods = [happened(relation, reading) // period for reading in readings]
    return [
        reading
        for i, reading in enumerate(readings)
        if all(periods[j] < periods[i] for j in range(i) if keys[j] == keys[i])
    ]


def windowed(relation: Relation, window: Window | None, readings: Sequence[Reading], now: int) -> Bag:
    """The rows of a stream that are in its window at time ``now``."""
    match window:
        case Range(length, slide):
            end = now if slide is None else (now - relation.lateness) // slide * slide
            kept = [r for r in readings if end - length < happened(relation, r) <= end]
        case Rows(count, partition):
            parts: dict[Row, list[Reading]] = defaultdict(list)
            for reading in readings:
                parts[tuple(reading.row[i] for i in partition)].append(reading)
            kept = [reading for part in parts.values() for reading in part[-count:]]
        case _:
            kept = [reading for reading in readings if happened(relation, reading) <= now]
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
