"""WITH RECURSIVE: it means what the same plan by hand means, and stays so under any changes."""

import re
from collections import Counter
from random import Random

import duckdb
import pytest

from engine.lang.streamsql import parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import RelationKind
from engine.model.values import Row, Type
from engine.operators.budget import Budget
from engine.plan.logical import Fixpoint, Plan, Scan, inputs_of
from engine.queries import paths, reachability
from tests.memory_log import Change, Entry, MemoryLog
from tests.oracle import evaluate
from tests.strategies import relation
from tests.watched_plan import WatchedPlan

TEXT, BIGINT, DOUBLE = Type.TEXT, Type.BIGINT, Type.DOUBLE
LINK = relation("link", RelationKind.TABLE, None, (), src=TEXT, dst=TEXT, cost=BIGINT, width=DOUBLE)
CLOSED = relation("closed", RelationKind.TABLE, None, (), node=TEXT)
CATALOG = Catalog([LINK, CLOSED])
link = Scan(LINK, None)


def bound(text: str, views: dict[str, Plan] | None = None) -> Plan:
    statement = parse(text)
    return SelectBinder(CATALOG, views or {}).bind(statement.select)


REACH = """WITH RECURSIVE reach(a, b) AS (
  SELECT src, dst FROM link UNION SELECT l.src, r.b FROM link l, reach r WHERE l.dst = r.a)
SELECT * FROM reach"""
DOUBLING = """WITH RECURSIVE c AS (
  SELECT src, dst FROM link UNION SELECT x.src, y.dst FROM c x JOIN c y ON x.dst = y.src) TABLE c"""
LAST_FIRST = """WITH RECURSIVE even AS (SELECT l.src, o.dst FROM link l JOIN odd o ON l.dst = o.src),
  odd AS (SELECT l.src, e.dst FROM link l JOIN even e ON l.dst = e.src UNION SELECT src, dst FROM link)
SELECT * FROM even"""
CHEAPEST = """WITH RECURSIVE d AS (
  SELECT src, dst, min(cost) AS cost FROM link GROUP BY src, dst
  UNION SELECT l.src, d.dst, min(l.cost + d.cost) FROM link l, d WHERE l.dst = d.src GROUP BY l.src, d.dst)
SELECT * FROM d"""
CHEAPEST_FROM = """WITH RECURSIVE d AS (SELECT src, dst, cost FROM link UNION
  SELECT l.src, d.dst, min(l.cost + d.cost) FROM link l, d WHERE l.dst = d.src GROUP BY l.src, d.dst)
SELECT * FROM d"""
WIDEST = """WITH RECURSIVE w AS (
  SELECT src, dst, max(width) AS width FROM link GROUP BY 1, 2
  UNION SELECT DISTINCT l.src, w.dst, max(least(l.width, w.width)) FROM link l, w WHERE l.dst = w.src
  GROUP BY l.src, w.dst) SELECT * FROM w"""
OPEN = """WITH RECURSIVE reach(a, b) AS (
  SELECT src, dst FROM link UNION
  (SELECT l.src, r.b FROM link l, reach r WHERE l.dst = r.a EXCEPT SELECT node, node FROM closed))
SELECT * FROM reach"""
BY_HAND = {
    REACH: reachability.reachable(link),
    DOUBLING.replace("TABLE", "SELECT * FROM"): reachability.nonlinear_closure(link),
    LAST_FIRST: reachability.even_and_odd(link),
    CHEAPEST: paths.cheapest(link),
    CHEAPEST_FROM: paths.cheapest(link),
    WIDEST: paths.widest(link),
}


def random_rows(random: Random, costs: list[int | None]) -> list[Row]:
    width = random.choice([0.0, 1.0, 2.0, None])
    return [(*random.choices("abcde", k=2), random.choice(costs), width) for _ in range(random.randrange(9))]


def readings_of(**standing: list[Row]) -> list:
    entries = [Entry(1, [Change(name, 1, row) for row in held]) for name, held in standing.items()]
    return MemoryLog(entries).readings


@pytest.mark.parametrize("text", BY_HAND, ids=lambda text: text.split()[2])
def test_a_recursive_query_means_the_plan_by_hand(text):
    random, plan = Random(text), bound(text)
    for _ in range(20):
        readings = readings_of(link=random_rows(random, [0, 1, 2, 5]))
        assert evaluate(plan, readings, 1) == evaluate(BY_HAND[text], readings, 1)


