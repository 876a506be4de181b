"""The BDD back end of this run obeys the laws that absorption provenance stands on.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in Networks.
"""

import importlib
from typing import Any

import pytest

from tests.environment import bdd

pytestmark = pytest.mark.bdd


@pytest.fixture
def manager() -> Any:
    made = importlib.import_module(bdd.back_end()).BDD()
    made.declare("a", "b", "c")
    return made


def test_a_longer_derivation_through_the_same_tuple_is_absorbed(manager: Any) -> None:
    assert manager.add_expr(r"a \/ (a /\ b)") == manager.var("a")


def test_equal_annotations_are_one_node_however_they_were_built(manager: Any) -> None:
    one = manager.add_expr(r"(a /\ b) \/ (a /\ c)")
    assert one == manager.add_expr(r"a /\ (c \/ b)")


def test_deleting_the_only_support_makes_an_annotation_false(manager: Any) -> None:
    both = manager.add_expr(r"(a /\ b) \/ (a /\ c)")
    assert manager.let({"b": False}, both) == manager.add_expr(r"a /\ c")
    assert manager.let({"a": False}, both) == manager.false
