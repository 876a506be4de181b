"""Shipping alone: what is sent at once, what waits, and what a death releases."""

import pytest

from engine.operators.ship import EAGER, LAZY, Policy, Ship
from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from tests.restricting_parts import Parts, R, S

pytestmark = pytest.mark.bdd


@pytest.fixture(params=[Why, Absorption], ids=["why", "absorption"])
def parts(request):
    return Parts(request.param())


def test_ship_sends_what_arrives(parts):
    ship = Ship()
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert (ship.retract({1}), ship.flush(), ship.advance(5), list(ship.held())) == ({}, {}, {}, [])


def test_eager_sends_every_derivation_that_is_not_absorbed(parts):
    ship = parts.ship(EAGER)
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert ship.step({R: parts.t(1, 2)}) == {}
    assert ship.step({R: parts.t(2)}) == {R: parts.t(2)}


def test_lazy_sends_the_first_derivation_and_the_next_when_it_dies(parts):
    ship = parts.ship(LAZY)
    assert ship.step({R: parts.t(1)}) == {R: parts.t(1)}
    assert ship.step({R: parts.t(2)}) == {}
    assert ship.step({R: parts.t(3)}) == {}
    assert ship.retract({1}) == {R: parts.either(parts.t(2), parts.t(3))}
    assert ship.retract({2}) == {}
    assert ship.retract({3}) == {}
    assert list(ship.held()) == []
    assert ship.step({R: parts.t(4)}) == {R: parts.t(4)}


def test_a_derivation_that_waits_and_dies_is_not_released(parts):
    ship = parts.ship(LAZY)
    ship.step({R: parts.t(1)})
    ship.step({R: parts.t(2)})
    assert ship.retract({1, 2}) == {}
    assert ship.step({R: parts.t(2)}) == {}


def test_a_number_of_waiting_derivations_goes_together(parts):
    ship = parts.ship(Policy(count=2))
    ship.step({R: parts.t(1), S: parts.t(2)})
    assert ship.step({R: parts.t(3)}) == {}
    assert ship.step({S: parts.t(4)}) == {R: parts.t(3), S: parts.t(4)}
    assert ship.step({S: parts.t(5)}) == {}


def test_a_derivation_waits_no_longer_than_its_time(parts):
    ship = parts.ship(Policy(age=10))
    ship.step({R: parts.t(1)})
    assert ship.advance(100) == {}
    ship.step({R: parts.t(2)})
    assert ship.advance(109) == {}
    assert ship.advance(110) == {R: parts.t(2)}
    assert ship.flush() == {}