LINEAR = (
    REACH,
    """WITH RECURSIVE up(x, n) AS (SELECT src, 0 FROM link UNION SELECT l.dst, n + 1 FROM up JOIN link l
       ON up.x = l.src WHERE n < 3) SELECT x, max(n) AS n FROM up GROUP BY x""",
    """WITH RECURSIVE r AS (SELECT src, dst FROM link WHERE src = 'a' UNION SELECT r.src, l.dst
       FROM r, link l WHERE r.dst = l.src), s AS (SELECT dst FROM r) SELECT count(*) AS n FROM s""",
    """WITH RECURSIVE half(x) AS (SELECT 8 FROM link UNION SELECT x / 2.0 FROM half WHERE x > 1)
       SELECT * FROM half""",
)  # fmt: skip


@pytest.mark.parametrize("text", LINEAR)
def test_a_linear_recursion_is_what_another_engine_says(text):
    random, plan = Random(7), bound(text)
    for _ in range(10):
        rows = random_rows(random, [0, 1, None])
        with duckdb.connect() as other:
            other.execute("CREATE TABLE link(src text, dst text, cost bigint, width double)")
            if rows:
                other.executemany("INSERT INTO link VALUES (?, ?, ?, ?)", rows)
            said = Counter(other.execute(text.replace("/ 2.0", "/ 2")).fetchall())
        assert evaluate(plan, readings_of(link=rows), 1) == said


STEPS = {
    "left join": "SELECT r.a, coalesce(l.dst, 'none') FROM r LEFT JOIN link l ON r.b = l.src",
    "exists": """SELECT r.a, l.dst FROM r JOIN link l ON r.b = l.src
      WHERE EXISTS (SELECT 1 FROM closed c WHERE c.node = l.dst)""",
    "exists of itself": "SELECT l.src, l.dst FROM link l WHERE EXISTS (SELECT 1 FROM r WHERE r.b = l.src)",
    "not in": """SELECT r.a, l.dst FROM r JOIN link l ON r.b = l.src
      WHERE l.dst NOT IN (SELECT node FROM closed)""",
    "not exists": """SELECT r.a, l.dst FROM r JOIN link l ON r.b = l.src
      WHERE NOT EXISTS (SELECT 1 FROM link k WHERE k.src = r.a AND k.dst = l.dst)""",
    "scalar": """SELECT r.a, l.dst FROM r JOIN link l ON r.b = l.src
      WHERE l.cost < (SELECT count(*) FROM closed)""",
    "intersect": "(SELECT b, a FROM r INTERSECT SELECT src, dst FROM link)",
    "bag inside": "SELECT b, a FROM (SELECT * FROM r UNION ALL SELECT a, b FROM r) q",
}
WATCHED = {text.split()[2]: text for text in BY_HAND} | {
    name: f"WITH RECURSIVE r(a, b) AS (SELECT src, dst FROM link UNION {step}) SELECT * FROM r"
    for name, step in STEPS.items()
}
WATCHED["except"] = OPEN


@pytest.mark.parametrize("text", WATCHED.values(), ids=WATCHED)
def test_a_recursive_view_is_current_whatever_changes(text):
    random, standing = Random(text), Counter()
    watched = WatchedPlan(bound(text), (LINK, CLOSED))
    for _ in range(25):
        held = list(standing.elements())
        changes = []
        if held and random.random() < 0.4:
            changes.append(Change("link", -1, random.choice(held)))
            standing[changes[0].row] -= 1
        ends = random.choices([*"abcde", None] if random.random() < 0.3 else "abcde", k=2)
        row = (*ends, random.choice([0, 1, 3]), random.choice([1.0, 2.0]))
        changes.append(Change("link", 1, row))
        standing[row] += 1
        changes.append(Change("closed", random.choice([1, -1]), (random.choice([*"abc", None]),)))
        watched.tick(*changes)
    watched.check_witnesses()


def test_a_view_of_a_recursion_is_read_by_other_queries():
    views = {"reach": bound(REACH)}
    plan = bound("SELECT l.src FROM link l, reach r WHERE r.a = l.dst AND r.b = l.src", views)
    found = evaluate(plan, readings_of(link=[("a", "b", 1, 1.0), ("b", "a", 1, 1.0), ("b", "c", 1, 1.0)]), 1)
    assert set(found) == {("a",), ("b",)}


