"""DuckDB as a peer: a table of links, and the recursive query run anew after every event."""

import time

import duckdb

from tests.benchmarks._peers import serve

REACHABLE = """
WITH RECURSIVE reached(source, target) AS (
    SELECT source, target FROM link
    UNION
    SELECT reached.source, link.target FROM reached JOIN link ON reached.target = link.source
)
SELECT count(*), 0 FROM reached
"""
CHEAPEST = """
WITH RECURSIVE best(source, target, cost) USING KEY (source, target) AS (
    SELECT source, target, min(cost) FROM link GROUP BY ALL
    UNION
    SELECT further.source, further.target, min(further.cost)
    FROM (
        SELECT best.source, link.target, best.cost + link.cost AS cost
        FROM best JOIN link ON best.target = link.source
    ) further
    LEFT JOIN recurring.best known
    ON known.source = further.source AND known.target = further.target
    WHERE known.cost IS NULL OR further.cost < known.cost
    GROUP BY ALL
)
SELECT count(*), sum(cost) FROM best
"""


def answer(question):
    query = CHEAPEST if question["task"] == "cheapest" else REACHABLE
    connection = duckdb.connect()
    connection.execute("CREATE TABLE link (source BIGINT, target BIGINT, cost BIGINT)")
    times, answers = [], []
    for event in [[(1, *link) for link in question["links"]], *question["events"]]:
        started = time.perf_counter()
        for sign, source, target, cost in event:
            if sign > 0 and len(event) < 10:
                connection.execute("INSERT INTO link VALUES (?, ?, ?)", [source, target, cost])
            elif sign < 0:
                connection.execute("DELETE FROM link WHERE source = ? AND target = ?", [source, target])
        if len(event) >= 10:
            values = ", ".join(f"({source}, {target}, {cost})" for _, source, target, cost in event)
            connection.execute(f"INSERT INTO link VALUES {values}")
        found = connection.execute(query).fetchone()
        times.append(1000 * (time.perf_counter() - started))
        answers.append([int(value) for value in found])
    connection.close()
    return {"load": times[0], "times": times[1:], "answers": answers}


if __name__ == "__main__":
    serve(answer)
