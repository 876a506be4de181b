"""The nearest free machine and what is cut off, as views: the recursion that no StreamSQL text says.

    free_machines(machine, room, point, off)         nobody on the cushion, processor idle, room open to all
    nearest_machines(point, next, target, length)    from every routing point the way there
    cut_off_rooms(room)                              no way leads there from any entrance

Lengths are centimetres; a machine is ``off`` its routing point by so many. A door that never spoke is
taken for open. A building of one's own gets the views whose relations it has, under the names used here.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress

import structlog

from app.ways.facts import HELD_MACHINES, Facts
from engine.lang.binding import bind_query
from engine.lang.streamsql import CreateView, Query, Statement, parse
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.plan.logical import Plan, Union
from engine.queries.clauses import atom, clause
from engine.queries.wayfinding import nearest, open_ways, reached, without
from engine.session import Session

SEGMENTS = """
SELECT s.segment, s.a, s.b, greatest(1, floor(s.metres * 100.0 + 0.5)) AS length FROM routing_segments s"""
CLOSED = """
SELECT d.segment FROM door_states [PARTITION BY door ROWS 1] s, doors d
WHERE s.door = d.door AND NOT s.open"""
ENTRANCES = "SELECT e.point FROM entrances e"
ROOMS = "SELECT r.room, r.point FROM rooms r"
UNSEATED = """
SELECT m.machine, m.room, d.point,
       floor(100.0 * power(power(d.x - p.x, 2.0) + power(d.y - p.y, 2.0), 0.5)) AS off
FROM seats [PARTITION BY desk ROWS 1] s, desks d, machines m, rooms r, routing_points p
WHERE s.desk = d.desk AND NOT s.pressed AND m.desk = d.desk AND r.room = m.room AND r.open_lab
  AND p.point = d.point"""
BUSY = "SELECT b.machine FROM busy_machines b"
DARK = "SELECT d.room FROM dark_rooms d"
RESERVED = "SELECT r.room FROM reserved_rooms r"

Bind = Callable[[str], Plan]
logger = structlog.get_logger()


def install_wayfinding(session: Session, catalog: Catalog, script: Iterable[Statement]) -> None:
    """Register the views for which the building has what they read; say of the others what is missing.

    ``script`` are the building's own views, so that busy, dark and reserved mean here what they mean there.
    """
    bind = binder(catalog, script)
    for name, plan in VIEWS.items():
        try:
            session.install(name, plan(bind))
        except QueryError as error:
            logger.info("a view of wayfinding is left out", view=name, reason=error.message)


def binder(catalog: Catalog, script: Iterable[Statement]) -> Bind:
    """Return what makes a plan of a SELECT over a building's relations and views."""
    views: dict[str, Plan] = {}
    for statement in script:
        if isinstance(statement, CreateView):
            # One that does not bind, or reads what is installed here, is for the session to judge.
            with suppress(QueryError):
                views[statement.name] = bind_query(statement.select, catalog, views, statement.name)

    def bind(sql: str) -> Plan:
        query = parse(sql)
        assert isinstance(query, Query)
        return bind_query(query.select, catalog, views)

    return bind


def free_machines(bind: Bind) -> Plan:
    """Return the machines that a visitor may sit down at: what the map does not grey and nobody holds."""
    idle = without(bind(UNSEATED), bind(BUSY), "machine")
    lit = without(idle, Union((bind(DARK), bind(RESERVED))), "room")
    return Facts(bind).less(lit, "machine", *HELD_MACHINES)


def nearest_machines(bind: Bind) -> Plan:
    head = {"point": "p", "target": "m", "length": "e"}
    targets = clause(head, atom(free_machines(bind), "m", "_", "p", "e"))
    return nearest(ways(bind), targets)


def cut_off_rooms(bind: Bind) -> Plan:
    lost = without(bind(ROOMS), reached(ways(bind), bind(ENTRANCES)), "point")
    return clause({"room": "r"}, atom(lost, "r", "_"))


def ways(bind: Bind) -> Plan:
    return open_ways(bind(SEGMENTS), bind(CLOSED))


VIEWS: dict[str, Callable[[Bind], Plan]] = {
    "free_machines": free_machines,
    "nearest_machines": nearest_machines,
    "cut_off_rooms": cut_off_rooms,
}
