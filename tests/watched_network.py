"""A stratum on the sites of a network, held against the oracle whenever an epoch closes.

What the stratum reads is what the oracle says of it; its changes are told to the network as base rows.
"""

from random import Random

from engine.model.values import Row
from engine.network.network import Network
from engine.operators.ship import Policy
from engine.plan.logical import Fixpoint
from engine.plan.program import to_program
from engine.provenance.absorption import Absorption
from tests.memory_log import MemoryLog
from tests.network_fuzz import POLICIES
from tests.oracle import evaluate
from tests.oracle_bags import once
from tests.oracle_recursion import least_rows
from tests.watched_plan import Wrong

SITES = (1, 2, 3)
OVERLAPS = (0.0, 0.0, 0.6)


class WatchedNetwork:
    """One stratum over some sites, with a way of shipping and an adversary that chance chooses."""

    def __init__(self, plan: Fixpoint, log: MemoryLog, random: Random) -> None:
        self.log, self.random = log, random
        self.program, self.closed = to_program(plan)
        self.policy: Policy | None = random.choice(POLICIES)
        self.overlap = random.choice(OVERLAPS)
        self.network = Network(self.program, Absorption, random.choice(SITES), self.policy)
        self.standing: list[set[Row]] = [set() for _ in self.closed]
        self.told: list[set[Row]] = [set() for _ in self.program.definitions]
        self.ticks = 0

    def tick(self) -> None:
        """Tell what the log's last entries changed; check, unless the next changes come in between."""
        standing = [set(evaluate(plan, self.log.readings, self.log.stamps[-1])) for plan in self.closed]
        for relation, (before, after) in enumerate(zip(self.standing, standing, strict=True)):
            self.network.delete(relation, sorted(before - after, key=repr))
            self.network.insert(relation, sorted(after - before, key=repr))
        self.standing = standing
        self.network.advance(self.ticks)
        self.ticks += 1
        if self.random.random() >= self.overlap:
            self.close()
        elif not self.network.channels.are_empty:
            self.network.channels.deliver_any(self.random)

    def close(self) -> None:
        """Settle, and compare every relation of the stratum and its change."""
        self.network.settle(self.random)
        rows = least_rows(self.program, list(map(once, self.standing)))
        single = len(self.told) == 1
        expected = [
            {row if single else row[1:] for row in rows if single or row[0] == i} for i in self.numbers
        ]
        deltas = self.network.close()
        for number, (before, after) in enumerate(zip(self.told, expected, strict=True)):
            relation = len(self.closed) + number
            if set(self.network.view(relation)) != after:
                raise Wrong("view", "network", self.policy, number, after)
            if deltas[relation] != {row: 1 if row in after else -1 for row in before ^ after}:
                raise Wrong("delta", "network", self.policy, number, deltas[relation], before, after)
        self.told = expected

    @property
    def numbers(self) -> range:
        return range(len(self.told))
