-- The least cost from a node to another. Costs must not be negative: a cycle would get cheaper for ever.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW cheapest_cost AS
WITH RECURSIVE path(src, dst, cost) AS (
  SELECT src, dst, cost FROM link WHERE cost >= 0
  UNION
  SELECT l.src, p.dst, l.cost + p.cost FROM link l JOIN path p ON l.dst = p.src WHERE l.cost >= 0
)
SELECT src, dst, min(cost) AS cost FROM path GROUP BY src, dst;
