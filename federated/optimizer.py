"""The federated optimizer: rewrite, place, explain.

logical plan ─rules→ logical plan ─place→ physical plan, each leaf a fragment at a site
"""

from collections.abc import Callable

from engine.contracts import Switch
from engine.plan.explaining import ExplainedPlan, Keeps, explained
from engine.plan.goal import FASTEST, Goal
from engine.plan.logical import Plan
from engine.plan.physical import Physical
from federated.cost import CostModel
from federated.placement import place
from federated.rules import rewrite
from federated.statistics import Statistics


class FederatedOptimizer:
    """Decides by what it observed of the leaves."""

    def __init__(self) -> None:
        self._statistics = Statistics()

    def observe(self, plan: Physical, rows: int, changed: int = 0, tick: int = 0) -> None:
        self._statistics.observe(plan, rows, changed, tick)

    def reconsider(
        self, plan: Plan, running: Physical, is_running: Callable[[Physical], bool], goal: Goal = FASTEST
    ) -> Switch | None:
        return None

    def optimize(self, plan: Plan, goal: Goal = FASTEST) -> Physical:
        return place(rewrite(plan), CostModel(self._statistics))

    def explain(
        self, plan: Physical, keeps: Keeps | None = None, logical: Plan | None = None, goal: Goal = FASTEST
    ) -> ExplainedPlan:
        return explained(plan, CostModel(self._statistics).estimate, keeps)
