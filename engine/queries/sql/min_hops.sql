-- The least number of links from a node to another. The minimum is taken inside the recursion, so cycles end.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW min_hops AS
WITH RECURSIVE path(src, dst, hops) AS (
  SELECT src, dst, 1 FROM link
  UNION
  SELECT l.src, p.dst, 1 + p.hops FROM link l JOIN path p ON l.dst = p.src
)
SELECT src, dst, min(hops) AS hops FROM path GROUP BY src, dst;
