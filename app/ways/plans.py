"""A wish as a plan, and the views of ways that are there for everybody.

    ways_…(point, next, target, length, seconds)      from every routing point to the nearest that fits a wish
    named_things(kind, id, name, room, point)         what one may be led to by name
    askable(kind, value)                              what one may ask of it
    landmarks(point, floor, kind, room, name)         what one passes
    walking_ways(a, b, way, metres, seconds, segment, door, name)
    holds_now(hold, kiosk, target, state, until, kind)
    held_ways(hold, point, next, target, length, seconds)   the way of who was promised a target
    lost_holds(hold, …)                               of whom it was taken, or has become out of reach

What is held is there for its holder only.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial

import structlog

from app.wayfinding import binder
from app.ways.facts import (
    EQUIPMENT,
    HELD_DESKS,
    HELD_MACHINES,
    HELD_ROOMS,
    LATEST,
    SOFTWARE,
    STANDING,
    Facts,
    centimetres,
    seconds,
)
from app.ways.wish import DESK, MACHINE, ROOM, TO, Wish
from engine.lang.streamsql import Statement
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.values import Type
from engine.plan.expressions import Field, Literal
from engine.plan.logical import AntiJoin, Plan, Union
from engine.queries.clauses import ANY, AnyTerm, Atom, Term, atom, clause, taken, term, text
from engine.queries.wayfinding import nearest, trails
from engine.session import Session

NAMED = "SELECT t.kind, t.id, t.name, t.room, t.point FROM things t"
LANDMARKS = """
SELECT p.point, p.floor, p.kind, p.room, r.name FROM routing_points p LEFT JOIN rooms r ON r.room = p.room"""
WALKING = """
SELECT s.a, s.b, s.way, s.metres, s.seconds, s.segment, d.door, d.name
FROM routing_segments s LEFT JOIN doors d ON d.segment = s.segment"""
WALKING_DOORLESS = """
SELECT s.a, s.b, s.way, s.metres, s.seconds, s.segment, CAST(NULL AS text) AS door, CAST(NULL AS text) AS name
FROM routing_segments s"""
HOLD_WORDS = f"SELECT * FROM ({LATEST}) h"
HOLDS_NOW = f"SELECT h.hold, h.kiosk, h.target, h.state, h.until, h.kind FROM ({LATEST}) h"
ASKABLE_SOFTWARE = f"SELECT DISTINCT 'software' AS kind, s.package AS value FROM ({SOFTWARE}) s"
ASKABLE_EQUIPMENT = f"SELECT DISTINCT 'equipment' AS kind, e.item AS value FROM ({EQUIPMENT}) e"
STANDING_HOLDS = f"SELECT h.hold, h.point, h.kind, h.target FROM ({STANDING}) h"
STANDING_WORDS = f"""
SELECT h.hold, h.point, h.turn, h.kiosk, h.wish, h.step_free, h.kind, h.target, h.seconds, h.said
FROM ({STANDING}) h"""
HELD_DEVICES = f"SELECT h.target FROM ({STANDING}) h WHERE h.kind = 'device'"
SAT_AT_DESKS = """
SELECT 'desk' AS kind, s.desk AS target FROM seats [PARTITION BY desk ROWS 1] s WHERE s.pressed"""
SAT_AT = f"""{SAT_AT_DESKS}
UNION ALL
SELECT 'machine' AS kind, m.machine AS target
FROM seats [PARTITION BY desk ROWS 1] s, machines m WHERE s.pressed AND m.desk = s.desk"""

Head = dict[str, AnyTerm]
logger = structlog.get_logger()
AVAILABLE: dict[str, Callable[[Facts], Plan]] = {
    MACHINE: Facts.machines,
    DESK: Facts.desks,
    ROOM: Facts.rooms,
}
HELD = {
    MACHINE: ("machine", HELD_MACHINES),
    DESK: ("desk", HELD_DESKS),
    ROOM: ("room", HELD_ROOMS),
}


def kinds(facts: Facts) -> tuple[str, ...]:
    """Return the kinds of wishes for which the building has what they need."""
    return tuple(kind for kind in (*AVAILABLE, TO) if _stands(facts, Wish(kind, to="", thing="")))


def _stands(facts: Facts, wish: Wish) -> bool:
    try:
        way_to(facts, wish)
    except QueryError:
        return False
    return True


def way_to(facts: Facts, wish: Wish) -> Plan:
    """Return (point, next, target, length, seconds) of a wish."""
    found = nearest(facts.ways(step_free=wish.step_free), targets(facts, wish))
    head: Head = {
        "point": "p",
        "next": "q",
        "target": "t",
        "length": centimetres("w"),
        "seconds": seconds("w"),
    }
    return clause(head, atom(found, "p", "q", "t", "w"))


def targets(facts: Facts, wish: Wish) -> Plan:
    """Return (point, target, length) of what fits a wish; what somebody holds does not."""
    if wish.kind == TO:
        head = {"point": "p", "target": "t", "length": "w"}
        named = [term("=", "k", text(wish.thing or "")), term("=", "t", text(wish.to or ""))]
        return clause(head, atom(facts.things(), "k", "t", ANY, ANY, "p", "w"), where=named)
    return _having(facts, wish, unheld(facts, wish.kind))


def unheld(facts: Facts, kind: str) -> Plan:
    """Return what of a kind is available to anybody."""
    column, held = HELD[kind]
    return facts.less(AVAILABLE[kind](facts), column, *held)


def _having(facts: Facts, wish: Wish, found: Plan) -> Plan:
    """Keep of what is available what has the software and the equipment of a wish."""
    names = [column.name for column in found.columns]
    target = atom(found, *(name if name in (wish.kind, "room", "point", "walk") else ANY for name in names))
    also: list[Atom] = []
    where: list[Term] = []
    for plan, key, value in ((SOFTWARE, "machine", wish.software), (EQUIPMENT, "room", wish.equipment)):
        if value is not None:
            also.append(atom(facts.bind(plan), key, f"of {key}"))
            where.append(term("=", f"of {key}", text(value)))
    return clause({"point": "point", "target": wish.kind, "length": "walk"}, target, *also, where=where)


def available(facts: Facts) -> Plan:
    """Return (kind, target, point, walk) of all that a visitor may use, held or not."""
    return _of_any_kind(facts, {kind: partial(plan, facts) for kind, plan in AVAILABLE.items()})


def free_targets(facts: Facts) -> Plan:
    """Return (kind, target) of what of it is held for nobody."""
    free = _of_any_kind(facts, {kind: partial(unheld, facts, kind) for kind in AVAILABLE})
    return taken(facts.less(free, "target", HELD_DEVICES), "kind", "target")


def _of_any_kind(facts: Facts, plans: Mapping[str, Callable[[], Plan]]) -> Plan:
    things = atom(facts.things(), "k", "t", ANY, ANY, "p", "w")
    found = [clause(_usable("k"), things, where=[term("=", "k", text("device"))])]
    for kind, plan in plans.items():
        with suppress(QueryError):
            rows = taken(plan(), HELD[kind][0], "point", "walk")
            found.append(clause(_usable(text(kind)), atom(rows, "t", "p", "w")))
    return Union(tuple(found))


def _usable(kind: str | Literal) -> Head:
    return {"kind": kind, "target": "t", "point": "p", "walk": "w"}


def held_ways(facts: Facts) -> Plan:
    """Return (hold, point, next, target, length, seconds) along the way of every hold that stands."""
    goals = available(facts)
    trail = Union(tuple(_held_ways(facts, goals, step_free=each) for each in (False, True)))
    targets_of = taken(facts.bind(STANDING_HOLDS), "hold", "target")
    head: Head = {"hold": "h", "point": "p", "next": "q", "target": "t"}
    head |= {"length": centimetres("w"), "seconds": seconds("w")}
    return clause(head, atom(trail, "h", "p", "q", "w"), atom(targets_of, "h", "t"))


def _held_ways(facts: Facts, goals: Plan, *, step_free: bool) -> Plan:
    walk_so = "h.step_free" if step_free else "NOT h.step_free"
    mine = atom(facts.bind(f"{STANDING_HOLDS} WHERE {walk_so}"), "h", "s", "k", "t")
    ends = clause({"key": "h", "point": "p", "length": "w"}, mine, atom(goals, "k", "t", "p", "w"))
    return trails(facts.ways(step_free=step_free), ends, clause({"key": "h", "point": "s"}, mine))


def lost_holds(facts: Facts) -> Plan:
    """Return the holds whose target cannot be walked to or used; ``seated`` where somebody sits there."""
    standing = facts.bind(STANDING_WORDS)
    hold, point = (Field(i, column.type, column.name) for i, column in enumerate(standing.columns[:2]))
    arriving = taken(held_ways(facts), "hold", "point")
    lost = AntiJoin(standing, arriving, (hold, point), (hold, point))
    names = [column.name for column in standing.columns]
    seats = facts.known(SAT_AT) or facts.known(SAT_AT_DESKS)
    if not seats:
        return _said(atom(lost, *names), names, is_seated=False)
    kind, target = (Field(names.index(name), Type.TEXT, name) for name in ("kind", "target"))
    others = AntiJoin(
        lost, seats[0], (kind, target), (Field(0, Type.TEXT, "kind"), Field(1, Type.TEXT, "target"))
    )
    seated = _said(atom(lost, *names), names, atom(seats[0], "kind", "target"), is_seated=True)
    return Union((seated, _said(atom(others, *names), names, is_seated=False)))


def _said(lost: Atom, names: list[str], *also: Atom, is_seated: bool) -> Plan:
    return clause({**{name: name for name in names}, "seated": Literal(is_seated, Type.BOOLEAN)}, lost, *also)


def askable(facts: Facts) -> Plan:
    """Return (kind, value) of the software and the equipment that there are."""
    found = facts.known(ASKABLE_SOFTWARE, ASKABLE_EQUIPMENT)
    return Union(found) if found else facts.bind(ASKABLE_SOFTWARE)


def named_things(facts: Facts) -> Plan:
    return taken(facts.things(), "kind", "id", "name", "room", "point")


def walking_ways(facts: Facts) -> Plan:
    return (*facts.known(WALKING), facts.bind(WALKING_DOORLESS))[0]


VIEWS: dict[str, Callable[[Facts], Plan]] = {
    "named_things": named_things,
    "askable": askable,
    "landmarks": lambda facts: facts.bind(LANDMARKS),
    "walking_ways": walking_ways,
    "hold_words": lambda facts: facts.bind(HOLD_WORDS),
    "free_targets": free_targets,
    "holds_now": lambda facts: facts.bind(HOLDS_NOW),
    "held_ways": held_ways,
    "lost_holds": lost_holds,
}


def install_way_views(session: Session, catalog: Catalog, script: Iterable[Statement]) -> None:
    """Register the views for which the building has what they read; say of the others what is missing."""
    facts = Facts(binder(catalog, script))
    for name, plan in VIEWS.items():
        try:
            session.install(name, plan(facts))
        except QueryError as error:
            logger.info("a view of ways is left out", view=name, reason=error.message)
