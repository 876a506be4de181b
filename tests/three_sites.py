"""A catalog whose relations are at three sites, and queries over them."""

from engine.lang.streamsql import Query, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.relation import SENSOR_SITE, STREAM_SITE, Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.goal import FASTEST, Goal
from engine.plan.logical import Plan
from engine.plan.physical import Physical
from federated.optimizer import FederatedOptimizer

BIGINT, TEXT, DOUBLE, BOOLEAN, TIMESTAMP = Type.BIGINT, Type.TEXT, Type.DOUBLE, Type.BOOLEAN, Type.TIMESTAMP
LAST = "PARTITION BY {} ROWS 1"


def stream(
    name: str, site: str, window: str | None, event_time: str | None = None, **columns: Type
) -> Relation:
    made = tuple(Column(each, kind) for each, kind in columns.items())
    key = (made[0].name,)
    return Relation(name, RelationKind.STREAM, made, key, window, event_time=event_time, site=site)


def table(name: str, site: str, **columns: Type) -> Relation:
    made = tuple(Column(each, kind) for each, kind in columns.items())
    return Relation(name, RelationKind.TABLE, made, (made[0].name,), site=site)


CATALOG = Catalog(
    [
        stream("seats", SENSOR_SITE, LAST.format("desk"), desk=TEXT, room=TEXT, weight=DOUBLE, n=BIGINT),
        stream("lights", SENSOR_SITE, LAST.format("lamp"), lamp=TEXT, room=TEXT, lux=DOUBLE, open=BOOLEAN),
        stream("tags", SENSOR_SITE, None, "at", badge=TEXT, at=TIMESTAMP),
        stream("loads", STREAM_SITE, LAST.format("machine"), machine=TEXT, room=TEXT, cpu=DOUBLE, n=BIGINT),
        table("software", STREAM_SITE, machine=TEXT, software=TEXT),
        table("machines", "database:hall", machine=TEXT, room=TEXT, owner=TEXT, n=BIGINT),
        table("people", "database:hall", person=TEXT, phone=TEXT, n=BIGINT),
        table("licences", "database:shop", machine=TEXT, software=TEXT, n=BIGINT),
    ]
)


def bound(sql: str) -> Plan:
    statement = parse(sql)
    assert isinstance(statement, Query)
    return SelectBinder(CATALOG, {}).bind(statement.select)


def optimized(sql: str, goal: Goal = FASTEST) -> Physical:
    return FederatedOptimizer().optimize(bound(sql), goal)


EXAMPLE14 = (
    "SELECT m.mid, sr.rid FROM machines m, machine_software ms, seat_sensor ss, room_sensor sr "
    "WHERE ms.software = 'Word' AND ms.mid = m.mid AND ss.mid = m.mid AND ss.weight_level < 20 "
    "AND sr.rid = ss.rid AND sr.status = 'open'"
)
CATALOG14 = Catalog(
    [
        table("machines", STREAM_SITE, mid=TEXT, memory=BIGINT),
        stream("machine_software", STREAM_SITE, "PARTITION BY mid, software ROWS 1", mid=TEXT, software=TEXT),
        stream("seat_sensor", SENSOR_SITE, LAST.format("mid"), mid=TEXT, rid=TEXT, weight_level=BIGINT),
        stream("room_sensor", SENSOR_SITE, LAST.format("rid"), rid=TEXT, status=TEXT),
    ]
)


def bound14(sql: str) -> Plan:
    """A query over the relations of the thesis's example 14."""
    statement = parse(sql)
    assert isinstance(statement, Query)
    return SelectBinder(CATALOG14, {}).bind(statement.select)


def goal_of(sql: str) -> Goal:
    """What a query says that it is to be good at."""
    statement = parse(sql)
    assert isinstance(statement, Query)
    return statement.goal
