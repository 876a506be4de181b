"""Min and max go into a recursion where that changes nothing, and so that paths over cycles end."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from engine.lang.streamsql import parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import RelationKind
from engine.model.values import Row, Type
from engine.plan.logical import Plan, Scan
from engine.queries import paths
from federated.rules.push_best import push_best
from tests.memory_log import Change, Entry, MemoryLog
from tests.oracle import evaluate
from tests.strategies import relation
from tests.watched_plan import WatchedPlan

TEXT, BIGINT, DOUBLE = Type.TEXT, Type.BIGINT, Type.DOUBLE
LINK = relation("link", RelationKind.TABLE, None, (), src=TEXT, dst=TEXT, cost=BIGINT, width=DOUBLE)
NODE = relation("node", RelationKind.TABLE, None, (), id=TEXT, floor=BIGINT)
CATALOG = Catalog([LINK, NODE])
link = Scan(LINK, None)

COSTS = """WITH RECURSIVE path(src, dst, cost) AS (SELECT src, dst, cost FROM link WHERE cost >= 0
  UNION SELECT l.src, p.dst, l.cost + p.cost FROM link l, path p WHERE l.dst = p.src AND l.cost >= 0) """
DOUBLED = """WITH RECURSIVE path(src, dst, cost) AS (SELECT src, dst, cost FROM link WHERE cost >= 0
  UNION SELECT p.src, q.dst, p.cost + q.cost FROM path p, path q WHERE p.dst = q.src) """
HOPS = """WITH RECURSIVE path(src, dst, route, hops) AS (SELECT src, dst, src || '>' || dst, 1 FROM link
  UNION SELECT l.src, p.dst, l.src || '>' || route, 1 + hops FROM link l, path p WHERE l.dst = p.src) """
NEAR = HOPS.replace("WHERE l.dst = p.src", "WHERE l.dst = p.src AND hops < 3")
WIDTHS = """WITH RECURSIVE path(src, dst, width) AS (SELECT src, dst, width FROM link WHERE width > 0
  UNION SELECT l.src, p.dst, least(l.width, p.width) FROM link l, path p WHERE l.dst = p.src) """
OPEN = COSTS.replace("AND l.cost >= 0", "AND l.cost >= 0 AND l.src NOT IN ('c', 'd')")
SHORTEST = """SELECT p.* FROM path p, (SELECT src, dst, min(hops) AS hops FROM path GROUP BY src, dst) m
  WHERE p.src = m.src AND p.dst = m.dst AND p.hops = m.hops"""
PUSHED = {
    "costs": COSTS + "SELECT src, dst, min(cost) AS cost FROM path GROUP BY src, dst",
    "costs from one": COSTS + "SELECT dst, min(cost) AS cost FROM path WHERE src = 'a' GROUP BY dst",
    "the least of all": COSTS + "SELECT min(cost) AS cost FROM path",
    "costs that are few": COSTS + "SELECT src, min(cost) AS cost FROM path WHERE cost < 4 GROUP BY src",
    "costs by another table": COSTS + """SELECT n.floor, min(p.cost) AS cost FROM path p, node n
      WHERE n.id = p.dst GROUP BY n.floor""",
    "costs having": COSTS + "SELECT src, min(cost) AS cost FROM path GROUP BY src HAVING min(cost) > 2",
    "doubled": DOUBLED + "SELECT src, dst, min(cost) AS cost FROM path GROUP BY src, dst",
    "only where open": OPEN + "SELECT src, dst, min(cost) AS cost FROM path GROUP BY src, dst",
    "widest": WIDTHS + "SELECT src, dst, max(width) AS width FROM path GROUP BY src, dst",
    "routes": HOPS + SHORTEST,
    "routes of a view": f"SELECT r.route FROM ({HOPS + SHORTEST}) r WHERE r.src = 'a'",
    "how many routes": HOPS + SHORTEST.replace("p.*", "p.src, count(*) AS n") + " GROUP BY p.src",
    "near routes": NEAR + SHORTEST,
    "joined otherwise": HOPS + """SELECT DISTINCT m.hops, p.route FROM (SELECT dst AS d, src AS s,
      min(hops) AS hops FROM path GROUP BY src, dst) m JOIN path p ON m.d = p.dst AND m.s = p.src
      AND m.hops = p.hops""",
}  # fmt: skip
KEPT = {
    "a path that is shown": COSTS + "SELECT * FROM path",
    "two different best": COSTS + "SELECT src, min(cost) AS a, max(cost) AS b FROM path GROUP BY src",
    "a count": COSTS + "SELECT src, min(cost) AS a, count(*) AS b FROM path GROUP BY src",
    "costs that may be NULL": COSTS.replace("cost >= 0", "src <> ''")
    + "SELECT src, min(cost) FROM path GROUP BY src",
    "costs that may be negative": COSTS.replace("cost >= 0", "cost IS NOT NULL")
    + "SELECT src, min(cost) FROM path GROUP BY src",
    "the greatest sum": COSTS + "SELECT min(0 - cost) FROM path",
    "a group by cost": COSTS + "SELECT cost, min(cost) FROM path GROUP BY cost",
    "a condition on long paths": COSTS.replace("l.dst = p.src", "l.dst = p.src AND p.cost > 1")
    + "SELECT src, min(cost) FROM path GROUP BY src",
    "routes that are wide": WIDTHS.replace("path(src, dst, width)", "path(src, dst, width, first)")
    .replace("least(l.width, p.width)", "least(l.width, p.width), p.first")
    .replace("SELECT src, dst, width FROM", "SELECT src, dst, width, src FROM")
    + """SELECT p.* FROM path p, (SELECT src, dst, max(width) AS width FROM path GROUP BY src, dst) m
      WHERE p.src = m.src AND p.dst = m.dst AND p.width = m.width""",
    "half a join": HOPS + SHORTEST.replace(" AND p.hops = m.hops", ""),
    "a cost that turns round": COSTS.replace("l.cost + p.cost", "l.cost - p.cost")
    + "SELECT src, min(cost) FROM path GROUP BY src",
}  # fmt: skip


def bound(text: str) -> Plan:
    return SelectBinder(CATALOG, {}).bind(parse(text).select)


def links(random: Random, acyclic: bool, count: int) -> list[Row]:
    ends = [random.sample("abcdef", 2) for _ in range(count)]
    ends = [sorted(pair) if acyclic else pair for pair in ends]
    return [(*pair, random.choice([0, 1, 2, 3]), random.choice([1.0, 2.0, 3.0])) for pair in ends]


def readings_of(**standing: Sequence[Row]) -> list:
    entries = [Entry(1, [Change(name, 1, row) for row in held]) for name, held in standing.items()]
    return MemoryLog(entries).readings


NODES = [(name, ord(name) % 3) for name in "abcdef"]


@pytest.mark.parametrize("name", PUSHED)
def test_the_best_is_pushed_and_means_the_same_where_paths_end(name):
    random, plan = Random(name), bound(PUSHED[name])
    pushed = push_best(plan)
    assert pushed != plan
    assert pushed.columns == plan.columns
    assert push_best(pushed) is pushed
    for _ in range(12):
        held = [*links(random, acyclic=True, count=random.randrange(9)), ("a", "f", None, None)]
        readings = readings_of(link=held[random.choice([0, 0, 1]) :], node=NODES)
        assert evaluate(pushed, readings, 1) == evaluate(plan, readings, 1)


@pytest.mark.parametrize("name", KEPT)
def test_nothing_is_pushed_that_would_change_the_meaning(name):
    plan = bound(KEPT[name])
    assert push_best(plan) is plan


def test_a_column_that_is_declared_so_is_never_null():
    wide = (
        WIDTHS.replace("WHERE width > 0", "")
        + "SELECT src, dst, max(width) AS width FROM path GROUP BY src, dst"
    )
    declared = replace(LINK, columns=tuple(replace(column, nullable=False) for column in LINK.columns))
    for of, is_pushed in ((LINK, False), (declared, True)):
        plan = SelectBinder(Catalog([of]), {}).bind(parse(wide).select)
        assert (push_best(plan) is not plan) == is_pushed


BY_HAND = {
    "costs": paths.cheapest(link),
    "doubled": paths.cheapest(link),
    "widest": paths.widest(link),
    "routes": paths.shortest_paths(link),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_over_cycles_it_is_what_the_plan_by_hand_says_whatever_changes(name):
    random = Random(name)
    watched, by_hand = WatchedPlan(push_best(bound(PUSHED[name])), (LINK, NODE)), BY_HAND[name]
    standing: list[Row] = []
    for _ in range(25):
        changes = [Change("link", 1, row) for row in links(random, acyclic=False, count=random.randrange(3))]
        gone = random.sample(standing, min(len(standing), random.randrange(3)))
        standing = [row for row in standing if row not in gone] + [change.row for change in changes]
        changes += [Change("link", -1, row) for row in gone]
        found = watched.tick(*changes)
        assert found == evaluate(by_hand, watched.log.readings, watched.at)


# Random recursions, sound and not

STEPS = (
    "l.cost + p.c", "p.c + 1", "p.c - l.cost", "l.cost - p.c", "least(l.cost, p.c)", "greatest(p.c, l.cost)",
    "p.c * 2", "p.c * -1", "coalesce(l.cost, 0) + p.c", "coalesce(p.c, l.cost)", "abs(l.cost) + p.c",
    "l.cost", "CASE WHEN p.c > 1 THEN 0 ELSE p.c END", "p.c + p.c", "1 + least(p.c, l.cost)",
)  # fmt: skip
OF_LINK = ("l.cost >= 0", "l.cost IS NOT NULL", "l.src <> 'b'", "l.cost < 3")
OF_BOTH = ("p.c < 4", "p.c > 1", "p.c <> 2", "p.dst <> 'c'", "p.x = 'a'", "l.cost < p.c", "p.c IS NOT NULL")
BASES = ("l.cost", "1", "coalesce(l.cost, 2)", "l.cost + 1")
EXTRAS = ("p.x", "l.src", "p.dst")
READERS = (
    "SELECT src, dst, {f}(c) AS c FROM path GROUP BY src, dst",
    "SELECT src, {f}(c) AS c FROM path GROUP BY src",
    "SELECT {f}(c) AS c FROM path WHERE dst = 'd'",
    "SELECT src, {f}(c) AS c FROM path WHERE c < 3 GROUP BY src",
    "SELECT x, {f}(c) AS c FROM path GROUP BY x HAVING {f}(c) IS NOT NULL",
    "SELECT p.* FROM path p, (SELECT src, dst, {f}(c) AS c FROM path GROUP BY src, dst) m "
    "WHERE p.src = m.src AND p.dst = m.dst AND p.c = m.c",
    "SELECT p.x FROM path p, (SELECT src, {f}(c) AS c FROM path GROUP BY src) m "
    "WHERE p.src = m.src AND p.c = m.c",
)  # fmt: skip


def random_recursion(random: Random) -> str:
    asked = random.sample(OF_LINK, random.choice([0, 1, 1, 2]))
    onward = [
        *random.sample(OF_LINK, random.choice([0, 1, 1])),
        *random.sample(OF_BOTH, random.choice([0, 0, 1])),
    ]
    where = f" WHERE {' AND '.join(asked)}" if asked else ""
    return f"""WITH RECURSIVE path(src, dst, x, c) AS (
      SELECT l.src, l.dst, l.src, {random.choice(BASES)} FROM link l{where} UNION
      SELECT l.src, p.dst, {random.choice(EXTRAS)}, {random.choice(STEPS)} FROM link l, path p
      WHERE {" AND ".join(["l.dst = p.src", *onward])}) """


def random_links(random: Random, *unknown: None) -> list[Row]:
    ends = [sorted(random.sample("abcde", 2)) for _ in range(random.randrange(3, 9))]
    return [(*pair, random.choice([0, 1, 1, 2, 3, -1, *unknown]), 1.0) for pair in ends]


def pushes_preserve_meaning(seed: int, cases: int) -> int:
    """How often something was pushed, of so many random recursions over acyclic graphs."""
    random, pushed = Random(seed), 0
    for _ in range(cases):
        text = random_recursion(random) + random.choice(READERS).format(f=random.choice(["min", "max"]))
        plan = bound(text)
        changed = push_best(plan)
        if changed is plan:
            continue
        pushed += 1
        for _ in range(6):
            readings = readings_of(link=random_links(random, None))
            assert evaluate(changed, readings, 1) == evaluate(plan, readings, 1), (text, readings)
    return pushed


def test_random_recursions_mean_the_same_with_the_best_pushed_into_them():
    assert pushes_preserve_meaning(1, 150) > 15


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_random_recursions_mean_the_same_with_the_best_pushed_into_them():
    assert pushes_preserve_meaning(Random().randrange(10**9), 10_000) > 1_000


def selections_are_of_all_rows(seed: int, cases: int) -> int:
    """How often min or max was taken inside, and was that of all rows; of costs that are known."""
    random, taken = Random(seed), 0
    for _ in range(cases):
        best = random.choice(["min", "max"])
        base, step = random.choice(BASES), random.choice(STEPS)
        onward = [*random.sample(OF_LINK, 1), *random.sample(OF_BOTH[:4], random.choice([0, 0, 1]))]
        where = " AND ".join(["l.dst = p.src", *onward])
        whole = f"""WITH RECURSIVE path(src, dst, c) AS (SELECT src, dst, {base} FROM link l UNION
          SELECT l.src, p.dst, {step} FROM link l, path p WHERE {where})
          SELECT src, dst, {best}(c) AS c FROM path GROUP BY src, dst HAVING {best}(c) IS NOT NULL"""
        inside = f"""WITH RECURSIVE path(src, dst, c) AS (SELECT src, dst, {best}({base}) FROM link l
          GROUP BY src, dst UNION SELECT l.src, p.dst, {best}({step}) FROM link l, path p WHERE {where}
          GROUP BY l.src, p.dst) SELECT * FROM path"""
        try:
            plan = bound(inside)
        except QueryError:
            continue
        taken += 1
        for _ in range(6):
            readings = readings_of(link=random_links(random))
            assert evaluate(plan, readings, 1) == evaluate(bound(whole), readings, 1), (inside, readings)
    return taken


def test_a_selection_inside_a_recursion_is_that_of_all_its_rows():
    assert selections_are_of_all_rows(2, 100) > 15
