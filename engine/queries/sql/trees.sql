-- Of a tree, how deep the deepest node below each is (subtree_height; 0 of a leaf), and how much deeper the
-- deepest leaf below it is than the one least deep (imbalance). On a cycle depths grow without end, and the view
-- is suspended with that reason.
-- needs table family(child text, parent text)

CREATE VIEW members AS SELECT child AS node FROM family UNION SELECT parent FROM family;

CREATE RECURSIVE VIEW below(top, node, depth) AS
SELECT node, node, 0 FROM members
UNION
SELECT f.parent, b.node, 1 + b.depth FROM family f JOIN below b ON f.child = b.top;

CREATE VIEW subtree_height AS SELECT top, max(depth) AS height FROM below GROUP BY top;

CREATE VIEW leaves AS SELECT node FROM members EXCEPT SELECT parent FROM family;

CREATE VIEW imbalance AS
SELECT b.top, max(b.depth) - min(b.depth) AS imbalance
FROM below b JOIN leaves l ON l.node = b.node
GROUP BY b.top;
