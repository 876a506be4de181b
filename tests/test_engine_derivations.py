"""What derives a row in one step, asked of the bitset and of the matrix form."""

import random

import pytest

from engine.model.values import Row
from engine.operators.budget import Budget
from engine.operators.operator import ITSELF
from engine.operators.recursion.bitsets.closure import ClosureForm
from engine.operators.recursion.matrices.best_paths import BestPathsForm
from engine.operators.recursion.matrices.costs import CostRule
from engine.operators.recursion.passing import Layout


def graph(chosen: random.Random, nodes: int, count: int) -> set[tuple[int, int]]:
    return {(chosen.randrange(nodes), chosen.randrange(nodes)) for _ in range(count)}


@pytest.mark.parametrize("seed", range(8))
def test_a_closure_derives_by_each_seed_and_each_edge_to_what_holds(seed):
    chosen = random.Random(seed)
    edges, seeds = graph(chosen, 6, 9), {(x, f"r{y}") for x, y in graph(chosen, 6, 4)}
    form = ClosureForm(1, 1, (1, 0), Budget())
    view = set(form.step(dict.fromkeys(edges, 1), dict.fromkeys(seeds, 1)))
    assert set(form.rows()) == view
    for y, x in view:
        by_seed = {((1, (x, y)),)} if (x, y) in seeds else set()
        by_edge = {((0, (x, z)), (ITSELF, (y, z))) for w, z in edges if w == x and (y, z) in view}
        found = list(form.derivations((y, x)))
        assert set(found) == by_seed | by_edge
        assert len(found) == len(by_seed | by_edge)


@pytest.mark.parametrize("is_square", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_a_best_cost_derives_by_each_link_that_is_as_cheap(seed, is_square):
    chosen = random.Random(seed)
    links = {(x, z, chosen.randrange(1, 4)) for x, z in graph(chosen, 6, 10)}
    seeds = links if is_square else {(x, y + 10, chosen.randrange(3)) for x, y in graph(chosen, 6, 4)}
    rule = CostRule("min", "+", integral=True)
    form = BestPathsForm(Layout(1, 1, (0, 1, 2)), rule, is_square, Budget())
    view: set[Row] = set(form.step(dict.fromkeys(links, 1), dict.fromkeys(seeds, 1)))
    assert set(form.rows()) == view
    for x, y, cost in view:
        by_seed = {((1, (x, y, cost)),)} if (x, y, cost) in seeds else set()
        by_link = {
            ((0, (x, z, w)), (ITSELF, (z, y, cost - w)))
            for a, z, w in links
            if a == x and (z, y, cost - w) in view
        }
        assert set(form.derivations((x, y, cost))) == by_seed | by_link
