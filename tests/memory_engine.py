"""A source of views in memory, with the engine's facade: tests say what changes, and when a tick closes."""

from collections import Counter
from collections.abc import Callable, Iterable
from threading import RLock

from sqlglot import exp

from engine.checking import Use
from engine.contracts import Explanation, Punctuality, Stamp, ViewInfo
from engine.lang.streamsql import CreateView, DropView, Explain, Query, Statement
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS, Parameters
from engine.model.errors import QueryError
from engine.model.relation import Column, Relation
from engine.model.values import Row, Type
from engine.outcomes import Changed, Listing, Outcome, Plan
from engine.plan.explaining import Explained, ExplainedPlan, Search
from engine.plan.explaining.shares import Sent, Shares
from engine.statements import MakeEffort
from engine.views.lineage import BaseRow
from engine.views.view import Delta, Snapshot
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from engine.views.why.factor import SetFactor
from engine.views.why.gap import Gap
from engine.views.why.missing import Missing
from engine.views.why.provenance import Provenance
from tests.memory_plan import plan_over_sites

Changes = tuple[tuple[Row, int], ...]
BIGINT, DOUBLE, TEXT, BOOLEAN, TIMESTAMP = (
    Type.BIGINT,
    Type.DOUBLE,
    Type.TEXT,
    Type.BOOLEAN,
    Type.TIMESTAMP,
)
MAP_SHAPES: dict[str, dict[str, Type]] = {
    "taken_desks": {"desk": TEXT, "room": TEXT},
    "dark_rooms": {"room": TEXT, "lux": DOUBLE},
    "reserved_rooms": {"room": TEXT, "title": TEXT, "ends": TIMESTAMP},
    "busy_machines": {"machine": TEXT, "cpu": DOUBLE, "task": TEXT},
    "people": {"person": TEXT, "floor": BIGINT, "x": DOUBLE, "y": DOUBLE},
    "people_together": {"person": TEXT, "floor": BIGINT, "x": DOUBLE, "y": DOUBLE},
    "floors_with_few": {"floor": BIGINT, "least": BIGINT},
    "room_temperature": {"room": TEXT, "celsius": DOUBLE},
    "room_power": {"room": TEXT, "watts": DOUBLE},
    "machine_power": {"machine": TEXT, "watts": DOUBLE},
    "machine_energy": {"machine": TEXT, "kwh": DOUBLE},
    "free_desks": {"room": TEXT, "free": BIGINT},
    "free_word_machines": {"machine": TEXT, "room": TEXT},
    "recorded_hours": {"hour": BIGINT, "occupied": DOUBLE, "celsius": DOUBLE, "watts": DOUBLE},
    "nearest_machines": {"point": TEXT, "next": TEXT, "target": TEXT, "length": BIGINT},
    "cut_off_rooms": {"room": TEXT},
    "walking_points": {"point": TEXT, "floor": BIGINT, "x": DOUBLE, "y": DOUBLE, "kind": TEXT},
    "room_points": {"room": TEXT, "point": TEXT},
    "doors_now": {
        "door": TEXT, "name": TEXT, "kind": TEXT, "floor": BIGINT,
        "x1": DOUBLE, "y1": DOUBLE, "x2": DOUBLE, "y2": DOUBLE, "open": BOOLEAN,
    },
    "known_devices": {
        "device": TEXT, "name": TEXT, "maker": TEXT, "model": TEXT, "origin": TEXT, "via": TEXT,
        "room": TEXT, "desk": TEXT, "disabled": BOOLEAN, "state": TEXT, "since": TIMESTAMP,
    },
    "device_values": {
        "entity": TEXT, "device": TEXT, "name": TEXT, "quantity": TEXT, "unit": TEXT,
        "expire_after": DOUBLE, "value": DOUBLE, "text": TEXT, "at": TIMESTAMP,
    },
    "room_devices": {
        "entity": TEXT, "room": TEXT, "desk": TEXT, "device": TEXT, "called": TEXT, "state": TEXT,
        "name": TEXT, "quantity": TEXT, "unit": TEXT, "expire_after": DOUBLE,
        "value": DOUBLE, "text": TEXT, "at": TIMESTAMP,
    },
    "walking_ways": {
        "a": TEXT, "b": TEXT, "way": TEXT, "metres": DOUBLE, "seconds": DOUBLE, "segment": TEXT,
        "door": TEXT, "name": TEXT,
    },
    "room_light": {"room": TEXT, "lux": DOUBLE},
    "coming_bookings": {"room": TEXT, "title": TEXT, "starts": TIMESTAMP, "ends": TIMESTAMP},
    "machine_software": {"machine": TEXT, "package": TEXT, "version": TEXT},
    "room_equipment": {"room": TEXT, "item": TEXT, "pieces": BIGINT},
    "rejected": {"source": TEXT, "topic": TEXT, "reason": TEXT, "sample": TEXT},
}  # fmt: skip


class MemorySubscription:
    def __init__(self, engine: "MemoryEngine", snapshot: Snapshot, deliver: Callable[[Delta], None]) -> None:
        self.engine, self.snapshot, self.deliver = engine, snapshot, deliver

    def close(self) -> None:
        with self.engine.lock:
            if self in self.engine.subscriptions:
                self.engine.subscriptions.remove(self)


