"""Example 14 counted: the messages of each way to join are those that the optimizer expects."""

import pytest

from tests.mesh_building import ROOMS, SEATS, Case, MeshBuilding

WITHIN = 0.2
METHODS = ("natural", "semi", "bloom", "base", "apart")
MOSTLY_CLOSED = Case(free=0.5, open=0.1, between=1, to_base=6)
CASES = (MOSTLY_CLOSED, Case(0.5, 0.9, 1, 6), Case(0.9, 0.5, 2, 3))


def check(case: Case, method: str, epochs: int) -> None:
    building = MeshBuilding(case, method, seed=1)
    for _ in range(epochs):
        building.epoch()
        if method != "apart":
            assert building.answer() == building.expected()
    counted, estimated = building.counted() / epochs, case.estimated(method)
    assert abs(counted - estimated) <= WITHIN * estimated, f"{counted:.1f} counted, {estimated:.1f} expected"


@pytest.mark.parametrize("method", METHODS)
def test_counted_messages_agree_with_the_estimate(method: str) -> None:
    check(MOSTLY_CLOSED, method, 60)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_counted_messages_agree_with_the_estimate_at_length(case: Case, method: str) -> None:
    check(case, method, 600)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_where_devices_speak_at_their_own_times_pairs_flip_with_either_of_them(
    method: str,
) -> None:
    case, epochs = Case(free=0.5, open=0.5, between=1, to_base=6), 80
    building = MeshBuilding(case, method, seed=1)
    for _ in range(epochs * (SEATS + ROOMS)):
        building.moment()
        if method != "apart":
            assert building.answer() == building.expected()
    counted, estimated = building.counted() / epochs, case.estimated(method, at_own_times=True)
    assert abs(counted - estimated) <= WITHIN * estimated, f"{counted:.1f} counted, {estimated:.1f} expected"


@pytest.mark.slow
@pytest.mark.parametrize(("case", "cheapest"), [(MOSTLY_CLOSED, "semi"), (Case(0.9, 0.5, 2, 3), "apart")])
def test_the_way_that_the_estimates_prefer_is_the_one_that_takes_the_fewest_messages(
    case: Case, cheapest: str
) -> None:
    counted = {}
    for method in METHODS:
        building = MeshBuilding(case, method, seed=2)
        for _ in range(300):
            building.epoch()
        counted[method] = building.counted()
    assert min(METHODS, key=case.estimated) == cheapest
    assert min(METHODS, key=counted.__getitem__) == cheapest
