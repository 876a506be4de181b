"""What a session is given, and what it tells: the protocols and values at its border."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from engine.model.reading import Reading
from engine.model.relation import Column
from engine.model.values import Row
from engine.plan.explaining import Compared, ExplainedPlan, Keeps, Search
from engine.plan.goal import FASTEST, Goal
from engine.plan.leaves import Leaf
from engine.plan.logical import Plan
from engine.plan.physical import Physical
from engine.views.elsewhere import NOWHERE, Elsewhere
from engine.views.lineage import BaseRow
from engine.views.why.missing import Absent
from engine.views.why.provenance import Provenance


class Switch(NamedTuple):
    """Another plan for what runs: what a tick costs as it is and by the other, and what has to be built.

    All three in rows handled.
    """

    plan: Physical
    now: float
    then: float
    builds: float


class Optimizer(Protocol):
    """Decides how a logical plan is run, and explains what it decided.

    ``observe`` is told of any running node how many rows it holds or puts out, and how many changed since
    it started, as of a tick; ``runs`` is told of all leaves that other sites answer. ``reconsider`` says
    whether what runs would be run otherwise by now.
    ``serves`` says how to learn which plans run, ``holds`` which leaves a snapshot has, by ``leaf_name``.
    ``searched`` tells what seeking plans took so far.
    Given the logical plan too, ``explain`` can say what else a running plan could have been.
    ``may_spread`` says whether anything may be in shares at all, and ``outgrows`` whether so many rows of a
    leaf, which are here or in shares, are too many for the driver.
    ``compared`` says of a running plan and another one in what they differ.
    """

    def optimize(self, plan: Plan, goal: Goal = FASTEST) -> Physical: ...
    def explain(
        self, plan: Physical, keeps: Keeps | None = None, logical: Plan | None = None, goal: Goal = FASTEST
    ) -> ExplainedPlan: ...
    def may_spread(self) -> bool: ...
    def outgrows(self, rows: int, is_here: bool) -> bool: ...
    def compared(self, running: Physical, other: Physical) -> Compared: ...
    def searched(self) -> Search: ...
    def observe(self, plan: Physical, rows: int, changed: int = 0, tick: int = 0) -> None: ...
    def runs(self, leaves: Iterable[Leaf]) -> None: ...
    def serves(self, plans: Callable[[], Iterable[Physical]]) -> None: ...
    def holds(self, names: Collection[str]) -> None: ...
    def reconsider(
        self, plan: Plan, running: Physical, is_running: Callable[[Physical], bool], goal: Goal = FASTEST
    ) -> Switch | None: ...


class History(Protocol):
    """Reads back what a new leaf would hold had it always been there, up to offset ``end``."""

    def __call__(self, leaf: Leaf, end: int, at: int) -> Iterable[Reading]: ...


class Stamp(NamedTuple):
    """The last closed tick: its number, its time, and how far the log was read."""

    tick: int
    at: int
    offset: int


class ViewInfo(NamedTuple):
    """What is told of a view without its rows; ``missing`` are the sites that it is without."""

    name: str
    columns: tuple[Column, ...]
    sql: str
    rows: int
    suspended: str | None = None
    missing: tuple[str, ...] = ()


class Punctuality(NamedTuple):
    """Of a window on a stream that says when its rows happened: how many came too late, and too early."""

    window: str
    late: int
    waiting: int


class Explanation(NamedTuple):
    """Why a row of a view is there, as of one tick.

    ``absent`` are the keys that must not be in what is named, each with why it is not there;
    ``provenance`` says itself whether it was cut short. ``columns`` are those of the view and of every
    base relation, by name; ``elsewhere`` tells of those of other sites.
    """

    view: str
    row: Row
    tick: int
    witness: tuple[BaseRow, ...]
    absent: tuple[Absent, ...]
    provenance: Provenance[BaseRow]
    columns: Mapping[str, tuple[Column, ...]]
    elsewhere: Elsewhere = NOWHERE


def no_history(leaf: Leaf, end: int, at: int) -> Iterable[Reading]:
    """Remember nothing."""
    return ()
