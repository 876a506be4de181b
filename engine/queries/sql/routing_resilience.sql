-- In how many ways a node reaches another: the simple paths between them, counted. Mind that there can be
-- exponentially many; for one pair of a large network, EXPLAIN WHY of its row in reachable counts them within
-- a budget, and says which links all of them need.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW routing_resilience AS
WITH RECURSIVE path(src, dst, path) AS (
  SELECT src, dst, ARRAY[src, dst] FROM link WHERE src <> dst
  UNION
  SELECT l.src, p.dst, array_prepend(l.src, p.path) FROM link l JOIN path p ON l.dst = p.src
  WHERE NOT l.src = ANY(p.path)
)
SELECT src, dst, count(*) AS paths FROM path GROUP BY src, dst;
