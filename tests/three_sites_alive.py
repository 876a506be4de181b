"""Three sites' relations in an engine that runs: views over them whose plans can be looked at, and ticks.

log ──tick()──▶ session behind an engine        neither gateways nor databases are up
"""

from collections.abc import Iterator
from contextlib import contextmanager

from engine.service import Engine
from tests.memory_log import MemoryLog
from tests.three_sites import CATALOG

SECOND = 1_000_000
MACHINES = 60
VIEWS = (
    "CREATE VIEW lit_seats AS SELECT s.room, l.lux, m.owner, p.phone "
    "FROM seats s, lights l, machines m, people p "
    "WHERE s.room = l.room AND m.room = s.room AND m.owner = p.person AND l.open AND s.weight < 20",
    "CREATE VIEW word_rooms AS SELECT l.room, count(*) AS n FROM loads l, software s, loads m "
    "WHERE l.machine = s.machine AND m.room = l.room AND l.cpu > 0.5 GROUP BY l.room",
    "CREATE VIEW reached AS WITH RECURSIVE p(a, b) AS (SELECT machine, room FROM loads "
    "UNION SELECT p.a, l.room FROM p, loads l WHERE l.machine = p.b) "
    "SELECT a, count(*) AS n FROM p GROUP BY a",
)


class ThreeSites:
    """An engine over them; each tick some loads are others."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.session = self.log.session(CATALOG)
        self.engine = Engine(self.session)
        self.ticks = 0
        self.load(range(MACHINES))
        self.log.write(0, "software", *((f"m{n}", "Word") for n in range(0, MACHINES, 4)))
        self.tick()
        for sql in VIEWS:
            self.engine.create_view(sql)

    def load(self, machines: range) -> None:
        rows = ((f"m{n}", f"r{n % 7}", (n * 7 + self.ticks) % 10 / 10, n % 5) for n in machines)
        self.log.write(SECOND, "loads", *rows)

    def tick(self) -> None:
        """Let a few machines say something else, and close the tick."""
        self.ticks += 1
        self.load(range(self.ticks % MACHINES, self.ticks % MACHINES + 3))
        self.engine.ask(lambda: self.log.tick(self.session))


@contextmanager
def three_sites_alive() -> Iterator[ThreeSites]:
    made = ThreeSites()
    yield made
    made.engine.stop()
