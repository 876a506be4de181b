"""What a building says of ways and of what stands at their ends, as plans.

A way's length is one whole number that orders ways by time and, of equal times, by length:

    walk  =  hundredths of a second · 10^7  +  centimetres

Sums of it are exact, so are both parts, and the shortest way is one of the least. Seconds are those at a
normal pace. A building of one's own has what its relations tell: no calendar reserves nothing, no cushions
leave every desk free.
"""

from collections.abc import Callable

from engine.model.errors import QueryError
from engine.plan.logical import Plan, Union
from engine.queries.clauses import AnyTerm, Atom, Term, atom, clause, taken, term, whole
from engine.queries.wayfinding import open_ways, without

Bind = Callable[[str], Plan]
FACTOR = 10_000_000
NOT_FOR_VISITORS = (
    "'office', 'lab', 'workshop', 'storage', 'archive', 'server', 'plant', 'mail', 'lockers', 'technical'"
)

SEGMENTS = f"""
SELECT s.segment, s.a, s.b, greatest(1, floor(s.seconds * 100.0 + 0.5)) * {FACTOR}
       + greatest(1, floor(s.metres * 100.0 + 0.5)) AS length
FROM routing_segments s"""
STEP_FREE = f"{SEGMENTS} WHERE s.way NOT IN ('stairs', 'steps', 'escalator', 'ladder')"
SHUT = """
SELECT d.segment FROM door_states [PARTITION BY door ROWS 1] s, doors d
WHERE s.door = d.door AND NOT s.open"""
LOCKED = "SELECT d.segment FROM doors d WHERE d.access NOT IN ('public', 'yes', 'permissive', 'customers')"
OFF = "power(power(d.x - p.x, 2.0) + power(d.y - p.y, 2.0), 0.5)"
DESKS = f"""
SELECT d.desk, d.room, d.point, floor({OFF} / 1.3 * 100.0) * {FACTOR} + floor({OFF} * 100.0) AS walk
FROM desks d, routing_points p WHERE p.point = d.point"""
UNSEATED = "SELECT s.desk FROM seats [PARTITION BY desk ROWS 1] s WHERE NOT s.pressed"
SEATED = "SELECT s.desk FROM seats [PARTITION BY desk ROWS 1] s WHERE s.pressed"
MACHINES = "SELECT m.machine, m.desk FROM machines m"
BUSY = "SELECT b.machine FROM busy_machines b"
DARK = "SELECT d.room FROM dark_rooms d"
RESERVED = "SELECT r.room FROM reserved_rooms r"
LABS = "SELECT r.room FROM rooms r WHERE r.open_lab"
PUBLIC = f"SELECT r.room, r.point FROM rooms r WHERE r.open_lab OR r.kind NOT IN ({NOT_FOR_VISITORS})"
SOFTWARE = "SELECT s.machine, s.package FROM software s"
EQUIPMENT = "SELECT e.room, e.item FROM equipment e"

ROOMS = "SELECT 'room' AS kind, r.room AS id, r.name, r.room, r.point, 0 AS walk FROM rooms r"
DESK_THINGS = f"SELECT 'desk' AS kind, d.desk AS id, d.desk AS name, d.room, d.point, d.walk FROM ({DESKS}) d"
MACHINE_THINGS = f"""
SELECT 'machine' AS kind, m.machine AS id, m.machine AS name, d.room, d.point, d.walk
FROM machines m, ({DESKS}) d WHERE m.desk = d.desk"""
DEVICE_THINGS = """
SELECT 'device' AS kind, d.device AS id, coalesce(d.name, d.device) AS name, d.room, r.point, 0 AS walk
FROM devices d, rooms r WHERE d.room = r.room AND NOT d.disabled"""

