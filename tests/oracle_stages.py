"""What an XY-stratified program's rows are, by definition: its levels, the lowest first.

A level's rows are those that rules derive from lower levels, once all of these are known. It shares
nothing with the operator, which never starts over.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.model.values import Row
from engine.plan.program import Program
from tests.oracle_bags import Bag, joined, once, projected, unmet
from tests.oracle_values import value

Relations = tuple[frozenset[Row], ...]
MOST_LEVELS = 200


def by_stages(definitions: Sequence[Any], derived: Callable[[Relations], list[set[Row]]]) -> Relations:
    """The relations of definitions that have stages, from what one application of the rules derives."""
    known: Relations = tuple(frozenset() for _ in definitions)
    done: Any = (float("-inf"), 0)
    for _ in range(MOST_LEVELS):
        found = list(zip(definitions, derived(known), strict=True))
        settled = tuple(frozenset(row for row in rows if level(d, row) <= done) for d, rows in found)
        assert settled == known, "a row stands on rows of its own stage or of a higher one"
        waiting = [level(d, row) for d, rows in found for row in rows if level(d, row) > done]
        if not waiting:
            return known
        done = min(waiting)
        known = tuple(frozenset(row for row in rows if level(d, row) <= done) for d, rows in found)
    raise AssertionError("the stages go on without an end")


def level(definition: Any, row: Row) -> tuple[Any, int]:
    return value(definition.stage, row), definition.turn


def standing_on(
    program: Program, given: Sequence[Iterable[Row]], whole: Sequence[Bag]
) -> set[tuple[int, Row]]:
    """Which rows follow from some rows of the inputs, where what is negated is asked of everything."""
    known: list[set[Row]] = [*map(set, given), *(set() for _ in program.definitions)]
    while True:
        found = [set(rows) for rows in known]
        for rule in program.rules:
            rows = joined([once(known[i]) for i in rule.body], rule.predicates)
            for each in rule.negated:
                rows = unmet(rows, whole[each.relation], each.left_keys, each.right_keys)
            found[rule.head] |= set(projected(rows, rule.expressions))
        if found == known:
            return {(number, row) for number, rows in enumerate(known) for row in rows}
        known = found
