"""A plan in a session, held against the oracle at every tick.

view  =  oracle        delta  =  oracle now − oracle before        witness  ⊢  row
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple
from unittest.mock import patch

from engine.model.catalog import Catalog
from engine.model.relation import Relation
from engine.model.values import Row
from engine.partitions.in_place import InPlace
from engine.partitions.operator import Carry
from engine.plan.logical import Plan
from engine.plan.nearest import NearestPaths
from engine.plan.physical import BestPaths, Closure, Physical, Recursive, children
from engine.session import Session
from engine.views.checkpoint import from_bytes, to_bytes
from engine.views.view import Delta
from federated.optimizer import FederatedOptimizer
from federated.placing.outgrown import Outgrown
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.oracle import evaluate, recursive, run
from tests.oracle_bags import once
from tests.oracle_stages import standing_on

FORMS = ("planned", "general")
PARTITIONED = "partitioned"
VIEW = "watched"
STRATA = (Closure, BestPaths, NearestPaths, Recursive)


class Wrong(AssertionError):
    """The engine and the oracle disagree; ``kind`` says in what."""

    def __init__(self, kind: str, *said: object) -> None:
        super().__init__(kind, *said)
        self.kind = kind


class Watch(NamedTuple):
    """One view of the plan."""

    form: str
    session: Session
    name: str

    @property
    def physical(self) -> Physical:
        return self.session._views[self.name].physical

    def strata(self) -> list[tuple[Any, Any]]:
        """The recursive nodes below the view, with their operators."""
        nodes = self.session._upkeep._dataflow._nodes
        return [(plan, nodes[plan].operator) for plan in below(self.physical) if isinstance(plan, STRATA)]


class WatchedPlan:
    """One plan in every physical form that can run it, each in a session of its own, over one log.

    The form ``PARTITIONED`` has all that holds anything cut into shares, which ``carry`` says where they are.
    """

    def __init__(
        self,
        plan: Plan,
        relations: Iterable[Relation],
        forms: Sequence[str] = FORMS,
        carry: Carry = InPlace,
    ) -> None:
        self.plan, self.carry = plan, carry
        self.relations = tuple(relations)
        self.log = MemoryLog()
        self.at = 0
        self.watches: list[Watch] = []
        self.rows = evaluate(plan, (), 0)
        for form in forms:
            self._watch(form, self._session(form), VIEW)
        if len({watch.physical for watch in self.watches}) == 1:
            del self.watches[1:]

    def _session(self, form: str) -> Session:
        outgrown = Outgrown(1, -1) if form == PARTITIONED else Outgrown()
        optimizer = FederatedOptimizer(outgrown=outgrown)
        return self.log.session(Catalog(self.relations), optimizer=optimizer, carry=self.carry)

    def end(self) -> None:
        """Let go of what is held anywhere else."""
        for watch in self.watches:
            for node in watch.session._upkeep.nodes():
                node.end()

    def _watch(self, form: str, session: Session, name: str) -> None:
        general = patch("federated.recursion.strata.maybe_linear", return_value=None)
        with general if form == "general" else nullcontext():
            session.install(name, self.plan)
        if form == PARTITIONED:
            while session._upkeep.maybe_move():
                pass
        self.watches.append(Watch(form, session, name))
        self._check_view(self.watches[-1])

    def watch_late(self, form: str) -> None:
        """Begin a view on what is there already, in the first session."""
        self._watch(form, self.watches[0].session, f"{form}_{len(self.watches)}")

    def restart(self) -> None:
        """Begin each session anew from its snapshot; views that came late are let go."""
        stopped = [watch for watch in self.watches if watch.name == VIEW]
        images = [to_bytes(watch.session.image()) for watch in stopped]
        self.end()
        self.watches = []
        complaints: list[str] = []
        for watch, image in zip(stopped, images, strict=True):
            session = self._session(watch.form)
            session.restore(from_bytes(image), complaints.append)
            self._watch(watch.form, session, VIEW)
            session.restored(complaints.append)
        assert not complaints

    def tick(self, *changes: Change, gap: int = 1) -> Counter[Row]:
        """Close a tick that reads one entry of changes, and check all that there is to check."""
        return self.tick_of([Entry(gap, changes)])

    def tick_of(self, entries: Iterable[Entry]) -> Counter[Row]:
        for entry in entries:
            self.log.append(entry)
        before, self.at = self.rows, self.log.stamps[-1]
        self.rows = evaluate(self.plan, self.log.readings, self.at)
        sessions = dict.fromkeys(watch.session for watch in self.watches)
        deltas = {session: self.log.tick(session) for session in sessions}
        for watch in self.watches:
            self._check_view(watch)
            self._check_delta(watch, [d for d in deltas[watch.session] if d.view == watch.name], before)
        return self.rows

    def _check_view(self, watch: Watch) -> None:
        view = watch.session._views[watch.name]
        if view.suspended is not None:
            raise Wrong("suspended", watch.form, view.suspended)
        found = rows_of(watch.session, watch.name)
        if found != self.rows:
            raise Wrong("view", watch.form, "more", found - self.rows, "missed", self.rows - found)

    def _check_delta(self, watch: Watch, deltas: Sequence[Delta], before: Counter[Row]) -> None:
        changes = [change for delta in deltas for change in delta.changes]
        expected = {row: self.rows[row] - before[row] for row in {*before, *self.rows}}
        expected = {row: count for row, count in expected.items() if count}
        if len(changes) != len(expected) or dict(changes) != expected:
            raise Wrong("delta", watch.form, "found", changes, "expected", expected)

    def check_witnesses(self, wanted: Callable[[list[Row]], Iterable[Row]] = iter) -> int:
        """See that every wanted row of every stratum follows from the rows that its witness names."""
        checked = 0
        for watch in self.watches:
            for plan, operator in watch.strata():
                standing = [run(each, self.log.readings, self.at) for each in children(plan)]
                for row in wanted(sorted(recursive_rows(plan, standing), key=repr)):
                    checked += 1
                    named = operator.witness(row)
                    if not is_sufficient(plan, row, named, standing):
                        raise Wrong("witness", watch.form, plan, row, named)
        return checked


def is_sufficient(
    plan: Any, row: Row, named: Sequence[tuple[int, Row]], standing: Sequence[Counter[Row]]
) -> bool:
    """Whether a witness names standing rows, each once, from which the row follows."""
    given = [[found for number, found in named if number == i] for i in range(len(standing))]
    stand = all(set(rows) <= set(bag) for rows, bag in zip(given, standing, strict=True))
    if not stand or len(set(named)) < len(named):
        return False
    if isinstance(plan, Recursive) and plan.program.is_staged:
        return row in staged_rows(plan, given, standing)
    return row in recursive_rows(plan, list(map(once, given)))


def staged_rows(plan: Recursive, given: Sequence[list[Row]], standing: Sequence[Counter[Row]]) -> set[Row]:
    """The rows that follow from some rows, what is negated being what stands in truth."""
    several = len(plan.program.definitions) > 1
    defined: list[set[Row]] = [set() for _ in plan.program.definitions]
    for row in recursive_rows(plan, standing):
        defined[row[0] if several else 0].add(row[1:] if several else row)  # type: ignore[index]
    found = standing_on(plan.program, given, [*standing, *map(once, defined)])
    first = len(given)
    return {(number - first, *row) if several else row for number, row in found if number >= first}


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