LATEST = """
SELECT h.hold, h.turn, h.kiosk, h.point, h.wish, h.step_free, h.kind, h.target, h.seconds, h.state, h.said,
       h.until
FROM holds h, (SELECT l.hold, max(l.turn) AS turn FROM holds l GROUP BY l.hold) n
WHERE n.hold = h.hold AND n.turn = h.turn"""
STANDING = f"SELECT * FROM ({LATEST}) h WHERE h.state IN ('held', 'moved')"
HELD_MACHINES = (
    f"SELECT h.target AS machine FROM ({STANDING}) h WHERE h.kind = 'machine'",
    f"SELECT m.machine FROM ({STANDING}) h, machines m WHERE h.kind = 'desk' AND m.desk = h.target",
)
HELD_DESKS = (
    f"SELECT h.target AS desk FROM ({STANDING}) h WHERE h.kind = 'desk'",
    f"SELECT m.desk FROM ({STANDING}) h, machines m WHERE h.kind = 'machine' AND m.machine = h.target",
)
HELD_ROOMS = (f"SELECT h.target AS room FROM ({STANDING}) h WHERE h.kind = 'room'",)


class Facts:
    """The plans of one building; what asks for a relation that it has not raises a QueryError."""

    def __init__(self, bind: Bind) -> None:
        self.bind = bind

    def known(self, *texts: str) -> tuple[Plan, ...]:
        """Return the plans of those texts for which the building has the relations."""
        return tuple(found for text in texts if (found := self._maybe(text)) is not None)

    def _maybe(self, text: str) -> Plan | None:
        try:
            return self.bind(text)
        except QueryError:
            return None

    def less(self, plan: Plan, column: str, *texts: str) -> Plan:
        """Return the rows whose column has no value that one of the texts selects."""
        unwanted = [taken(each, column) for each in self.known(*texts)]
        if not unwanted:
            return plan
        return without(plan, unwanted[0] if len(unwanted) == 1 else Union(tuple(unwanted)), column)

    def ways(self, *, step_free: bool) -> Plan:
        """Return (a, b, length), both ways: what visitors may walk, lengths as ``walk``."""
        closed = self.known(SHUT, LOCKED)
        segments = self.bind(STEP_FREE if step_free else SEGMENTS)
        shut = Union(closed) if len(closed) > 1 else closed[0] if closed else None
        return open_ways(segments, shut)

    # What is there for a visitor, held or not: id, room, point, walk

    def desks(self) -> Plan:
        """Return the desks that nobody sits at, in lit rooms for visitors that are not reserved."""
        head = {"desk": "d", "room": "r", "point": "p", "walk": "w"}
        return self._lit(clause(head, *self._unseated(), atom(self.bind(PUBLIC), "r", "_")))

    def machines(self) -> Plan:
        """Return the machines that nobody uses, in open labs that are lit and not reserved."""
        head = {"machine": "m", "desk": "d", "room": "r", "point": "p", "walk": "w"}
        machines = atom(self.bind(MACHINES), "m", "d")
        found = clause(head, machines, *self._unseated(), atom(self.bind(LABS), "r"))
        return self._lit(self.less(found, "machine", BUSY))

    def rooms(self) -> Plan:
        """Return the rooms for visitors that are lit and not reserved."""
        head: dict[str, AnyTerm] = {"room": "r", "point": "p", "walk": whole(0)}
        return self._lit(clause(head, atom(self.bind(PUBLIC), "r", "p")))

    def things(self) -> Plan:
        """Return (kind, id, name, room, point, walk) of all that one may be led to by name."""
        return Union((self.bind(ROOMS), *self.known(DESK_THINGS, MACHINE_THINGS, DEVICE_THINGS)))

    def _unseated(self) -> tuple[Atom, ...]:
        desks = atom(self.bind(DESKS), "d", "r", "p", "w")
        return (desks, *(atom(each, "d") for each in self.known(UNSEATED)))

    def _lit(self, plan: Plan) -> Plan:
        return self.less(plan, "room", DARK, RESERVED)


def centimetres(walk: str) -> Term:
    return term("mod", walk, whole(FACTOR))


def seconds(walk: str) -> Term:
    """Return whole seconds, rounded."""
    return term("div", term("+", walk, whole(50 * FACTOR)), whole(100 * FACTOR))
