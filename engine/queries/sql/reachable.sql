-- Who reaches whom over links.
-- needs table link(src text, dst text, cost bigint, width double)

CREATE RECURSIVE VIEW reachable(src, dst) AS
SELECT src, dst FROM link
UNION
SELECT l.src, r.dst FROM link l JOIN reachable r ON l.dst = r.src;
