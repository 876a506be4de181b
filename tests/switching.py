"""An optimizer of changing mind: every plan that it makes is valid, and hardly two are the same."""

from collections.abc import Callable
from random import Random

from engine.contracts import Switch
from engine.plan.goal import FASTEST, Goal
from engine.plan.logical import Plan
from engine.plan.physical import Physical, leaves
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from tests.memory_log import MemoryLog

SIZES = (0, 1, 3, 40, 1_000, 10**6)


class Fickle(FederatedOptimizer):
    """Plans for sizes that it makes up anew each time that it is asked to reconsider."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self._random = random

    def reconsider(
        self, plan: Plan, running: Physical, is_running: Callable[[Physical], bool], goal: Goal = FASTEST
    ) -> Switch | None:
        if self._random.random() < 0.3:
            return None
        other = FederatedOptimizer()
        for leaf in leaves(running):
            other.observe(leaf, self._random.choice(SIZES))
        return Switch(other.optimize(plan, goal), now=1e9, then=0.0, builds=0.0)


def fickle_session(log: MemoryLog, catalog, random: Random, keep_out: int = 0) -> Session:
    """Return a session whose views change their plans nearly each tick."""
    session = Session(catalog, Fickle(random), log.history)
    session.adapting.policy = session.adapting.policy._replace(keep_out=keep_out, each=1)
    return session


class Clock:
    """Computing time that passes by a step with each look."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now
