"""Tables in shares, of a session: they move, are kept in snapshots, explained, read and lost."""

import pytest

from engine.partitions.leaves.leaf import SpreadLeaf
from engine.partitions.leaves.pieces import is_spread
from engine.plan.explaining import as_document, as_text
from engine.views.checkpoint import from_bytes, to_bytes
from engine.views.why.effort import Effort
from federated.placing.outgrown import Outgrown
from tests.forgetful_shares import Forgetful
from tests.memory_log import MemoryLog, rows_of
from tests.spread_leaves import COUNTED, leaf_in, session_of, ticks


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
