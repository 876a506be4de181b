"""What a recursive stratum's rows are, by definition: begin with nothing, start over until nothing changes.

    known₀ = ∅        knownᵢ₊₁  =  best(knownᵢ ∪ derived(knownᵢ))

Under aggregate selection a program has a meaning of its own only if what stays is what its own rows
derive, known = best(derived(known)); a program that is not so fails here, and is no test of anything.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Protocol

from engine.model.relation import Column
from engine.model.values import Row, Value
from engine.plan.expressions import Call, Field
from engine.plan.logical import AntiJoin, Best, Definition, Fixpoint, Join, Plan, Recur, Union, inputs_of
from engine.plan.outer_join import OuterJoin
from engine.plan.physical import BestPaths
from engine.plan.program import Program, Rule
from tests.oracle_bags import Bag, joined, once, projected, unmet
from tests.oracle_stages import by_stages
from tests.oracle_values import value

Relations = tuple[frozenset[Row], ...]
MOST_ROWS = 20_000


class Selecting(Protocol):
    """A definition of a relation: rows that agree on ``group`` stay where they are best in a column."""

    group: tuple[int, ...]
    best: tuple[Best, ...]


@dataclass(frozen=True)
class Given:
    """Rows that are known already, in the place of the plan whose they are."""

    rows: Bag
    columns: tuple[Column, ...]


def iterated(definitions: Sequence[Selecting], derived: Callable[[Relations], list[set[Row]]]) -> Relations:
    known: Relations = tuple(frozenset() for _ in definitions)
    while True:
        found = derived(known)
        later = tuple(best_of(d, old | new) for d, old, new in zip(definitions, known, found, strict=True))
        if later == known:
            again = tuple(best_of(d, new) for d, new in zip(definitions, found, strict=True))
            assert again == known, "aggregate selection keeps a row that nothing kept derives"
            return known
        assert sum(map(len, later)) < MOST_ROWS, "the recursion grows without an end"
        known = later


def best_of(definition: Selecting, rows: Iterable[Row]) -> frozenset[Row]:
    if not definition.best:
        return frozenset(rows)
    groups: dict[Row, set[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[i] for i in definition.group), set()).add(row)
    return frozenset(
        row
        for members in groups.values()
        for wanted in definition.best
        for row in extreme(members, wanted.function, wanted.position)
    )


def extreme(rows: Iterable[Row], function: str, position: int) -> list[Row]:
    """The rows that are least or greatest in a column; NULL is neither."""
    known: list[Any] = [row for row in rows if row[position] is not None]
    values = [row[position] for row in known]
    return [row for row in known if row[position] == (min if function == "min" else max)(values)]


def least_relations(definitions: Sequence[Definition], evaluate: Callable[[Any], Bag]) -> Relations:
    """The relations of a fixpoint; ``evaluate`` says what the rows of a plan without ``Recur`` are."""
    bodies = [[settled(body, evaluate) for body in each.bodies] for each in definitions]

    def derived(known: Relations) -> list[set[Row]]:
        return [{row for body in each for row in evaluate(unfolded(body, known))} for each in bodies]

    if any(each.stage is not None for each in definitions):
        return by_stages(definitions, derived)
    return iterated(definitions, derived)


def settled(plan: Any, evaluate: Callable[[Any], Bag]) -> Any:
    """The plan with what is closed in it evaluated once."""
    if not reads_itself(plan):
        return Given(evaluate(plan), plan.columns)
    return plan if isinstance(plan, Recur) else over(plan, lambda child: settled(child, evaluate))


def unfolded(plan: Any, known: Relations) -> Any:
    """The plan with what is known in place of every ``Recur``."""
    match plan:
        case Given():
            return plan
        case Recur(number, columns):
            return Given(once(known[number]), columns)
    return over(plan, lambda child: unfolded(child, known))


def reads_itself(plan: Plan) -> bool:
    if isinstance(plan, Fixpoint):
        return False
    return isinstance(plan, Recur) or any(map(reads_itself, inputs_of(plan)))


def over(plan: Any, change: Callable[[Any], Any]) -> Any:
    """The plan over changed inputs."""
    match plan:
        case Join(inputs) | Union(inputs):
            return replace(plan, inputs=tuple(map(change, inputs)))
        case AntiJoin(left, right) | OuterJoin(left, right):
            return replace(plan, left=change(left), right=change(right))
    return replace(plan, child=change(plan.child))


def least_rows(program: Program, inputs: Sequence[Bag]) -> list[Row]:
    """The rows of a program, each behind its definition's number where there are several."""
    given = [once(each) for each in inputs]

    def derived(known: Relations) -> list[set[Row]]:
        relations = [*given, *map(once, known)]
        found: list[set[Row]] = [set() for _ in known]
        for rule in program.rules:
            found[rule.head - len(given)] |= set(followed(rule, relations))
        return found

    relations = (by_stages if program.is_staged else iterated)(program.definitions, derived)
    if len(relations) == 1:
        return list(relations[0])
    return [(number, *row) for number, rows in enumerate(relations) for row in rows]


