"""What twenty people ask of the demo building at once, each a text of another kind; `{n}` makes variants."""

KINDS = (
    "SELECT s.desk FROM seats s WHERE s.pressed AND length(s.desk) > {n}",
    "SELECT l.room, l.lux * {n} AS scaled FROM lights l",
    "SELECT s.desk, d.room FROM seats s, desks d WHERE s.desk = d.desk AND s.pressed AND d.x > {n}.0",
    "SELECT d.room, count(*) AS taken FROM seats s, desks d WHERE s.desk = d.desk AND s.pressed "
    "GROUP BY d.room HAVING count(*) >= {n}",
    "SELECT t.room, avg(t.celsius) AS mean FROM temperatures [RANGE {n} MINUTES] t GROUP BY t.room",
    "SELECT e.machine, max(e.watts) AS most FROM energy [RANGE {n} MINUTES] e GROUP BY e.machine",
    "SELECT t.room, t.celsius FROM room_temperature t ORDER BY t.celsius DESC LIMIT {n}0",
    "SELECT r.room, l.lux FROM rooms r LEFT JOIN room_light l ON l.room = r.room AND l.lux > {n}0.0",
    "SELECT r.room FROM rooms r WHERE r.floor <> 9{n} "
    "AND NOT EXISTS (SELECT 1 FROM dark_rooms d WHERE d.room = r.room)",
    "SELECT t.room, t.celsius AS value FROM temperatures t WHERE t.celsius > {n}.0 "
    "UNION ALL SELECT l.room, l.lux AS value FROM lights l WHERE l.lux > {n}.0",
    "SELECT DISTINCT m.room FROM busy_machines b, machines m WHERE b.machine = m.machine AND b.cpu > 0.{n}",
    "SELECT r.room FROM rooms r WHERE r.floor <> 9{n} EXCEPT SELECT d.room FROM dark_rooms d",
    "WITH RECURSIVE steps(a, b) AS ("
    " SELECT w.a, w.b FROM routing_segments w WHERE NOT EXISTS ("
    " SELECT 1 FROM doors_now n, doors d WHERE d.segment = w.segment AND n.door = d.door AND NOT n.open)"
    "), reached(point) AS ("
    " SELECT p.point FROM walking_points p WHERE p.kind = 'entrance'"
    " UNION SELECT s.b FROM reached r, steps s WHERE s.a = r.point"
    " UNION SELECT s.a FROM reached r, steps s WHERE s.b = r.point"
    ") SELECT p.floor, count(*) AS points FROM reached r, walking_points p "
    "WHERE p.point = r.point AND p.x > {n}.0 GROUP BY p.floor",
    "DATALOG $$\n"
    ".decl steps(segment: symbol, a: symbol, b: symbol, metres: float, seconds: float, way: symbol)\n"
    '.input steps(name="routing_segments")\n'
    ".decl near(from: symbol, to: symbol)\n"
    'near(a, b) :- steps(_, a, b, m, _, "corridor"), m < 2.{n}.\n'
    "near(a, c) :- near(a, b), near(b, c).\n"
    "?- near(from, to).\n$$",
    "SELECT a.room AS warm, b.room AS cold FROM room_temperature a, room_temperature b, rooms r, rooms s "
    "WHERE r.room = a.room AND s.room = b.room AND r.floor = s.floor AND a.celsius - b.celsius > {n}.0",
    "SELECT floor(t.celsius / {n}.0) AS about, count(*) AS rooms FROM room_temperature t "
    "GROUP BY floor(t.celsius / {n}.0)",
    "SELECT p.floor, count(*) AS people FROM people p GROUP BY p.floor HAVING count(*) > {n}",
    "SELECT s.detector, count(DISTINCT s.person) AS people FROM sightings [RANGE {n}0 SECONDS] s "
    "GROUP BY s.detector",
    "SELECT t.task, sum(t.cpu) AS cpu FROM task_load t GROUP BY t.task HAVING sum(t.cpu) > 0.{n}",
    "SELECT m.room, count(*) AS machines, sum(p.watts) AS watts FROM machines m, machine_power p "
    "WHERE p.machine = m.machine AND p.watts > {n}.0 GROUP BY m.room",
)


def texts(count: int) -> list[str]:
    """Return so many texts, no two alike: of each kind as many as of any other."""
    return [KINDS[i % len(KINDS)].replace("{n}", str(1 + i // len(KINDS))) for i in range(count)]
