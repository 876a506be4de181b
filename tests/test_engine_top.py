"""The first rows in an order: what recomputation gives, at every tick, for what little changed."""

import random
import time
from collections import Counter

import pytest

from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.operators.delta import Delta, merge
from engine.operators.top import TopRows
from engine.plan.explaining import as_text
from engine.plan.expressions import Call, Field, Literal
from engine.plan.logical import Project, Scan, Select, SortKey, Top
from engine.plan.ordering import order_of, place_of
from engine.provenance.counting import COUNTING
from engine.views.lineage import BaseRow
from engine.views.why.absent import Reason
from engine.views.why.effort import Effort
from federated.rules.push_selections import push_selections
from tests.memory_log import Change, MemoryLog
from tests.oracle_bags import first_rows
from tests.watched_plan import WatchedPlan

COLUMNS = (
    Column("k", Type.TEXT),
    Column("x", Type.DOUBLE),
    Column("b", Type.BOOLEAN),
    Column("l", Type.BIGINT.listed),
)
K, X, B, L = (Field(i, column.type, column.name) for i, column in enumerate(COLUMNS))
POOL: list[Row] = [
    (k, x, b, numbers)
    for k in ("", "a", "ä", None)
    for x in (-1.5, 0.0, 2.0, None)
    for b in (False, True, None)
    for numbers in ((), (1,), (1, None), (None,), None)
]
ORDERS = [
    (),
    (SortKey(X),),
    (SortKey(X, descending=True),),
    (SortKey(X, descending=True, nulls_first=True), SortKey(K, descending=True)),
    (SortKey(L, descending=True), SortKey(B, nulls_first=True)),
    (SortKey(B, descending=True), SortKey(K, nulls_first=True)),
    (SortKey(K, descending=True, nulls_first=True),),
]


def changes(draw: random.Random, held: Counter[Row], size: int) -> Delta[int]:
    """A change without debts: rows that come, some of them again, and rows that go."""
    change: Delta[int] = {}
    for _ in range(draw.randint(1, size)):
        row = draw.choice([*held, *POOL[:8]]) if held and draw.random() < 0.5 else draw.choice(POOL)
        count = draw.randint(1, 3) if draw.random() < 0.5 else -draw.randint(0, held[row])
        if count and row not in change:
            change[row] = count
    return change


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: str(len(order)))
@pytest.mark.parametrize(("count", "skip"), [(0, 0), (1, 0), (5, 0), (3, 2), (40, 1), (None, 3)])
def test_the_first_rows_are_those_of_a_recomputation(order, count, skip):
    draw = random.Random(f"{order} {count} {skip}")
    operator, held, found = TopRows(place_of(order), count, skip), Counter(), {}
    for step in range(120):
        change = changes(draw, held, 2 if step % 3 else 25)
        if step % 40 == 39:
            change = {row: -n for row, n in held.items()}
        merge(held, change, COUNTING)
        said = operator.step(change)
        assert 0 not in said.values()
        merge(found, said, COUNTING)
        assert found == first_rows(Counter(held), order, count, skip), step
    merge(found, operator.step({row: -n for row, n in held.items()}), COUNTING)
    assert found == {}
    assert operator.entries() == 0


def test_what_a_tick_takes_and_gives_back_is_not_told():
    operator = TopRows(place_of([SortKey(X)]), 1, 0)
    first, second = ("a", 1.0, None, None), ("b", 2.0, None, None)
    assert operator.step({first: 1, second: 1}) == {first: 1}
    assert operator.step({first: -1, ("a", 0.0, None, None): 1}) == {first: -1, ("a", 0.0, None, None): 1}
    assert operator.step({second: 5}) == {}
    assert operator.step({("a", 0.0, None, None): -1}) == {("a", 0.0, None, None): -1, second: 1}


def test_a_change_costs_its_place_and_not_the_rows():
    rows = [(str(i), float(i * 7919 % 20_000), None, None) for i in range(20_000)]
    operator = TopRows(place_of([SortKey(X)]), 10, 0)
    operator.step(dict.fromkeys(rows, 1))
    began = time.process_time()
    for row in sorted(rows, key=lambda row: row[1])[:2_000]:
        assert len(operator.step({row: -1})) == 2
    assert time.process_time() - began < 1.0


KEYED = Relation(
    "keyed",
    RelationKind.TABLE,
    (Column("k", Type.TEXT), Column("x", Type.BIGINT), Column("y", Type.BIGINT)),
    key=("k",),
)
READINGS = Relation("r", RelationKind.TABLE, COLUMNS[:3], (), None, "table")


