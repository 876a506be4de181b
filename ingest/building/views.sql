-- The views the map of the Ada Lovelace Building watches. Of those with a history it can show any moment; where
-- people were is kept for a day only.

-- Desks whose seat cushion is pressed.
CREATE VIEW taken_desks WITH (history = '30 days', key = 'desk') AS
SELECT s.desk, d.room
FROM seats [PARTITION BY desk ROWS 1] s, desks d
WHERE s.desk = d.desk AND s.pressed;

-- Desks nobody sits at, counted by room.
CREATE VIEW free_desks WITH (history = '30 days') AS
SELECT d.room, count(*) AS free
FROM seats [PARTITION BY desk ROWS 1] s, desks d
WHERE s.desk = d.desk AND NOT s.pressed
GROUP BY d.room;

-- What each cushion says, pressed or not: its past shows which are stuck.
CREATE VIEW desk_states WITH (history = '30 days', key = 'desk') AS
SELECT s.desk, s.pressed
FROM seats [PARTITION BY desk ROWS 1] s;

-- Whether the lamps of a room are on, by the light that is measured there.
CREATE VIEW lamp_states WITH (history = '30 days') AS
SELECT l.room, l.lux >= 60.0 AS lit
FROM lights [PARTITION BY room ROWS 1] l;

-- Rooms whose lights are off; a lamp gives 300 lux and more, what comes through a blind stays under 60.
CREATE VIEW dark_rooms WITH (history = '30 days') AS
SELECT l.room, l.lux
FROM lights [PARTITION BY room ROWS 1] l
WHERE l.lux < 60.0;

-- How light it is in each room.
CREATE VIEW room_light WITH (history = '30 days') AS
SELECT l.room, l.lux
FROM lights [PARTITION BY room ROWS 1] l;

-- What the timetable has for each room within the next four hours.
CREATE VIEW coming_bookings WITH (history = '30 days', key = 'room') AS
SELECT c.room, c.title, c.starts, c.ends
FROM coming_reservations c;

-- Rooms the timetable has somebody in at this moment.
CREATE VIEW reserved_rooms WITH (history = '30 days', key = 'room') AS
SELECT b.room, b.title, b.ends
FROM reserved b;

-- How each room is used. A room with desks by its cushions, any other by its light, but for those that are lit all
-- day for whoever comes by. Idle: reserved, and nobody there.
CREATE VIEW room_use WITH (history = '30 days', hours = '365 days', key = 'room, floor') AS
SELECT r.room, r.floor, coalesce(c.taken, 0) AS taken,
       coalesce(c.taken > 0, l.lit) AS used,
       b.room IS NOT NULL AS reserved,
       b.room IS NOT NULL AND NOT coalesce(c.taken > 0, l.lit) AS idle
FROM rooms r
     LEFT JOIN (SELECT d.room, sum(CASE WHEN s.pressed THEN 1 ELSE 0 END) AS taken
                FROM desk_states s, desks d WHERE d.desk = s.desk GROUP BY d.room) c ON c.room = r.room
     LEFT JOIN lamp_states l ON l.room = r.room
     LEFT JOIN (SELECT DISTINCT v.room FROM reserved_rooms v) b ON b.room = r.room
WHERE c.room IS NOT NULL
   OR l.room IS NOT NULL AND r.kind NOT IN ('foyer', 'cafe', 'exhibition', 'reception', 'lounge');

-- The same by floor: how many of its rooms.
CREATE VIEW floor_use WITH (history = '30 days', hours = '365 days', key = 'floor') AS
SELECT u.floor, sum(u.taken) AS taken,
       sum(CASE WHEN u.used THEN 1 ELSE 0 END) AS used,
       sum(CASE WHEN u.reserved THEN 1 ELSE 0 END) AS reserved,
       sum(CASE WHEN u.idle THEN 1 ELSE 0 END) AS idle
FROM room_use u
GROUP BY u.floor;

CREATE VIEW building_use WITH (history = '30 days', hours = '365 days', key = 'place') AS
SELECT 'building' AS place, sum(f.taken) AS taken, sum(f.used) AS used, sum(f.reserved) AS reserved, sum(f.idle) AS idle
FROM floor_use f;

-- What the processor of each machine does, and which tasks its daemon says share it.
CREATE VIEW machine_load WITH (history = '30 days', key = 'machine') AS
SELECT m.machine, m.cpu
FROM machine_states [PARTITION BY machine ROWS 1] m;

CREATE VIEW task_load WITH (history = '30 days', key = 'machine, task') AS
SELECT t.machine, t.task, sum(t.cpu) AS cpu
FROM machine_tasks [PARTITION BY machine, rank ROWS 1] t
WHERE t.cpu > 0.0
GROUP BY t.machine, t.task;

-- Machines in use by their load, whether or not somebody sits before them.
CREATE VIEW busy_machines WITH (history = '30 days', key = 'machine') AS
SELECT m.machine, m.cpu, m.task
FROM machine_states [PARTITION BY machine ROWS 1] m
WHERE m.cpu >= 0.6;