class MemoryEngine:
    def __init__(self, shapes: dict[str, dict[str, Type]] | None = None, run: str = "run-1") -> None:
        self.run = run
        self.lock = RLock()
        self.tick, self.at = 0, 0
        self.columns = {
            view: tuple(Column(name, kind) for name, kind in shape.items())
            for view, shape in (MAP_SHAPES if shapes is None else shapes).items()
        }
        self.rows: dict[str, Counter[Row]] = {view: Counter() for view in self.columns}
        self.changed: dict[str, int] = dict.fromkeys(self.columns, 0)
        self.subscriptions: list[MemorySubscription] = []
        self.without: dict[str, tuple[str, ...]] = {}

    def stamp(self) -> Stamp:
        return Stamp(self.tick, self.at, self.tick * 10)

    def close_tick(self, at: int, **changes: Iterable[tuple[Row, int]]) -> None:
        with self.lock:
            self.tick, self.at = self.tick + 1, at
            for view, found in changes.items():
                self._change(view, tuple(found))

    def replace(self, at: int, **wanted: Iterable[Row]) -> None:
        """Close a tick after which these views hold exactly these rows."""
        with self.lock:
            self.close_tick(
                at, **{view: self._difference(view, Counter(rows)) for view, rows in wanted.items()}
            )

    def _difference(self, view: str, wanted: Counter[Row]) -> Changes:
        held = self.rows[view]
        rows = {*held, *wanted}
        return tuple((row, wanted[row] - held[row]) for row in rows if wanted[row] != held[row])

    def _change(self, view: str, changes: Changes) -> None:
        if not changes:
            return
        for row, count in changes:
            self.rows[view][row] += count
            if not self.rows[view][row]:
                del self.rows[view][row]
        delta = Delta(view, self.run, self.tick, self.changed[view], self.at, changes)
        self.changed[view] = self.tick
        for subscription in [s for s in self.subscriptions if s.snapshot.view == view]:
            subscription.deliver(delta)

    def subscribe(self, view: str, deliver: Callable[[Delta], None]) -> MemorySubscription:
        with self.lock:
            if view not in self.columns:
                problem = f"unknown view {view}; there are {', '.join(sorted(self.columns))}"
                raise QueryError(problem)
            rows = tuple(self.rows[view].items())
            snapshot = Snapshot(view, self.run, self.tick, self.at, self.columns[view], rows)
            self.subscriptions.append(MemorySubscription(self, snapshot, deliver))
            return self.subscriptions[-1]

    def listen(self, view: str, deliver: Callable[[Delta], None]) -> MemorySubscription:
        return self.subscribe(view, deliver)

    def query(self, sql: str, parameters: Parameters = NO_PARAMETERS) -> str:
        """Know two forms of query: the name of a view, and all of its rows."""
        view = sql.removeprefix("SELECT * FROM ")
        if view not in self.columns:
            problem = f"unknown view {view} in select, line 1"
            raise QueryError(problem)
        return view

    def use_of(self, sql: str) -> Use:
        self.query(sql)
        return Use.QUERY

    def create_view(self, sql: str) -> str:
        return self.query(sql)

    def explain(self, sql: str, parameters: Parameters = NO_PARAMETERS) -> ExplainedPlan:
        return ExplainedPlan(Explained("1", "Table", f"scan {self.query(sql)}", ""))

    def plan_of(self, view: str, weighs: bool = True) -> ExplainedPlan:
        return plan_over_sites(f"scan {self.query(view)}")

    def execute(self, statement: Statement, parameters: Parameters, effort: MakeEffort) -> Outcome:
        """Know queries that name a view, and what makes one."""
        if isinstance(statement, DropView):
            return Changed("dropped", "view", statement.names)
        if isinstance(statement, CreateView):
            return Changed("created", "view", (statement.name,))
        if isinstance(statement, Explain):
            return Plan(plan_over_sites("scan"))
        assert isinstance(statement, Query)
        snapshot = self.snapshot(statement.select.find(exp.Table).name)
        return Listing(snapshot.columns, tuple(row for row, _ in snapshot.rows))

    def snapshot(self, view: str) -> Snapshot:
        return Snapshot(
            view, self.run, self.tick, self.at, self.columns[view], tuple(self.rows[view].items())
        )

    def why(self, view: str, row: Row, effort: Effort) -> Explanation:
        """Say that a row stands on itself."""
        itself = BaseRow(view, row)
        known = Provenance((SetFactor([frozenset([itself])]),))
        return Explanation(view, row, self.tick, (itself,), (), known, self.columns)

    def why_not(self, view: str, row: Row, effort: Effort) -> Missing:
        """Say that nobody put the row there."""
        wanted = {column.name: value for column, value in zip(self.columns[view], row, strict=True)}
        return Missing((Gap(Reason.NO_ROW, view, wanted),), is_truncated=False)

    def shares(self) -> Shares:
        return Shares((70, 50), 9, 3, {"derived": Sent(120, 4_800)})

    def searched(self) -> Search:
        return Search(90, 7, 2, 1)

    def punctuality(self) -> tuple[Punctuality, ...]:
        return (Punctuality("badges [RANGE 5 MINUTES] by at", 3, 2),)

    def missing(self) -> dict[str, tuple[str, ...]]:
        return self.without

    def sites(self) -> tuple[Row, ...]:
        return (("floor-1", "gone", 1_700_000_000_000_000, "it does not answer"),)

    def relations(self) -> tuple[Relation, ...]:
        return ()

    def views(self) -> tuple[ViewInfo, ...]:
        return tuple(
            ViewInfo(name, shape, f"SELECT * FROM {name}", sum(self.rows[name].values()))
            for name, shape in self.columns.items()
        )
