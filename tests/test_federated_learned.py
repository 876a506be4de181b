"""What was learned of a tree that no longer runs fades, and a trial in vain puts the next one off."""

from itertools import pairwise
from random import Random

import pytest

from federated.joining import learned
from federated.joining.learned import HALF_LIFE, Factors
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate
from tests.test_federated_reconsidering import JOIN, STREAMS

SET = 0b11


def test_a_factor_is_believed_less_with_each_half_life():
    factors = Factors()
    factors.see(SET, 16.0, 1)
    assert not factors.fade({SET: HALF_LIFE - 1})
    assert factors.fade({SET: HALF_LIFE})
    assert factors.believed() == {SET: 4.0}
    assert not factors.fade({SET: HALF_LIFE + 1}), "the same half-life"
    assert factors.fade({SET: 100 * HALF_LIFE})
    assert factors.believed()[SET] == pytest.approx(1.0, abs=0.02)
    assert not factors.fade({SET: 200 * HALF_LIFE}), "nothing is left to fade"


def test_a_trial_in_vain_doubles_the_time_to_the_next_until_the_set_ran_for_long():
    factors = Factors()
    factors.see(SET, 16.0, 1)
    factors.fade({SET: HALF_LIFE})
    factors.see(SET, 16.0, 1_000)
    assert factors.believed() == {SET: 16.0}
    assert not factors.fade({SET: HALF_LIFE})
    assert factors.fade({SET: 2 * HALF_LIFE})
    factors.see(SET, 16.0, 10_000)
    factors.see(SET, 16.0, 10_000 + 4 * HALF_LIFE + 1)
    assert factors.fade({SET: HALF_LIFE})


def test_a_bad_tree_is_tried_again_and_ever_more_seldom(monkeypatch):
    """Every pair meets more often than is guessed, so what is not known of looks better than what is."""
    monkeypatch.setattr(learned, "HALF_LIFE", 20)
    random, log = Random(1), MemoryLog()
    session = log.session(STREAMS)
    session.adapting.policy = session.adapting.policy._replace(each=1, horizon=500.0, least=0.0)
    session.create_view(f"CREATE VIEW v AS {JOIN}")
    ends, found = (100, 200, 400, 800), []
    for tick in range(1, ends[-1] + 1):
        for name in ("one", "two", "three"):
            rows = ((random.randrange(4), random.randrange(5)) for _ in range(3))
            log.write(200_000, name, *rows)
        log.tick(session)
        if tick in ends:
            found.append(session.adapting.totals()[0])
            assert rows_of(session, "v") == evaluate(
                session._views["v"].logical, log.readings, log.stamps[-1]
            )
    assert found[-1] >= found[0] + 2, "it was tried again"
    assert all(after - before <= 4 for before, after in pairwise(found)), found