def test_a_top_runs_as_the_oracle_says_and_its_snapshot_is_in_order():
    order = (SortKey(X, descending=True, nulls_first=True),)
    watched = WatchedPlan(Top(Scan(READINGS, None), order, 4, 1), [READINGS])
    draw, held = random.Random(7), Counter()
    pool = [row[:3] for row in POOL[::5]]
    for _ in range(25):
        row = draw.choice(pool)
        sign = -1 if held[row] and draw.random() < 0.4 else 1
        held[row] += sign
        watched.tick(Change("r", sign, row))
        session = watched.watches[0].session
        shown = [row[1] for row, _ in session.snapshot("watched").rows]
        known = [x for x in shown if x is not None]
        assert shown == [None] * (len(shown) - len(known)) + sorted(known, reverse=True)


def test_an_order_without_a_count_keeps_every_row_and_orders_the_snapshot():
    watched = WatchedPlan(Top(Scan(READINGS, None), (SortKey(X),), None), [READINGS])
    for row in (("a", 2.0, None), ("b", None, None), ("c", -1.0, True)):
        watched.tick(Change("r", 1, row))
    watch = watched.watches[0]
    assert [row[0] for row, _ in watch.session.snapshot("watched").rows] == ["c", "a", "b"]
    assert "top" not in as_text(watch.session.explain("watched"))


def test_a_projection_is_shown_in_the_order_that_its_columns_tell():
    top = Top(Scan(READINGS, None), (SortKey(Call("negate", (X,), Type.DOUBLE)), SortKey(K)), 3)
    told = Project(top, (K, X), (COLUMNS[0], COLUMNS[1]))
    assert order_of(told) == (
        SortKey(Call("negate", (Field(1, Type.DOUBLE),), Type.DOUBLE)),
        SortKey(Field(0, Type.TEXT)),
    )
    assert order_of(Project(top, (K,), (COLUMNS[0],))) is None
    inner = Project(Scan(READINGS, None), (X, Call("negate", (X,), Type.DOUBLE)), (COLUMNS[1], COLUMNS[1]))
    hidden = Project(
        Top(inner, (SortKey(Field(1, Type.DOUBLE)),), 3), (Field(0, Type.DOUBLE),), (COLUMNS[1],)
    )
    assert order_of(hidden) == (SortKey(Call("negate", (Field(0, Type.DOUBLE),), Type.DOUBLE)),)


def test_a_selection_stays_above_a_count_and_goes_below_an_order():
    predicate = Call(">", (X, Literal(1.0, Type.DOUBLE)), Type.BOOLEAN)
    scan = Scan(READINGS, None)
    counted = Select(Top(scan, (SortKey(X),), 3), predicate)
    assert push_selections(counted) == counted
    ordered = Select(Top(scan, (SortKey(X),), None), predicate)
    assert push_selections(ordered) == Top(Select(scan, predicate), (SortKey(X),), None)


def test_why_a_row_is_among_the_first_and_why_another_is_not():
    watched = WatchedPlan(Top(Scan(READINGS, None), (SortKey(X),), 1), [READINGS])
    best, other = ("a", 1.0, None), ("b", 2.0, None)
    watched.tick(Change("r", 1, best), Change("r", 1, other))
    session = watched.watches[0].session
    assert session.why("watched", best, plenty()).witness == (BaseRow("r", best),)
    (gap,) = session.why_not("watched", other, plenty()).gaps
    assert (gap.reason, gap.found, gap.condition) == (Reason.OUTRANKED, (other,), "top 1 by x")
    (gap,) = session.why_not("watched", ("c", 0.0, None), plenty()).gaps
    assert gap.reason is Reason.NO_ROW


def plenty() -> Effort:
    return Effort(5, 100_000, time.monotonic)


@pytest.mark.parametrize("count", [None, 3])
def test_an_order_by_what_is_not_shown_is_that_of_a_recomputation(count):
    log, draw, held = MemoryLog(), random.Random(11), {}
    session = log.session(Catalog([KEYED]))
    first = "" if count is None else f" LIMIT {count}"
    session.create_view(f"CREATE VIEW v AS SELECT x FROM keyed ORDER BY y DESC, k{first}")
    kept = len(session.image().leaves)
    for _ in range(40):
        key = draw.choice("abcdef")
        if key in held and draw.random() < 0.4:
            log.write(1, "keyed", held.pop(key), sign=-1)
        else:
            row = held[key] = (key, draw.randrange(2), draw.randrange(3))
            log.write(1, "keyed", row)
        log.tick(session)
        expected = [x for _, x, _ in sorted(held.values(), key=lambda row: (-row[2], row[0]))][:count]
        found = session.snapshot("v").rows
        assert [x for (x,), copies in found for _ in range(copies)] == expected
        assert len(session.image().leaves) == kept
