-- The free machines of open labs that have Word (Example 14): a seat knows its machine and its room, a room
-- sensor says whether the lab is open; of both the last reading counts.
-- needs stream seat_sensor(mid text, rid text, weight_level bigint)
-- needs stream room_sensor(rid text, status text)
-- needs table machines(mid text, cores bigint)
-- needs table machine_software(mid text, software text)

CREATE VIEW free_word_machines AS
SELECT m.mid, sr.rid
FROM machines m, machine_software ms,
  seat_sensor [PARTITION BY mid ROWS 1] ss, room_sensor [PARTITION BY rid ROWS 1] sr
WHERE ms.software = 'Word' AND ms.mid = m.mid AND ss.mid = m.mid
  AND ss.weight_level < 20 AND sr.rid = ss.rid AND sr.status = 'open';
