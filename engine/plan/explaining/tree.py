"""A plan explained: one value for each node, with what is done, where, how much is expected and observed.

join s.desk = d.desk               stream: operators
  table desks by desk              stream: operators
    read desks from table          stream: Spark
  answer of the gateways           stream: operators       fragment:0123456789abcdef
    select NOT seats.pressed       sensor: gateways

A node that is read twice is one value that stands twice. ``id`` is made of what a node says and what is
below it, so that it stays the same from one explanation to the next, and through a change of plan above.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.model.relation import SENSOR_SITE, Column
from engine.plan.explaining.choosing import Choice, Search
from engine.plan.explaining.describing import describe, selected_below, totals_text
from engine.plan.explaining.estimates import Estimate, Keeps, Kept
from engine.plan.explaining.ordering import Joined
from engine.plan.explaining.room import Room
from engine.plan.explaining.turning import Turn
from engine.plan.leaves import AT_BASE, Leaf, Shipped, Totalled
from engine.plan.physical import HashJoin, Partitioned, Physical, children

OPERATORS = "stream: operators"
SHARES = "stream: shares in executors"
SPARK = "stream: Spark"
PlanForm = Literal["text", "json"]


@dataclass(frozen=True)
class Explained:
    """One node; ``number`` is what it is called by where it is read again."""

    id: str
    kind: str
    what: str
    site: str
    inputs: "tuple[Explained, ...]" = ()
    estimate: Estimate | None = None
    kept: Kept | None = None
    fragment: str | None = None
    method: str | None = None
    number: int | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExplainedPlan:
    """A whole plan; where there was something to choose, what was, and how it was sought.

    Of a running one ``missing`` are the sites that its rows are without, ``turns`` its changes of plan, the
    last ones, and ``suspended`` says why it does not run, if it does not. ``room`` says where it is held,
    where it could be in shares.
    """

    root: Explained
    choice: Choice | None = None
    search: Search | None = None
    missing: tuple[str, ...] = ()
    joins: tuple[Joined, ...] = ()
    turns: tuple[Turn, ...] = ()
    suspended: str | None = None
    room: Room | None = None


def explained(
    plan: Physical,
    estimate: Callable[[Physical], Estimate],
    keeps: Keeps | None = None,
    choice: Choice | None = None,
    search: Search | None = None,
    joins: tuple[Joined, ...] = (),
) -> ExplainedPlan:
    """Explain a plan; of a running one also what each node keeps."""
    return ExplainedPlan(Explaining(plan, estimate, keeps).of(plan), choice, search, joins=joins)


class Explaining:
    """One plan's nodes, each once."""

    def __init__(self, plan: Physical, estimate: Callable[[Physical], Estimate], keeps: Keeps | None) -> None:
        self._estimate = estimate
        self._keeps = keeps
        self._numbers = {each: number for number, each in enumerate(read_again(plan), 1)}
        self._known: dict[tuple[Physical, str], Explained] = {}
        self._ids: set[str] = set()

    def of(self, plan: Physical, site: str = OPERATORS) -> Explained:
        """Explain a node of the stream site, in the driver or in shares."""
        if isinstance(plan, Leaf):
            site = SHARES if self._is_spread(plan) else OPERATORS
        found = self._known.get((plan, site))
        if found is None:
            found = self._known[plan, site] = self._node(plan, site)
        return found

    def _kept(self, plan: Physical, site: str) -> Kept | None:
        """Return what a node keeps; of those within shares only all together is known."""
        is_within = site == SHARES and not isinstance(plan, Leaf)
        return None if self._keeps is None or is_within else self._keeps(plan)

    def _is_spread(self, leaf: Leaf) -> bool:
        """Tell whether a leaf that runs has its rows in shares."""
        return self._keeps is not None and self._keeps(leaf).shares is not None

    def _node(self, plan: Physical, site: str) -> Explained:
        if isinstance(plan, Leaf):
            inputs: tuple[Explained, ...] = (self._below(plan),)
        elif isinstance(plan, Partitioned):
            inputs = (self.of(plan.child, SHARES),)
        else:
            inputs = tuple(self.of(each, site) for each in children(plan))
        what = describe(plan)
        return Explained(
            self._id(what, site, inputs),
            type(plan).__name__,
            what,
            site,
            inputs,
            self._estimate(plan),
            self._kept(plan, site),
            plan.name if isinstance(plan, Shipped) else None,
            number=self._numbers.get(plan),
            columns=names_of(plan.columns),
        )

    def _below(self, leaf: Leaf) -> Explained:
        if isinstance(leaf, Shipped):
            return self._sent(leaf.plan, leaf)
        return self._totalled(leaf) if isinstance(leaf, Totalled) else self._read(leaf)

    def _read(self, leaf: Leaf) -> Explained:
        """Explain the arm of the tick's pass that feeds a leaf."""
        source = leaf.relation.fed_by or leaf.relation.kind
        what = f"read {leaf.relation.name} from {source}{selected_below(leaf)}"
        return Explained(
            self._id(what, SPARK, ()), "Read", what, SPARK, columns=names_of(leaf.relation.columns)
        )

    def _totalled(self, leaf: Totalled) -> Explained:
        """Explain the totals that the tick's pass makes of what it reads."""
        what, inputs = totals_text(leaf), (self._read(leaf),)
        columns = names_of(leaf.columns)
        return Explained(self._id(what, SPARK, inputs), "GroupBy", what, SPARK, inputs, columns=columns)

    def _sent(self, plan: Physical, leaf: Shipped) -> Explained:
        """Explain a node that another site runs."""
        site = site_text(leaf.site)
        is_joined = isinstance(plan, HashJoin) and leaf.site == SENSOR_SITE
        what = f"{describe(plan)}{joined_how(leaf.method) if is_joined else ''}"
        inputs = tuple(self._sent(each, leaf) for each in children(plan))
        return Explained(
            self._id(what, f"{site} {leaf.name}", inputs),
            type(plan).__name__,
            what,
            site,
            inputs,
            self._estimate(plan),
            fragment=leaf.name,
            method=leaf.method if is_joined else None,
            columns=names_of(plan.columns),
        )

    def _id(self, what: str, site: str, inputs: tuple[Explained, ...]) -> str:
        """Name a node by what it says; what says the same and is not the same is counted."""
        said = "\n".join((what, site, *(each.id for each in inputs)))
        name = hashlib.blake2b(said.encode(), digest_size=6).hexdigest()
        found, count = name, 1
        while found in self._ids:
            count += 1
            found = f"{name}-{count}"
        self._ids.add(found)
        return found


def names_of(columns: tuple[Column, ...]) -> tuple[str, ...]:
    return tuple(column.name for column in columns)


def site_text(site: str) -> str:
    """Say who runs a fragment: sensor: gateways, database: facts."""
    kind, _, name = site.partition(":")
    return f"{kind}: {name or 'gateways'}"


def joined_how(method: str) -> str:
    return ", at the base station" if method == AT_BASE else f", {method} join in the network"


def read_again(plan: Physical) -> list[Physical]:
    """Return the nodes with inputs that are read more than once, as they come first."""
    found: dict[Physical, int] = {}
    unseen = [plan]
    while unseen:
        node = unseen.pop()
        found[node] = found.get(node, 0) + 1
        if found[node] == 1:
            unseen += reversed(children(node))
    return [node for node, times in found.items() if times > 1 and children(node)]
