-- The regions of sensors that hang together with a seed, each step less than two metres long: which sensors are
-- in which (active_region), how large each is (region_sizes), and which are largest, ties and all.
-- needs table sensor(sensor bigint, x double, y double)
-- needs table triggered(sensor bigint)
-- needs table seed(region text, sensor bigint)

CREATE VIEW near AS
SELECT a.sensor AS one, b.sensor AS other
FROM sensor a, sensor b
WHERE (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) < 4 AND a.sensor <> b.sensor;

CREATE RECURSIVE VIEW active_region(region, sensor) AS
SELECT s.region, s.sensor FROM seed s JOIN triggered t ON t.sensor = s.sensor
UNION
SELECT a.region, n.other
FROM active_region a JOIN near n ON n.one = a.sensor JOIN triggered t ON t.sensor = n.other;

CREATE VIEW region_sizes AS SELECT region, count(*) AS size FROM active_region GROUP BY region;

CREATE VIEW largest_regions AS
SELECT r.region, r.size FROM region_sizes r, (SELECT max(size) AS size FROM region_sizes) m WHERE r.size = m.size;
