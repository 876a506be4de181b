"""Which selections go below a window, and where the columns of a join end up."""

import pytest

from engine.lang.streamsql import Query, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.leaves import Table, Windowed
from engine.plan.logical import Distinct, Join, Plan, Scan, Select
from engine.plan.physical import Filter, HashJoin, Physical, children, leaves
from engine.plan.windows import Rows, Unbounded
from federated.optimizer import FederatedOptimizer
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate, run
from tests.strategies import CATALOG

BIGINT, BOOLEAN, DOUBLE, TEXT = Type.BIGINT, Type.BOOLEAN, Type.DOUBLE, Type.TEXT


def optimized(sql: str) -> Physical:
    statement = parse(sql)
    assert isinstance(statement, Query)
    return FederatedOptimizer().optimize(SelectBinder(CATALOG, {}).bind(statement.select))


def nodes(plan: Physical) -> list[Physical]:
    return [plan, *(node for child in children(plan) for node in nodes(child))]


def pushed(where: str) -> tuple[bool, bool]:
    """Whether something is asked of Spark, and whether something is left to the operators."""
    plan = optimized(f"SELECT k FROM {where}")
    (leaf,) = leaves(plan)
    return leaf.fragment.predicate is not None, any(isinstance(node, Filter) for node in nodes(plan))


@pytest.mark.parametrize(
    ("where", "to_spark", "above"),
    [
        ("seats [RANGE 5 SECONDS] WHERE x > 0.5", True, False),
        ("seats [NOW] WHERE x > 0.5 OR b", True, False),
        ("seats [UNBOUNDED] WHERE NOT (x > 0.5 AND k = 'a')", True, False),
        ("seats [PARTITION BY k ROWS 1] WHERE x > 0.5", False, True),
        ("seats [PARTITION BY k ROWS 1] WHERE k = 'a'", True, False),
        ("seats [PARTITION BY k ROWS 1] WHERE k = 'a' AND x > 0.5", True, True),
        ("seats [PARTITION BY k ROWS 1] WHERE k = 'a' OR x > 0.5", False, True),
        ("seats [PARTITION BY k, x ROWS 2] WHERE k = 'a' AND x > 0.5", True, False),
        ("seats [ROWS 3] WHERE k = 'a'", False, True),
        ("seats [RANGE 5 SECONDS] WHERE n + 1 > 2", False, True),
        ("seats [RANGE 5 SECONDS] WHERE n + 1 > 2 AND k = 'a'", True, True),
        ("seats [RANGE 5 SECONDS] WHERE k LIKE 'a%'", False, True),
        ("rooms WHERE k = 'a'", False, True),
    ],
)
def test_a_selection_goes_below_a_window_only_where_it_means_the_same(where, to_spark, above):
    assert pushed(where) == (to_spark, above)


def test_the_last_reading_is_high_is_not_the_last_high_reading():
    log = MemoryLog()
    session = log.session(CATALOG)
    session.create_view("CREATE VIEW high AS SELECT k, x FROM seats [PARTITION BY k ROWS 1] WHERE x > 1.0")
    log.write(0, "seats", ("a", 1, 2.0, None), ("b", 1, 3.0, None))
    log.tick(session)
    assert rows_of(session, "high") == {("a", 2.0): 1, ("b", 3.0): 1}
    log.write(0, "seats", ("a", 1, 0.5, None))
    log.tick(session)
    assert rows_of(session, "high") == {("b", 3.0): 1}


def test_a_selection_over_a_view_reaches_the_base_relation():
    session = MemoryLog().session(CATALOG)
    session.create_view(
        "CREATE VIEW v AS SELECT s.k AS name, s.x / 2 AS half FROM seats [RANGE 5 SECONDS] s, rooms r"
    )
    session.create_view("CREATE VIEW w AS SELECT DISTINCT name FROM v WHERE name = 'a' AND half > 1.0")
    found = {leaf.relation.name: leaf.fragment.where for leaf in leaves(session._views["w"].physical)}
    assert found == {"seats": "(texts[0] = 'a')", "rooms": None}


def test_equal_fragments_of_different_queries_are_one():
    session = MemoryLog().session(CATALOG)
    before = len(session.fragments())
    session.query("SELECT s.k FROM seats [RANGE 5 SECONDS] s WHERE s.k = 'a'")
    session.query("SELECT t.n FROM seats [RANGE 9 SECONDS] t, rooms r WHERE t.k = 'a'")
    assert len(session.fragments()) == before + 1


# Joins under other nodes


def scan(name: str) -> Scan:
    relation = CATALOG[name]
    return Scan(relation, None if relation.window is None else Rows(3) if name == "seats" else Unbounded())


def equal(left: int, right: int, of: Type = TEXT) -> Expr:
    return Call("=", (Field(left, of), Field(right, of)), BOOLEAN)


# seats: k n x b | rooms: k n x | notes: k n b
INNER = Join((scan("seats"), scan("rooms")), (equal(0, 4),))
SHAPES: dict[str, Plan] = {
    "a join alone": INNER,
    "under a selection": Select(INNER, Call(">", (Field(5, BIGINT), Literal(0, BIGINT)), BOOLEAN)),
    "under a distinct": Distinct(INNER),
    "in a join": Join((scan("notes"), INNER), (equal(0, 7), equal(1, 4, BIGINT))),
    "in a join, first": Join((INNER, scan("notes")), (equal(0, 7),)),
}


@pytest.mark.parametrize("plan", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("big", ["seats", "rooms", "notes"])
def test_columns_are_where_the_query_has_them_whatever_the_order_of_joins(plan, big):
    log = MemoryLog()
    log.write(0, "seats", ("a", 1, 0.5, True), ("b", 2, 1.5, None), ("a", 1, None, False))
    log.write(0, "rooms", ("a", 1, 7.0), ("b", 0, 8.0))
    log.write(0, "notes", ("a", 1, True), ("a", 1, True), ("b", 2, None))
    optimizer = FederatedOptimizer()
    for leaf in leaves(optimizer.optimize(plan)):
        assert isinstance(leaf, Table | Windowed)
        optimizer.observe(leaf, 1_000 if leaf.relation.name == big else 1)
    chosen = optimizer.optimize(plan)
    assert [c.type for c in chosen.columns] == [c.type for c in plan.columns]
    assert run(chosen, log.readings, log.stamps[-1]) == evaluate(plan, log.readings, log.stamps[-1])
    assert any(isinstance(node, HashJoin) for node in nodes(chosen))