def test_one_recursion_may_stand_on_another():
    text = """WITH RECURSIVE r AS (SELECT src, dst FROM link UNION SELECT r.src, l.dst FROM r, link l
      WHERE r.dst = l.src), s AS (SELECT dst FROM r WHERE src = 'a' UNION SELECT r.src FROM s, r
      WHERE s.dst = r.dst) SELECT * FROM s"""
    assert set(evaluate(bound(text), readings_of(link=[("a", "b", 1, 1.0), ("c", "b", 1, 1.0)]), 1)) == {
        ("a",), ("b",), ("c",),
    }  # fmt: skip


def test_a_number_that_meets_a_fraction_is_a_fraction_all_the_way():
    plan = bound("WITH RECURSIVE h(x) AS (SELECT 4 FROM link UNION SELECT x / 2 FROM h WHERE x > 1) TABLE h"
                 .replace("TABLE", "SELECT * FROM"))  # fmt: skip
    assert plan.columns[0].type is DOUBLE
    rows = evaluate(plan, readings_of(link=[("a", "b", 1, 1.0)]), 1)
    assert sorted(rows) == [(1.0,), (2.0,), (4.0,)]


def test_names_of_a_with_hide_relations_and_end_with_the_query():
    plan = bound("""SELECT x.src FROM
      (WITH RECURSIVE link AS (SELECT node AS src FROM closed) SELECT * FROM link) x,
      link WHERE link.src = x.src""")  # fmt: skip
    rows = evaluate(plan, readings_of(closed=[("a",), ("b",)], link=[("a", "b", 1, 1.0)]), 1)
    assert set(rows) == {("a",)}


def test_a_limit_of_rounds_is_of_the_recursion():
    text = REACH.replace("RECURSIVE", "RECURSIVE (ERROR AT RECURSION LIMIT 3)")
    found = bound(text)
    (fixpoint,) = [plan for plan in walk(found) if isinstance(plan, Fixpoint)]
    assert fixpoint.rounds == 3


def walk(plan: Plan):
    yield plan
    for each in inputs_of(plan):
        yield from walk(each)


CHAIN = [(a, b, 1, 1.0) for a, b in ("ab", "bc", "cd", "de")]


def test_more_rounds_than_the_limit_are_an_error_that_names_the_view_the_round_and_the_rows():
    def suspended(limit: int) -> str | None:
        log = MemoryLog()
        session = log.session(Catalog([LINK]), Budget())
        limited = REACH.replace("RECURSIVE", f"RECURSIVE (ERROR AT RECURSION LIMIT {limit})")
        session.create_view(f"CREATE VIEW far AS {limited}")
        log.write(1, "link", *CHAIN)
        log.tick(session)
        return session.views()[0].suspended

    assert suspended(3) is None
    assert "reach passes its limit of 2 rounds: after 3 rounds it holds 10 rows" in str(suspended(2))
    assert "('a', 'e')" in str(suspended(2))


def test_the_limit_counts_the_rounds_of_one_tick():
    log = MemoryLog()
    session = log.session(Catalog([LINK]))
    limited = REACH.replace("RECURSIVE", "RECURSIVE (ERROR AT RECURSION LIMIT 2)")
    session.create_view(f"CREATE VIEW far AS {limited}")
    for row in reversed(CHAIN):
        log.write(1, "link", row)
        log.tick(session)
    assert session.views()[0].suspended is None
    assert len(session.snapshot("far").rows) == 10


