"""The rows of every node lie within the bounds that are told of them, where the leaves' do."""

from random import Random

import pytest

from engine.plan.leaves import Leaf
from engine.plan.physical import Physical, children, leaves
from federated.estimating.cost import CostModel
from federated.estimating.statistics import Statistics
from federated.optimizer import FederatedOptimizer
from tests.placed import run_placed
from tests.random_federated import history, query
from tests.three_sites import bound


def nodes(plan: Physical) -> list[Physical]:
    return [plan, *(node for child in children(plan) for node in nodes(child))]


@pytest.mark.parametrize("start", range(0, 60, 30))
def test_rows_lie_within_their_bounds(start):
    looked_at = 0
    for seed in range(start, start + 30):
        random = Random(seed)
        plan, log = FederatedOptimizer().optimize(bound(query(random).sql)), history(random)
        now, statistics = log.stamps[-1], Statistics()
        counts = {leaf: run_placed(leaf, log.readings, now).total() for leaf in leaves(plan)}
        if not all(counts.values()):
            continue
        for leaf, count in counts.items():
            statistics.observe(leaf, count)
        model = CostModel(statistics)
        for node in nodes(plan):
            told, rows = model.estimate(node), run_placed(node, log.readings, now).total()
            assert told.least <= rows <= told.most, (seed, node)
            looked_at += not isinstance(node, Leaf)
    assert looked_at > 20
