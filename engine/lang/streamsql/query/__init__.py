"""One query, clause by clause: FROM, WHERE, GROUP BY, SELECT, ORDER BY, and sets of queries."""
