"""Leaves whose rows are in shares: the same changes, rows and states as of the same leaf in the driver."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from engine.model.catalog import Catalog
from engine.model.clock import SECOND
from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type
from engine.operators.budget import Budget
from engine.operators.leaf import Punctual, Remote
from engine.operators.of_plan import leaf_of
from engine.partitions.hashing import Partition
from engine.partitions.in_place import InPlace
from engine.partitions.leaves import journal as journals
from engine.partitions.leaves.leaf import SpreadLeaf, spread_leaf
from engine.partitions.leaves.pieces import is_spread, whole
from engine.partitions.leaves.spreading import can_spread
from engine.partitions.lost import Lost
from engine.partitions.orders import Order, Parcel
from engine.partitions.round import Round
from engine.plan.explaining import as_document, as_text
from engine.plan.leaves import Leaf, Shipped, StreamFragment, Table, Windowed
from engine.plan.windows import Range, Rows, Unbounded, Window
from engine.session import Session
from engine.views.checkpoint import from_bytes, to_bytes
from engine.views.nodes import LeafNode
from engine.views.why.effort import Effort
from federated.optimizer import FederatedOptimizer
from federated.placing.outgrown import Outgrown
from tests.memory_log import MemoryLog, rows_of
from tests.strategies import relation

KEYED = relation("t", RelationKind.TABLE, key=("k",), k=Type.TEXT, n=Type.BIGINT)
TWICE_KEYED = relation("t", RelationKind.TABLE, key=("n", "k"), k=Type.TEXT, n=Type.BIGINT)
BAG = relation("t", RelationKind.TABLE, k=Type.TEXT, n=Type.BIGINT)
STREAM = relation("s", RelationKind.STREAM, k=Type.TEXT, n=Type.BIGINT)
TIMED = replace(relation("s", RelationKind.STREAM, k=Type.TEXT, n=Type.TIMESTAMP), event_time="n")


def fragment(of: Relation) -> StreamFragment:
    return StreamFragment(of.name, of.columns)


def table(of: Relation) -> Table:
    return Table(of, fragment(of))


def windowed(of: Relation, window: Window, sample: int | None = None) -> Windowed:
    return Windowed(of, window, fragment(of), sample)


LEAVES: dict[str, Leaf] = {
    "keyed": table(KEYED),
    "keyed twice": table(TWICE_KEYED),
    "bag": table(BAG),
    "range": windowed(STREAM, Range(10)),
    "last of each": windowed(STREAM, Rows(2, (0,), ("k",))),
    "unbounded": windowed(STREAM, Unbounded()),
    "by event": windowed(TIMED, Range(12)),
    "by event in steps": windowed(replace(TIMED, lateness=3), Range(12, 4)),
    "for ever by event": windowed(TIMED, Unbounded()),
    "in steps": windowed(STREAM, Range(12, 4)),
    "of a database": Shipped("database:facts", table(BAG)),
}
APART: dict[str, Leaf] = {
    "last of all": windowed(STREAM, Rows(2)),
    "sampled": windowed(STREAM, Range(10), sample=5),
    "of gateways": Shipped("sensor", table(BAG)),
}


class Forgetful(InPlace):
    """Loses its shares in one round of so many."""

    def __init__(self, partitions: int, each: int = 0) -> None:
        super().__init__(partitions)
        self.each, self.made = each, 0

    def round(self, order: Order, parcels: Mapping[Partition, Sequence[Parcel]]) -> Round:
        self.made += 1
        if self.each and not self.made % self.each:
            message = "an executor is gone"
            raise Lost(message)
        return super().round(order, parcels)


def readings(leaf: Leaf, random: Random, now: int) -> list[Reading]:
    """What a tick brings; what was there may go, of a database also all of it."""
    found = []
    for _ in range(random.choice([0, 1, 2, 5])):
        happened = now + random.randint(-20, 3)
        row: Row = (random.choice("abcd"), happened if leaf.relation.event_time else random.randint(0, 3))
        can_go = leaf.relation.kind is RelationKind.TABLE
        sign = random.choice([1, 1, -1] if can_go else [1])
        if isinstance(leaf, Shipped) and random.random() < 0.1:
            sign, row = 0, (None, None)
        found.append(Reading(leaf.relation.name, sign, row, 0, 0, now))
    return found


def told(leaf: object) -> tuple[object, ...]:
    late = (leaf.late, leaf.waiting) if isinstance(leaf, Punctual) else ()
    unanswered = leaf.unanswered(["facts"]) if isinstance(leaf, Remote) else None
    return len(leaf), late, unanswered  # type: ignore[arg-type]


@pytest.mark.parametrize("each", [0, 13])
@pytest.mark.parametrize("partitions", [1, 2, 5])
@pytest.mark.parametrize("name", LEAVES)
def test_a_spread_leaf_is_as_it_would_be_in_the_driver(
    name: str, partitions: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "LEAST", 5)
    plan, random, now = LEAVES[name], Random(f"{name} {partitions}"), 100
    here, spread = leaf_of(plan), spread_leaf(plan, Budget(), lambda: Forgetful(partitions, each))
    spread.restore(here.state())
    assert spread.is_still == here.is_still
    for turn in range(120):
        now += random.choice([0, 1, 1, 3])
        came = readings(plan, random, now)
        assert spread.advance(came, now) == here.advance(came, now)
        assert told(spread) == told(here)
        if not turn % 7:
            assert spread.contents() == here.contents()
        if not turn % 29:
            state, spread = spread.state(), spread_leaf(plan, Budget(), lambda: InPlace(3 + partitions % 2))
            spread.restore(state)
    again = leaf_of(plan)
    again.restore(whole(again, spread.state()))
    assert again.contents() == spread.here().contents() == here.contents()
    assert sum(spread.shares().kept) == len(here)
    spread.end()


@pytest.mark.parametrize("name", APART)
def test_what_must_be_seen_together_is_not_spread(name: str) -> None:
    assert not can_spread(APART[name])


def test_what_came_while_shares_were_gone_for_good_is_there_when_they_are_back() -> None:
    plan, carrier = LEAVES["keyed"], Forgetful(2)
    spread = spread_leaf(plan, Budget(), lambda: carrier)
    spread.restore([])
    spread.advance([Reading("t", 1, ("a", 1), 1, 0, 1)], 1)
    carrier.each = 1
    with pytest.raises(SourceError, match="lost 3 times in a row"):
        spread.advance([Reading("t", 1, ("b", 2), 2, 0, 2)], 2)
    carrier.each = 0
    assert spread.advance([Reading("t", 1, ("a", 3), 3, 0, 3)], 3) == {("a", 1): -1, ("a", 3): 1}
    assert spread.contents() == {("a", 3): 1, ("b", 2): 1}


SMALL = 1_000_000


@contextmanager
def no_room() -> Iterator[None]:
    """Have no file grow over a megabyte, as on a disk that is nearly full; what logs write still fits."""
    soft, hard = getrlimit(RLIMIT_FSIZE)
    setrlimit(RLIMIT_FSIZE, (SMALL, hard))
    try:
        yield
    finally:
        setrlimit(RLIMIT_FSIZE, (soft, hard))


def padded(key: str, size: int) -> str:
    """A key so long, also when it is packed."""
    return f"{key} {Random(key).randbytes(size).hex()}"


def large(key: str, at: int) -> list[Reading]:
    return [Reading("t", 1, (padded(key, 2 * SMALL), 1), at, 0, at)]


def shortened(rows: Mapping[Row, int]) -> list[str]:
    return sorted(str(key)[0] for key, _ in rows)


def test_where_the_journal_cannot_be_written_ticks_go_on_and_a_loss_says_what_to_do() -> None:
    spread = spread_leaf(LEAVES["keyed"], Budget(), lambda: InPlace(2))
    spread.restore([])
    with no_room():
        assert shortened(spread.advance(large("a", 1), 1)) == ["a"]
        assert shortened(spread.advance(large("b", 2), 2)) == ["b"]
        assert is_spread(spread.state())
        spread.forget()
        with pytest.raises(SourceError, match=r"its rows are lost: nothing can be written to /.* a restart"):
            spread.contents()
    spread.end()


def test_a_journal_that_could_not_be_written_is_whole_again_once_there_is_room() -> None:
    spread = spread_leaf(LEAVES["keyed"], Budget(), lambda: InPlace(2))
    spread.restore([])
    with no_room():
        assert shortened(spread.advance(large("a", 1), 1)) == ["a"]
        assert shortened(spread.advance(large("b", 2), 2)) == ["b"]
    spread.advance(large("c", 20 * SECOND), 20 * SECOND)
    spread.forget()
    assert shortened(spread.contents()) == ["a", "b", "c"]
    spread.end()


def test_without_room_for_a_journal_a_table_stays_in_the_driver_and_begins_there() -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(3, 10))
    session.create_view(COUNTED)
    log.write(1_000, "t", *[(padded(f"k{i}", SMALL // 25), i % 3) for i in range(60)])
    with no_room():
        ticks(log, session, 8)
        assert leaf_in(session).is_here
        assert rows_of(session, "counted") == {(i, 20): 1 for i in range(3)}
    ticks(log, session, 520)
    assert not leaf_in(session).is_here
    assert session.at_risk() == ()
    with no_room():
        log.write(1_000, "t", *[(padded(f"more{i}", SMALL // 25), i % 3) for i in range(60)])
        log.tick(session)
        (risk,) = session.at_risk()
        assert risk.startswith("the rows of table t by k: nothing can be written to /")
        log.write(1_000, "t", *[(padded(f"more{i}", SMALL // 25), i % 3) for i in range(60)], sign=-1)
        log.tick(session)
        image = from_bytes(to_bytes(session.image()))
        again = session_of(log, Outgrown(3, 10))
        again.restore(image, lambda _: None)
    assert leaf_in(again).is_here
    assert leaf_in(again).entries() == 60


def test_a_snapshot_of_shares_begins_in_the_driver_where_nobody_has_shares() -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(3, 10))
    log.write(1_000, "t", *[(f"k{i}", i % 3) for i in range(60)])
    ticks(log, session, 8)
    leaf_carrier = Forgetful(3)
    leaf_carrier.each = 1
    again = session_of(log, Outgrown(3, 10), leaf_carrier)
    again.restore(session.image(), lambda _: None)
    assert leaf_in(again).is_here
    assert leaf_in(again).entries() == 60


# In a session

CATALOG = Catalog([KEYED])
COUNTED = "CREATE VIEW counted AS SELECT t.n, COUNT(*) AS many FROM t GROUP BY t.n"


def session_of(log: MemoryLog, outgrown: Outgrown, carrier: InPlace | None = None) -> Session:
    """A session with as many shares as are told; ``carrier`` is for the only thing that is in some."""
    carry = (lambda: carrier) if carrier is not None else (lambda: InPlace(outgrown.partitions))
    return log.session(CATALOG, optimizer=FederatedOptimizer(outgrown=outgrown), carry=carry)


def leaf_in(session: Session, name: str = "t") -> LeafNode:
    return next(
        node
        for node in session._upkeep.nodes()
        if isinstance(node, LeafNode) and node.plan.relation.name == name
    )


def ticks(log: MemoryLog, session: Session, count: int) -> None:
    for _ in range(count):
        log.write(1_000, "t")
        log.tick(session)


def test_a_table_moves_to_shares_when_it_outgrows_the_driver_and_back_when_it_fits() -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(3, 100))
    session.create_view(COUNTED)
    rows = [(f"k{i}", i % 3) for i in range(120)]
    log.write(1_000, "t", *rows)
    log.tick(session)
    assert not leaf_in(session).is_here or leaf_in(session).entries() == 120
    ticks(log, session, 8)
    leaf = leaf_in(session)
    assert isinstance(leaf.leaf, SpreadLeaf)
    assert leaf.entries() == sum(leaf.leaf.shares().kept) == 120
    assert all(leaf.leaf.shares().kept)
    assert as_document(session.explain("counted"))["room"] == {
        "shares": 0,
        "kept": 3.0,
        "most": 100,
        "fed": 120.0,
        "back": 0.0,
        "spread": [{"name": "t", "rows": 120.0}],
        "why": "in one process: its operators keep 3 rows, of at most 100; t is in shares, with 120 rows",
    }
    assert rows_of(session, "counted") == {(i, 40): 1 for i in range(3)}
    log.write(1_000, "t", ("k0", 1))
    (delta,) = log.tick(session)
    assert dict(delta.changes) == {(0, 40): -1, (0, 39): 1, (1, 40): -1, (1, 41): 1}
    session.create_view("CREATE VIEW late AS SELECT t.k FROM t WHERE t.n = 1")
    assert len(rows_of(session, "late")) == 41
    log.write(1_000, "t", *rows[20:], sign=-1)
    log.tick(session)
    ticks(log, session, 8)
    assert leaf_in(session).is_here
    assert leaf_in(session).entries() == 20
    log.write(1_000, "t", ("new", 7))
    (delta, *_) = [each for each in log.tick(session) if each.view == "counted"]
    assert dict(delta.changes) == {(7, 1): 1}


def test_who_reads_a_running_view_over_a_spread_table_reads_what_it_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(3, 20))
    session.create_view(COUNTED)
    log.write(1_000, "t", *[(f"k{i}", i % 3) for i in range(60)])
    ticks(log, session, 8)
    assert not leaf_in(session).is_here
    monkeypatch.setattr(SpreadLeaf, "contents", lambda _: pytest.fail("the table is read"))
    monkeypatch.setattr(SpreadLeaf, "portions", lambda _: pytest.fail("the table is read"))
    name = session.query("SELECT * FROM counted")
    assert rows_of(session, name) == {(i, 20): 1 for i in range(3)}


def test_a_snapshot_keeps_a_spread_table_and_any_number_of_shares_begins_with_it() -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(3, 10))
    session.create_view(COUNTED)
    log.write(1_000, "t", *[(f"k{i}", i % 3) for i in range(60)])
    ticks(log, session, 8)
    image = from_bytes(to_bytes(session.image()))
    assert any(map(is_spread, image.leaves.values()))
    for outgrown in (Outgrown(3, 10), Outgrown(2, 10), Outgrown()):
        again = session_of(log, outgrown)
        complaints: list[str] = []
        again.restore(image, complaints.append)
        again.restored(complaints.append)
        assert not complaints
        assert leaf_in(again).is_here == (not outgrown.partitions)
        assert rows_of(again, "counted") == {(i, 20): 1 for i in range(3)}
        log.write(1_000, "t", ("k0", 1))
        log.tick(again)
        assert rows_of(again, "counted") == {(0, 19): 1, (1, 21): 1, (2, 20): 1}
        log.readings.pop()


def test_a_row_of_a_view_over_a_spread_table_says_why_it_is_there() -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(3, 10))
    session.create_view("CREATE VIEW ones AS SELECT t.k FROM t WHERE t.n = 1")
    log.write(1_000, "t", *[(f"k{i}", i % 3) for i in range(60)])
    ticks(log, session, 8)
    assert not leaf_in(session).is_here
    found = session.why("ones", ("k4",), Effort(100, 10_000, lambda: 0.0))
    assert [(each.relation, each.row) for each in found.witness] == [("t", ("k4", 1))]


def test_views_over_a_table_whose_shares_stay_gone_are_suspended_and_the_tick_closes() -> None:
    log, carrier = MemoryLog(), Forgetful(2)
    session = session_of(log, Outgrown(2, 10), carrier)
    session.create_view("CREATE VIEW ones AS SELECT t.k FROM t WHERE t.n = 1")
    log.write(1_000, "t", *[(f"k{i}", i % 3) for i in range(60)])
    ticks(log, session, 8)
    assert not leaf_in(session).is_here
    carrier.each = 1
    log.write(1_000, "t", ("new", 1))
    log.tick(session)
    (info,) = session.views()
    assert info.suspended is not None
    assert "the shares of table t by k were lost 3 times in a row" in info.suspended
    carrier.each = 0
    log.write(61_000_000, "t", ("newer", 1))
    ticks(log, session, 1)
    assert {row for (row,) in rows_of(session, "ones")} >= {"k1", "new", "newer"}
    assert sum(rows_of(session, "ones").values()) == 22


def test_a_plan_in_shares_reads_a_table_in_shares() -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(2, 10))
    session.create_view("CREATE VIEW pairs AS SELECT a.k, b.k AS other FROM t a, t b WHERE a.n = b.n")
    log.write(1_000, "t", *[(f"k{i}", i % 5) for i in range(30)])
    ticks(log, session, 24)
    kinds = {type(node).__name__: node.is_here for node in session._upkeep.nodes() if node.plan.columns}
    assert not leaf_in(session).is_here
    assert not kinds["InnerNode"]
    log.write(1_000, "t", ("k0", 1))
    log.tick(session)
    assert sum(rows_of(session, "pairs").values()) == 5 * 5 + 7 * 7 + 3 * 36
    told = as_text(session.explain("EXPLAIN ANALYZE pairs"))
    assert told.count("table t by k: 2 shares keep 30 rows") == 1  # of the table; those of the plan keep more
    assert told.count("shares keep") == 2
    shares = session.shares()
    assert len(shares.kept) == 2
    assert sum(shares.kept) > 60
    assert "readings" in shares.sent
