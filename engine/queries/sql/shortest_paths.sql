-- All paths of the least number of links, each as the list of its nodes; ties are all there.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE VIEW shortest_paths AS
WITH RECURSIVE path(src, dst, path, hops) AS (
  SELECT src, dst, ARRAY[src, dst], 1 FROM link
  UNION
  SELECT l.src, p.dst, array_prepend(l.src, p.path), 1 + p.hops FROM link l JOIN path p ON l.dst = p.src
),
shortest AS (SELECT src, dst, min(hops) AS hops FROM path GROUP BY src, dst)
SELECT p.src, p.dst, p.path, p.hops
FROM path p JOIN shortest s ON p.src = s.src AND p.dst = s.dst AND p.hops = s.hops;
