"""What a stable tick costs is measured with the dead-band that is said."""

import pytest

from tests.benchmarks._join_graphs import seg_toll_s
from tests.benchmarks._optimizer_cases import PHYSICAL, Case
from tests.benchmarks._optimizer_ticks import TICKS, measured

CASE = Case("SegTollS", seg_toll_s(), PHYSICAL)


@pytest.mark.parametrize(("band", "least", "most"), [(0.0, 100, 100), (0.2, 1, 40), (3.0, 0, 0)])
def test_of_the_stable_ticks_those_beyond_the_dead_band_are_optimized(band, least, most):
    times, moved = measured(CASE, band)
    assert len(times) == TICKS
    assert least <= moved <= most
