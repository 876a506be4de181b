"""What gateways and databases compute beside their data, and what is left to the stream site."""

import pytest

from engine.model.errors import PlanError
from engine.model.values import Type
from engine.plan.leaves import Shipped, Table
from engine.plan.physical import SHIPPABLE, Physical, fragments_in, leaves
from engine.plan.wire import from_wire, to_wire
from tests.three_sites import optimized


def shown(plan: Physical) -> list[str]:
    """The fragments of a plan, each by site and the relations in it."""
    return sorted(
        f"{each.site}: {', '.join(leaf.relation.name for leaf in leaves(each.plan))}"
        for each in fragments_in(plan)
    )


def test_what_the_stream_site_has_is_not_sent_for():
    assert fragments_in(optimized("SELECT m.machine FROM loads m WHERE m.cpu > 0.5")) == ()


def test_a_selection_and_a_projection_go_to_the_gateways():
    plan = optimized("SELECT desk FROM seats WHERE weight < 2.0 AND room = 'r1'")
    assert isinstance(plan, Shipped)
    assert [column.type for column in plan.columns] == [Type.TEXT]
    assert "weight" not in str(to_wire(plan.plan.columns))


def test_what_is_sent_is_made_of_what_travels():
    for sql in (
        "SELECT desk FROM seats WHERE weight < 2.0",
        "SELECT p.person FROM machines m, people p WHERE m.owner = p.person",
    ):
        (fragment,) = fragments_in(optimized(sql))
        assert from_wire(to_wire(fragment.plan), SHIPPABLE) == fragment.plan


def test_tables_of_one_database_are_joined_there_and_those_of_two_here():
    pair = "FROM machines m, people p, seats s WHERE m.owner = p.person AND s.desk = m.machine"
    sql = f"SELECT m.machine, p.phone {pair}"
    assert shown(optimized(sql)) == ["database:hall: machines, people", "sensor: seats"]
    other = "SELECT m.machine FROM machines m, licences l WHERE m.machine = l.machine"
    assert shown(optimized(other)) == ["database:hall: machines", "database:shop: licences"]


def test_no_cartesian_product_is_made_at_a_database():
    assert shown(optimized("SELECT m.machine FROM machines m, people p")) == [
        "database:hall: machines",
        "database:hall: people",
    ]


def test_what_a_database_cannot_say_is_asked_here():
    plan = optimized("SELECT m.machine FROM machines m WHERE upper(m.owner) = 'A' AND m.room = 'r1'")
    (fragment,) = fragments_in(plan)
    assert isinstance(fragment.plan.child.child, Table)
    assert not isinstance(plan, Shipped)


def test_equal_parts_of_two_queries_are_one_fragment():
    first = optimized("SELECT s.desk FROM seats s, loads l WHERE s.desk = l.machine AND s.weight < 2.0")
    second = optimized("SELECT x.desk FROM seats x WHERE x.weight < 2.0")
    assert fragments_in(first) == fragments_in(second)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        (
            "SELECT desk FROM seats [ROWS 3]",
            r"no site can run \[ROWS 3\] over seats: .*PARTITION BY desk ROWS 3",
        ),
        (
            "SELECT badge FROM tags [RANGE 5 SECONDS]",
            r"no site can run \[RANGE 5 SECONDS\] over tags: .* at says",
        ),
    ],
)
def test_a_window_that_no_site_can_hold_is_refused(sql, problem):
    with pytest.raises(PlanError, match=problem):
        optimized(sql)
