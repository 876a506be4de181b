"""The federated optimizer: rewrite, place in every way, choose, explain.

logical plan ─rules→ logical plan ─ways→ physical plans ─prices, goal→ one, each leaf a fragment at a site
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial

from engine.contracts import Switch
from engine.plan.explaining import Choice, Compared, ExplainedPlan, Joined, Keeps, Search, explained
from engine.plan.goal import FASTEST, Goal
from engine.plan.leaves import Leaf, Shipped, Windowed
from engine.plan.logical import Plan
from engine.plan.physical import Partitioned, Physical, leaves
from federated.choosing.comparing import compare
from federated.choosing.considering import Considered, considered
from federated.choosing.pricing import Pricing
from federated.choosing.reconsidering import Reconsidering
from federated.choosing.replacing import Replacing
from federated.estimating.cost import CostModel
from federated.estimating.selectivity import Selectivities
from federated.estimating.statistics import Statistics
from federated.estimating.told import Told
from federated.joining.orders import orders
from federated.joining.regions import Regions
from federated.placing.alternatives import alternatives, comes_by_itself
from federated.placing.outgrown import Outgrown
from federated.placing.placement import place
from federated.placing.totalled import Totalling, come, worth_it
from federated.rules import rewrite
from federated.sites.network import UNKNOWN, Network


class FederatedOptimizer:
    """Decides by what it observed of what runs, and by what it was told of the sites."""

    totalling = Totalling

    def __init__(
        self, network: Network = UNKNOWN, regions: Regions | None = None, outgrown: Outgrown | None = None
    ) -> None:
        self.network, self.outgrown = network, outgrown or Outgrown()
        self._statistics = Statistics()
        self._regions = regions or Regions()
        self._reconsidering = Reconsidering(self._regions)
        self._replacing = Replacing()
        self._kept = Selectivities()
        self._plans: Callable[[], Iterable[Physical]] = tuple
        self._held: Collection[str] = ()
        self._busy: set[Windowed] = set()
        self.running: frozenset[Shipped] = frozenset()

    def learn(self, network: Network) -> None:
        """Place by another knowledge of the sites from now on."""
        self.network = network

    def observe(self, plan: Physical, rows: int, changed: int = 0, tick: int = 0) -> None:
        self._statistics.observe(plan, rows, changed, tick)
        if isinstance(plan, Windowed) and (busy := self._statistics.known(plan)) is not None:
            (self._busy.add if worth_it(come(busy)) else self._busy.discard)(plan)
        if isinstance(plan, Shipped) and (seen := self._statistics.known(plan)) is not None:
            self._kept.observe(plan, seen.rows)

    def serves(self, plans: Callable[[], Iterable[Physical]]) -> None:
        """Take note of how to learn which plans run."""
        self._plans = self.outgrown.running = plans

    def holds(self, names: Collection[str]) -> None:
        """Take note of the leaves that a snapshot has, until none are told."""
        self._held = names

    def runs(self, leaves: Iterable[Leaf]) -> None:
        """Take note of the fragments that run, which cost nothing more."""
        self.running = frozenset(leaf for leaf in leaves if isinstance(leaf, Shipped))

    def may_spread(self) -> bool:
        """Tell whether anything may be in shares."""
        return bool(self.outgrown.partitions)

    def outgrows(self, rows: int, is_here: bool) -> bool:
        """Tell whether a leaf's rows are too many for the driver."""
        return self.outgrown.rows(rows, is_here)

    def reconsider(
        self, plan: Plan, running: Physical, is_running: Callable[[Physical], bool], goal: Goal = FASTEST
    ) -> Switch | None:
        model = self._model()
        turned = self.outgrown.switch(running, self._seen)
        if turned is not None or isinstance(running, Partitioned):
            return turned
        if not comes_by_itself(plan):
            consider = partial(self.considered, plan, goal, leaves(running))
            elsewhere = self._replacing.of(running, model, self.network, consider)
            if elsewhere is not None:
                return elsewhere
        elif self._busy:
            totalled = self._totalled(plan, running)
            if totalled is not None:
                return totalled
        return self._reconsidering.of(running, model, is_running, lambda: self._anew(plan, goal, running))

    def _totalled(self, plan: Plan, running: Physical) -> Switch | None:
        """Return the plan that takes totals where the one that runs alone takes very many rows."""
        busy = [leaf for leaf in leaves(running) if leaf in self._busy]
        if not busy or not self._totalling(running).gains(running):
            return None
        found, costs = self._placed(rewrite(plan), running), self._model()
        spared = [leaf for leaf in busy if leaf not in leaves(found)]
        if not spared:
            return None
        now, builds = (sum(map(each, spared)) for each in (costs.changes, costs.rows))
        return Switch(found, now, 0.0, builds)

    def _anew(self, plan: Plan, goal: Goal, running: Physical) -> Physical:
        """Place what runs once more, also where it cannot keep within its constraints any more."""
        comes = comes_by_itself(plan)
        found = self._placed(rewrite(plan), running) if comes else self.considered(plan, goal).chosen.plan
        return self.outgrown.of(found, self._seen)

    def optimize(self, plan: Plan, goal: Goal = FASTEST) -> Physical:
        rewritten = rewrite(plan)
        found = self._placed(rewritten) if comes_by_itself(rewritten) else self.considered(plan, goal).plan()
        return self.outgrown.of(found, self._seen)

    def _seen(self, plan: Physical) -> float | None:
        """Return the rows that were seen of a node."""
        known = self._statistics.known(plan)
        return None if known is None else known.rows

    def _placed(self, plan: Plan, running: Physical | None = None) -> Physical:
        """Place what comes by itself, in place of a plan that runs if there is one."""
        totalling = self._totalling(running)
        return place(plan, CostModel(self._statistics, self.network, self._regions, totalling))

    def _totalling(self, running: Physical | None) -> Totalling:
        return self.totalling(self._statistics, self._plans, self._held, running)

    def considered(self, plan: Plan, goal: Goal = FASTEST, own: Iterable[Leaf] = ()) -> Considered:
        """Return what is chosen for a plan and what could have been; what runs for it alone is paid for."""
        model, running = self._model(), self.running.difference(own)
        pricing = Pricing(model, self.network, self._kept, running)
        found = alternatives(rewrite(plan), lambda each, way: place(each, model, way), pricing.price, running)
        return considered(found, goal)

    def searched(self) -> Search:
        """Say what all searches took so far."""
        return self._regions.searched()

    def _model(self) -> CostModel:
        return CostModel(self._statistics, self.network, self._regions)

    def explain(
        self, plan: Physical, keeps: Keeps | None = None, logical: Plan | None = None, goal: Goal = FASTEST
    ) -> ExplainedPlan:
        choice = self._choice(plan, logical, goal)
        joins = () if logical is None else tuple(dict.fromkeys(self._joins(plan)))
        found = explained(plan, self._told().estimate, keeps, choice, self._search(plan), joins)
        return replace(found, room=self.outgrown.room(plan, self._seen, keeps))

    def compared(self, running: Physical, other: Physical) -> Compared:
        return compare(running, other, self._regions, self._told())

    def _told(self) -> Told:
        return Told(self._statistics, self.network, self._regions)

    def _joins(self, plan: Physical) -> Iterator[Joined]:
        """Yield the joins of a plan that could be in another order."""
        model = self._model()
        for region, tree in self._regions.within(plan):
            if len(region.inputs) > 2:
                yield orders(region, tree, model)

    def _search(self, plan: Physical) -> Search | None:
        """Return how the orders of a plan's joins were sought, where they were."""
        joins, model = list(self._regions.within(plan)), self._model()
        worked = [region.work() for region in dict.fromkeys(region for region, _ in joins)]
        considered, computed = (sum(each[i].ands for each in worked) for i in (0, 1))
        if not considered:
            return None
        costs = sum(region.cost(tree, model) for region, tree in joins)
        return Search(considered, max(0, computed - considered), observed=costs)

    def _choice(self, plan: Physical, logical: Plan | None, goal: Goal) -> Choice | None:
        """Return what could have been chosen, where there is something to choose."""
        if logical is None or comes_by_itself(logical):
            return None
        found = self.considered(logical, goal, leaves(plan))
        return found.told(plan) if found.lost else None
