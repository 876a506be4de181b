"""A plan in a session, held against the oracle at every tick.

view  =  oracle        delta  =  oracle now − oracle before        witness  ⊢  row
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

from engine.model.catalog import Catalog
from engine.model.relation import Relation
from engine.model.values import Row
from engine.plan.logical import Plan
from engine.plan.physical import BestPaths, Closure, Physical, Recursive, children
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.oracle import evaluate, recursive, run
from tests.oracle_bags import once

FORMS = ("planned", "general")
VIEW = "watched"
STRATA = (Closure, BestPaths, Recursive)


class Wrong(AssertionError):
    """The engine and the oracle disagree; ``kind`` says in what."""

    def __init__(self, kind: str, *said: object) -> None:
        super().__init__(kind, *said)
        self.kind = kind


class WatchedPlan:
    """A session with one view, in the physical form that is asked for."""

    def __init__(self, plan: Plan, relations: Iterable[Relation], form: str = "planned") -> None:
        self.plan = plan
        self.log = MemoryLog()
        self.session = self.log.session(Catalog(relations))
        general = patch("federated.strata.maybe_linear", return_value=None)
        with general if form == "general" else nullcontext():
            self.session.install(VIEW, plan)
        self.rows = self.expected()
        self._check_view()

    def expected(self) -> Counter[Row]:
        return evaluate(self.plan, self.log.readings, self.session.stamp.at)

    @property
    def physical(self) -> Physical:
        return self.session._views[VIEW].physical

    def strata(self) -> list[tuple[Any, Any]]:
        """The recursive nodes of the plan with their operators."""
        nodes = self.session._upkeep._dataflow._nodes
        return [(plan, nodes[plan].operator) for plan in below(self.physical) if isinstance(plan, STRATA)]

    def tick(self, changes: Sequence[Change] = (), gap: int = 1) -> Counter[Row]:
        """Close a tick that reads one entry of changes, and check all that there is to check."""
        return self.tick_of([Entry(gap, changes)])

    def tick_of(self, entries: Iterable[Entry]) -> Counter[Row]:
        for entry in entries:
            self.log.append(entry)
        deltas = self.log.tick(self.session)
        before, self.rows = self.rows, self.expected()
        self._check_view()
        self._check_delta(deltas, before)
        return self.rows

    def _check_view(self) -> None:
        view = self.session._views[VIEW]
        if view.suspended is not None:
            raise Wrong("suspended", view.suspended)
        found = rows_of(self.session, VIEW)
        if found != self.rows:
            raise Wrong("view", "found", found - self.rows, "missed", self.rows - found)

    def _check_delta(self, deltas: Sequence[Any], before: Counter[Row]) -> None:
        changes = [change for delta in deltas for change in delta.changes]
        expected = {row: self.rows[row] - before[row] for row in {*before, *self.rows}}
        expected = {row: count for row, count in expected.items() if count}
        if len(changes) != len(dict(changes)) or dict(changes) != expected:
            raise Wrong("delta", changes, expected)

    def check_witnesses(self, wanted: Callable[[list[Row]], Iterable[Row]] = iter) -> int:
        """See that every wanted row of every stratum follows from the rows that its witness names."""
        checked = 0
        for plan, operator in self.strata():
            standing = [run(each, self.log.readings, self.session.stamp.at) for each in children(plan)]
            for row in wanted(sorted(recursive_rows(plan, standing), key=repr)):
                checked += 1
                named = operator.witness(row)
                given = [[r for number, r in named if number == i] for i in range(len(standing))]
                known = all(set(rows) <= set(bag) for rows, bag in zip(given, standing, strict=True))
                if not known or len(set(named)) < len(named):
                    raise Wrong("witness", plan, row, named)
                if row not in recursive_rows(plan, [once(rows) for rows in given]):
                    raise Wrong("witness", plan, row, named)
        return checked


def recursive_rows(plan: Any, inputs: Sequence[Counter[Row]]) -> set[Row]:
    """The rows of a recursive node over rows of its inputs."""
    by_plan = dict(zip(map(id, children(plan)), inputs, strict=True))
    return set(recursive(plan, lambda child: by_plan[id(child)]))


def below(plan: Physical) -> list[Physical]:
    """A plan and all that is below it, each once."""
    found = {plan: None}
    for child in children(plan):
        found |= dict.fromkeys(below(child))
    return list(found)
