-- The highest bandwidth from a node to another: that of the path whose narrowest link is widest.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW highest_bandwidth AS
WITH RECURSIVE path(src, dst, width) AS (
  SELECT src, dst, width FROM link WHERE width IS NOT NULL
  UNION
  SELECT l.src, p.dst, least(l.width, p.width) FROM link l JOIN path p ON l.dst = p.src
  WHERE l.width IS NOT NULL
)
SELECT src, dst, max(width) AS width FROM path GROUP BY src, dst;