-- The detector that each badge is near, which noise does not make flap.
CREATE VIEW whereabouts AS
SELECT s.person, steady(s.detector, s.rssi, s.at) AS detector
FROM sightings [RANGE 1 MINUTE] s
GROUP BY s.person;

-- Where people are: the mean of the detectors that heard a badge, each weighted by 10^(rssi/20), that is by
-- 1/distance; between two detectors of a corridor this is exactly the position. The floor is that of the
-- detector that the badge is near, so a person is on one floor at a time.
CREATE VIEW people WITH (history = '1 day', key = 'person') AS
SELECT s.person, d.floor,
       sum(d.x * power(10.0, s.rssi / 20.0)) / sum(power(10.0, s.rssi / 20.0)) AS x,
       sum(d.y * power(10.0, s.rssi / 20.0)) / sum(power(10.0, s.rssi / 20.0)) AS y
FROM sightings [RANGE 3 SECONDS] s, detectors d, whereabouts w, detectors near
WHERE s.detector = d.detector AND w.person = s.person AND near.detector = w.detector AND near.floor = d.floor
GROUP BY s.person, d.floor;

CREATE VIEW room_temperature WITH (history = '30 days') AS
SELECT t.room, t.celsius
FROM temperatures [PARTITION BY room ROWS 1] t;

-- Rooms that are heated out of the window. The gateways answer: neither radiators nor contacts speak to us.
CREATE VIEW heated_open_rooms AS
SELECT w.room, r.valve
FROM window_contacts [PARTITION BY room ROWS 1] w, radiators [PARTITION BY room ROWS 1] r
WHERE w.room = r.room AND w.open AND r.valve > 20.0;

-- What each machine draws: by the power unit on whose outlet it hangs, or by the meter in its own plug.
CREATE VIEW machine_power WITH (history = '30 days', key = 'machine') AS
SELECT o.machine, p.watts
FROM outlet_power [PARTITION BY unit, outlet ROWS 1] p, outlets o
WHERE p.unit = o.unit AND p.outlet = o.outlet
UNION ALL
SELECT e.machine, e.watts
FROM energy [PARTITION BY machine ROWS 1] e;

-- What the machines of a room draw together.
CREATE VIEW room_power WITH (history = '30 days') AS
SELECT m.room, sum(p.watts) AS watts
FROM machine_power p, machines m
WHERE p.machine = m.machine
GROUP BY m.room;

-- What each machine consumed within the last hour, whatever its counter did meanwhile: a reading every ten
-- seconds says that, and an hour of them is little to hold and to walk through.
CREATE VIEW machine_energy AS
SELECT o.machine, round(consumed(p.kwh, p.at), 4) AS kwh
FROM outlet_power [RANGE 1 HOUR] p, outlets o
WHERE p.unit = o.unit AND p.outlet = o.outlet
GROUP BY o.machine
UNION ALL
SELECT e.machine, round(consumed(e.kwh, e.at), 4) AS kwh
FROM energy [RANGE 1 HOUR] SAMPLE PERIOD 10 SECONDS e
GROUP BY e.machine;

-- Example 14 of the thesis: the free machines with Word in open labs. Free: nobody on the cushion.
-- Open: a lab the public may use, with its light on.
CREATE VIEW free_word_machines AS
SELECT m.machine, m.room
FROM seats [PARTITION BY desk ROWS 1] s, machines m, rooms r, lights [PARTITION BY room ROWS 1] l, software p
WHERE m.desk = s.desk AND NOT s.pressed
  AND r.room = m.room AND r.open_lab
  AND l.room = m.room AND l.lux >= 60.0
  AND p.machine = m.machine AND p.package = 'Word';

-- What there is to be found: programs on machines, and what stands in rooms.
CREATE VIEW machine_software AS
SELECT s.machine, s.package, s.version
FROM software s;

CREATE VIEW room_equipment AS
SELECT e.room, e.item, e.pieces
FROM equipment e;

-- Where one walks, for ways to be drawn; and the point at which one is in a room.
CREATE VIEW walking_points AS
SELECT p.point, p.floor, p.x, p.y, p.kind
FROM routing_points p;

CREATE VIEW room_points AS
SELECT r.room, r.point
FROM rooms r;

-- The doors whose contact has spoken, each from wall to wall.
CREATE VIEW doors_now WITH (history = '30 days', key = 'door') AS
SELECT d.door, d.name, d.kind, d.floor, d.x1, d.y1, d.x2, d.y2, s.open
FROM door_states [PARTITION BY door ROWS 1] s, doors d
WHERE s.door = d.door;

-- The recorded day by the hour: people in the building, mean temperature, power. Four records make an hour.
CREATE VIEW recorded_hours AS
SELECT hour(r.at) AS hour, sum(r.occupied) / 4.0 AS occupied, avg(r.celsius) AS celsius, sum(r.watts) / 4.0 AS watts
FROM recorded [PARTITION BY room, at ROWS 1] r
GROUP BY hour(r.at);

-- What arrived and could not be read.
CREATE VIEW rejected AS
SELECT j.source, j.topic, j.reason, j.sample
FROM rejects [RANGE 10 MINUTES] j;
