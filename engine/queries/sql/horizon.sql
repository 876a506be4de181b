-- Who is within three links of whom, with the least number of them.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW horizon AS
WITH RECURSIVE path(src, dst, hops) AS (
  SELECT src, dst, 1 FROM link
  UNION
  SELECT l.src, p.dst, 1 + p.hops FROM link l JOIN path p ON l.dst = p.src WHERE p.hops < 3
)
SELECT src, dst, min(hops) AS hops FROM path GROUP BY src, dst;
