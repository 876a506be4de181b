-- Who is as far from a common ancestor as whom.
-- needs table family(child text, parent text)

CREATE RECURSIVE VIEW same_generation(one, other) AS
SELECT a.child, b.child FROM family a JOIN family b ON a.parent = b.parent
UNION
SELECT a.child, b.child
FROM family a JOIN same_generation s ON a.parent = s.one JOIN family b ON b.parent = s.other;