REFUSED = {
    "recursive UNION ALL would count rows for ever: r, line 1; write UNION":
        "WITH RECURSIVE r AS (SELECT src FROM link UNION ALL SELECT src FROM r) SELECT * FROM r",
    "negation through recursion: r → s → r; a stratified program may not do this":
        """WITH RECURSIVE r AS (SELECT src FROM link UNION (SELECT dst FROM link EXCEPT SELECT src FROM s)),
           s AS (SELECT src FROM r) SELECT * FROM r""",
    "a query in an expression through recursion: r → r; a stratified program may not do this":
        """WITH RECURSIVE r AS (SELECT src FROM link UNION SELECT dst FROM link l
           WHERE l.cost = 0 OR EXISTS (SELECT 1 FROM r WHERE r.src = l.src)) SELECT * FROM r""",
    "outer join through recursion: r → r; a stratified program may not do this":
        """WITH RECURSIVE r AS (SELECT src FROM link UNION SELECT l.dst FROM link l LEFT JOIN r
           ON r.src = l.src) SELECT * FROM r""",
    "LIMIT through recursion: r → r; a stratified program may not do this":
        """WITH RECURSIVE r AS (SELECT src FROM link UNION SELECT src FROM
           (SELECT src FROM r ORDER BY src LIMIT 1) q) SELECT * FROM r""",
    "sum through recursion: r → r; a stratified program may not do this":
        """WITH RECURSIVE r(x, n) AS (SELECT src, 1 FROM link UNION SELECT x, sum(n) FROM r GROUP BY x)
           SELECT * FROM r""",
    "min through recursion: r → r; a stratified program may not do this":
        """WITH RECURSIVE r(x, n) AS (SELECT src, min(1) FROM link GROUP BY src UNION
           SELECT x, min(n) FROM r GROUP BY x HAVING min(n) > 3) SELECT * FROM r""",
    "r takes the min of n in one query that reads it, not in all, line 1; take it in each of these":
        """WITH RECURSIVE r(x, n) AS (SELECT src, 1 FROM link UNION SELECT x, min(n + 1) FROM r GROUP BY x
           UNION SELECT x, n + 2 FROM r) SELECT * FROM r""",
    "min or max through recursion: r → r; n may be worse for a better cost: (10 - n)":
        """WITH RECURSIVE r(x, n) AS (SELECT src, min(1) FROM link GROUP BY 1 UNION SELECT x, min(10 - n)
           FROM r GROUP BY x) SELECT * FROM r""",
    "(n > 3) may hold of a cost and not of a better one":
        """WITH RECURSIVE r(x, n) AS (SELECT src, min(1) FROM link GROUP BY 1 UNION SELECT x, min(1 + n)
           FROM r WHERE n > 3 GROUP BY x) SELECT * FROM r""",
    "the columns of r have no types, line 1: each of its queries reads what it defines":
        "WITH RECURSIVE r AS (SELECT x FROM r) SELECT * FROM r",
    "column n of r is bigint in one of its queries and text in another, line 1; CAST one of them":
        "WITH RECURSIVE r(n) AS (SELECT 1 FROM link UNION SELECT 'a' FROM r) SELECT * FROM r",
    "the queries of r have 1 and 2 columns":
        "WITH RECURSIVE r AS (SELECT src FROM link UNION SELECT src, 1 FROM r) SELECT * FROM r",
    "3 names for the 1 columns of r":
        "WITH RECURSIVE r(a, b, c) AS (SELECT src FROM link UNION SELECT a FROM r) SELECT * FROM r",
    "r stands twice in WITH":
        "WITH r AS (SELECT src FROM link), r AS (SELECT dst FROM link) SELECT * FROM r",
    "r reads itself, line 1; write WITH RECURSIVE":
        "WITH r AS (SELECT src FROM link UNION SELECT src FROM r) SELECT * FROM r",
    "ORDER BY, LIMIT and WITH go into the query that reads it":
        "WITH RECURSIVE r AS (SELECT src FROM link UNION SELECT src FROM r LIMIT 3) SELECT * FROM r",
    "the recursion q inside of r reads it, line 2; put both side by side":
        """WITH RECURSIVE r AS (SELECT src FROM link UNION SELECT src FROM (
           WITH RECURSIVE q AS (SELECT src FROM r UNION SELECT src FROM q) SELECT * FROM q) x)
           SELECT * FROM r""",
    "EXCEPT stands over all of r":
        "WITH RECURSIVE r AS (SELECT src FROM link EXCEPT SELECT src FROM r) SELECT * FROM r",
    "expected ERROR AT RECURSION LIMIT n), n a whole number from 1, after RECURSIVE (":
        "WITH RECURSIVE (ERROR AT RECURSION LIMIT none) r AS (SELECT src FROM link) SELECT * FROM r",
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_meaning_is_refused_with_the_reason(message):
    with pytest.raises(QueryError, match=re.escape(message)) as refusal:
        bound(REFUSED[message])
    assert refusal.value.span is not None


def test_a_recursive_view_is_written_as_in_postgresql():
    log = MemoryLog()
    session = log.session(Catalog([LINK]))
    session.create_view("""CREATE RECURSIVE VIEW reach(a, b) AS SELECT src, dst FROM link
      UNION SELECT l.src, r.b FROM link l, reach r WHERE l.dst = r.a""")  # fmt: skip
    log.write(1, "link", *CHAIN[:2])
    log.tick(session)
    assert {row for row, _ in session.snapshot("reach").rows} == {("a", "b"), ("b", "c"), ("a", "c")}
    assert [column.name for column in session.views()[0].columns] == ["a", "b"]