def followed(rule: Rule, relations: Sequence[Bag]) -> Bag:
    rows = joined([relations[i] for i in rule.body], rule.predicates)
    for each in rule.negated:
        rows = unmet(rows, relations[each.relation], each.left_keys, each.right_keys)
    return projected(rows, rule.expressions)


def closure(edges: Iterable[Row], seeds: Iterable[Row], width: int, order: Sequence[int]) -> list[Row]:
    """H(x, ȳ) :- seed(x, ȳ).   H(x, ȳ) :- edge(x, z), H(z, ȳ)."""
    edges, known = set(edges), set(seeds)
    while True:
        met = {(*e[:width], *h[width:]) for e, h in product(edges, known) if meets(e[width:], h[:width])}
        if met <= known:
            return [tuple(row[i] for i in order) for row in known]
        known |= met


def meets(left: Row, right: Row) -> bool:
    return left == right and None not in left


@dataclass(frozen=True)
class Selection:
    """Of one column, in groups of columns."""

    group: tuple[int, ...]
    best: tuple[Best, ...]


def nearest_targets(ways: Iterable[Row], targets: Iterable[Row]) -> list[Row]:
    """Round after round until no point is nearer; then each one's least next point and its target."""
    ways = {row for row in ways if None not in row and row[2] > 0}
    targets = {row for row in targets if None not in row}
    far: dict[Value, Any] = {}
    while True:
        nearer = dict(far)
        for point, cost in (
            *((point, cost) for point, _, cost in targets),
            *((a, cost + far[b]) for a, b, cost in ways if b in far),
        ):
            nearer[point] = min(cost, nearer.get(point, cost))
        if nearer == far:
            break
        far = nearer
    rows: list[Row] = []
    leads: dict[Value, Value] = {}
    for point, cost in sorted(far.items(), key=lambda each: each[1]):
        here = [target for at, target, length in targets if at == point and length == cost]
        onward = [b for a, b, length in ways if a == point and b in far and length + far[b] == cost]
        leads[point] = min(here) if here else leads[min(onward)]
        rows.append((point, point if here else min(onward), leads[point], cost))
    return rows


def best_paths(edges: Iterable[Row], seeds: Iterable[Row], plan: BestPaths) -> list[Row]:
    """H(x, ȳ, best c) :- seed(x, ȳ, c).   H(x, ȳ, best w∘c) :- edge(x, z, w), H(z, ȳ, c)."""
    edges, seeds, width, last = set(edges), set(seeds), plan.width, len(plan.order) - 1
    kind = plan.columns[plan.order.index(last)].type

    combined = Call(plan.combine, (Field(0, kind), Field(1, kind)), kind)

    def longer(edge: Row, path: Row) -> Row:
        return (*edge[:width], *path[width:-1], value(combined, (edge[-1], path[-1])))

    def derived(known: Relations) -> list[set[Row]]:
        pairs = product(edges, known[0])
        return [seeds | {longer(e, h) for e, h in pairs if meets(e[width:-1], h[:width])}]

    (rows,) = iterated([Selection(tuple(range(last)), (Best(plan.best, last),))], derived)
    return [tuple(row[i] for i in plan.order) for row in rows]
