-- SegTollS, of Linear Road: for every car that was seen within half a minute, and every segment with traffic up to
-- nine behind it on its expressway, in how many places the car was when it was last heard of, four times.
-- needs stream car_location(carid bigint, expway bigint, dir bigint, seg bigint, xpos bigint)

CREATE VIEW segment_tolls AS
SELECT r5.carid, r2.expway, r2.dir, r2.seg, count(DISTINCT r5.xpos) AS places
FROM car_location [SIZE 300 TIME] r1,
  car_location [SIZE 1 TUPLE PARTITION BY expway, dir, seg] r2,
  car_location [SIZE 1 TUPLE PARTITION BY carid] r3,
  car_location [SIZE 30 TIME] r4,
  car_location [SIZE 4 TUPLE PARTITION BY carid] r5
WHERE r2.expway = r3.expway AND r2.dir = 0 AND r3.dir = 0
  AND r2.seg < r3.seg AND r2.seg > r3.seg - 10
  AND r3.carid = r4.carid AND r3.carid = r5.carid
  AND r1.expway = r2.expway AND r1.dir = r2.dir AND r1.seg = r2.seg
GROUP BY r5.carid, r2.expway, r2.dir, r2.seg;
