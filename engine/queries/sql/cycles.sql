-- Who is on a cycle of at most four links, and how many the shortest of them has.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW cycles AS
WITH RECURSIVE path(src, dst, hops) AS (
  SELECT src, dst, 1 FROM link
  UNION
  SELECT l.src, p.dst, 1 + p.hops FROM link l JOIN path p ON l.dst = p.src WHERE p.hops < 4
)
SELECT src AS node, min(hops) AS hops FROM path WHERE src = dst GROUP BY src;
