-- All paths of the least cost, each as the list of its nodes. Costs must be positive: round a cycle that costs
-- nothing there are paths without end.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW cheapest_paths AS
WITH RECURSIVE path(src, dst, path, cost) AS (
  SELECT src, dst, ARRAY[src, dst], cost FROM link WHERE cost > 0
  UNION
  SELECT l.src, p.dst, array_prepend(l.src, p.path), l.cost + p.cost
  FROM link l JOIN path p ON l.dst = p.src WHERE l.cost > 0
),
cheapest AS (SELECT src, dst, min(cost) AS cost FROM path GROUP BY src, dst)
SELECT p.src, p.dst, p.path, p.cost
FROM path p JOIN cheapest c ON p.src = c.src AND p.dst = c.dst AND p.cost = c.cost;
