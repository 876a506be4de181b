"""Plans travel to other sites as JSON and come back equal; nothing but a plan is read."""

import json

import pytest

from engine.lang.streamsql import Query, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.errors import SourceError
from engine.model.relation import SENSOR_SITE, Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.leaves import Shipped
from engine.plan.physical import SHIPPABLE, Physical
from engine.plan.wire import from_wire, to_wire
from federated.optimizer import FederatedOptimizer

SEATS = Relation(
    "seats",
    RelationKind.STREAM,
    (Column("desk", Type.TEXT), Column("pressed", Type.BOOLEAN), Column("weight", Type.DOUBLE)),
    ("desk",),
    "PARTITION BY desk ROWS 1",
)
LIGHTS = Relation(
    "lights", RelationKind.STREAM, (Column("room", Type.TEXT), Column("lux", Type.DOUBLE)), ("room",)
)
QUERIES = (
    "SELECT desk FROM seats WHERE weight > 1.5 AND desk LIKE 'd%'",
    "SELECT pressed, count(*), avg(weight) FROM seats [RANGE 10 SECONDS] GROUP BY pressed",
    "SELECT DISTINCT s.desk, l.lux FROM seats s, lights [ROWS 3] l WHERE s.desk = l.room AND l.lux < 50",
    "SELECT desk FROM seats UNION ALL SELECT room FROM lights [NOW]",
)


def placed(sql: str) -> Physical:
    statement = parse(sql)
    assert isinstance(statement, Query)
    binder = SelectBinder(Catalog([SEATS, LIGHTS]), {})
    return FederatedOptimizer().optimize(binder.bind(statement.select))


@pytest.mark.parametrize("sql", QUERIES)
def test_a_plan_comes_back_equal(sql: str) -> None:
    plan = placed(sql)
    assert from_wire(json.loads(json.dumps(to_wire(plan))), SHIPPABLE) == plan


def test_fragments_that_compute_the_same_have_one_name_whatever_the_query_called_its_parts() -> None:
    first = Shipped(SENSOR_SITE, placed("SELECT desk FROM seats WHERE seats.pressed"))
    second = Shipped(SENSOR_SITE, placed("SELECT s.desk FROM seats s WHERE s.pressed"))
    other = Shipped(SENSOR_SITE, placed("SELECT s.desk FROM seats s WHERE NOT s.pressed"))
    assert (first, first.name) == (second, second.name)
    assert first.name != other.name


def test_what_is_no_plan_is_refused() -> None:
    with pytest.raises(SourceError, match="system"):
        from_wire({"is": "system", "command": "ls"}, SHIPPABLE)
