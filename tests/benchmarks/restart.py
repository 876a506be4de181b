"""Seconds from a start to flowing ticks, with ten million logged rows.

    floor: 20 s

The log is filled with light readings; the snapshot stands a hundred thousand rows before its end, as
after a crash. Ticks flow when /healthz says so; caught up is when the views reached the log's end.
"""

import os
import sys
import tempfile
from pathlib import Path

import sqlalchemy as sa

from engine.model.clock import SystemClock
from engine.views.checkpoint import to_bytes
from ingest.building import facts
from ingest.log import Log
from ingest.snapshots import Snapshots, StoredSnapshot
from tests.benchmarks._report import Result, report
from tests.environment.product import demo, wall
from tests.environment.recompute import replayed
from tests.environment.waiting import until

ROWS = int(os.environ.get("SMARTCIS_BENCH_ROWS", "10000000"))
TAIL = 100_000
FILL = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
INSERT INTO log ("offset", received, source, topic, delivery, payload)
SELECT i, :now - (:rows - i) * 1000, 'mqtt', 'building/light/1.' || (i % 60), NULL,
       CAST('{"lux": ' || (i % 500) || '.5, "seq": ' || i || '}' AS BLOB)
FROM n
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        fill(state)
        began = wall()
        with demo(state) as running:
            flowing = wall() - began
            with Log(f"sqlite:///{state / 'log.db'}") as log:
                end = log.last().offset
            until(
                lambda: running.get("/api/ticks")["ticks"][-1]["offset"] >= end, 300, "the views to catch up"
            )
            caught_up = wall() - began
    return report(
        "restart",
        [
            Result(f"{ROWS:,} rows, ticks flow", flowing, "s", floor=20),
            Result(f"{TAIL:,} rows after the snapshot, caught up", caught_up, "s"),
        ],
    )


def fill(state: Path) -> None:
    """Write the rows, and the snapshot of an engine that read them until shortly before the last."""
    url, facts_url = f"sqlite:///{state / 'log.db'}", f"sqlite:///{state / 'facts.db'}"
    facts.prepare(facts_url)
    with Log(url):
        pass
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(FILL), {"rows": ROWS, "now": SystemClock().now()})
    engine.dispose()
    image = replayed(url, facts_url, state, ROWS - 2 * TAIL, ROWS - TAIL).image()
    snapshots = Snapshots(url)
    snapshots.save(StoredSnapshot(image.tick, image.offset, image.at, to_bytes(image)))
    snapshots.close()


if __name__ == "__main__":
    sys.exit(main())
