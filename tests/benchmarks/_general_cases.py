"""The programs of `make bench-general`, their data, and what recomputes them.

A case is relations of integers, one program over them, and events: a row goes, and comes back. All of
it is drawn from a fixed seed. ``recompute`` is semi-naive evaluation by hand in plain Python, one
function a program: the check of every state, and a peer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from random import Random

from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type
from engine.plan.logical import Plan, Scan
from engine.queries import points_to, reachability, regions, trees
from engine.queries.clauses import atom, clause
from tests.strategies import relation

Rows = list[Row]
Standing = dict[str, set[Row]]
EVENTS = 20
SPACINGS = {121: 10, 441: 5}
RADIUS = 20
SEEDS = 5


@dataclass(frozen=True)
class Program:
    """One program: its inputs by their columns, its plan, its recomputation, how DuckDB says it."""

    name: str
    inputs: dict[str, tuple[str, str]]
    plan: Callable[..., Plan]
    recompute: Callable[[Standing], set[Row]]
    generate: Callable[[int, Random], dict[str, Rows]]
    changing: tuple[str, ...]
    sizes: tuple[int, ...]
    duckdb: str | None = None
    rewritten: str = ""

    def relations(self) -> list[Relation]:
        return [
            relation(name, RelationKind.TABLE, None, (), **dict.fromkeys(columns, Type.BIGINT))
            for name, columns in self.inputs.items()
        ]

    def view(self) -> Plan:
        return self.plan(*[Scan(each, None) for each in self.relations()])


@dataclass(frozen=True)
class Case:
    """A program at one size: the rows that it begins with, and the rows that go and come back."""

    program: Program
    size: int
    rows: dict[str, Rows]
    events: list[tuple[str, Row]]


def case_of(program: Program, size: int) -> Case:
    random = Random(size)
    rows = {name: sorted(set(found)) for name, found in program.generate(size, random).items()}
    candidates = [(name, row) for name in program.changing for row in rows[name]]
    return Case(program, size, rows, random.sample(candidates, EVENTS))


# Data


def tree(size: int, random: Random) -> dict[str, Rows]:
    """Each node below one of the nodes before it, not far back, so that generations are wide."""
    return {"up": [(child, random.randrange((child + 1) // 3 + 1) % child) for child in range(1, size)]}


def network(size: int, random: Random) -> dict[str, Rows]:
    """Two links out of every node, most of them to nodes nearby."""
    near = [(x, (x + random.choice([1, 2, 3])) % size) for x in range(size)]
    return {"link": near + [(x, random.randrange(size)) for x in range(size)]}


def statements(size: int, random: Random) -> dict[str, Rows]:
    """Assignments mostly; of ten, three allocate, one loads and one stores."""

    def pairs(count: int) -> Rows:
        return [(random.randrange(size), random.randrange(size)) for _ in range(count)]

    allocations = [(random.randrange(size), size + i) for i in range(3 * size // 10)]
    return {
        "new": allocations,
        "assign": pairs(size),
        "load": pairs(size // 10),
        "store": pairs(size // 10),
    }


def grid(size: int, random: Random) -> dict[str, Rows]:
    """Sensors on a grid of 100 m × 100 m, half of them triggered, the seeds among these."""
    spacing = SPACINGS[size]
    places = list(product(range(0, 101, spacing), repeat=2))
    assert len(places) == size
    near = [
        (i, j)
        for (i, (x, y)), (j, (u, v)) in product(enumerate(places), repeat=2)
        if i != j and (x - u) ** 2 + (y - v) ** 2 < RADIUS**2
    ]
    triggered = random.sample(range(size), size // 2)
    return {
        "near": near,
        "triggered": [(sensor, 0) for sensor in triggered],
        "seed": list(enumerate(triggered[:SEEDS])),
    }


# Recomputation


def by_first(rows: Iterable[Row]) -> dict[object, list[object]]:
    found: dict[object, list[object]] = defaultdict(list)
    for first, second in rows:
        found[first].append(second)
    return found


def closure(standing: Standing) -> set[Row]:
    after = by_first(standing["link"])
    reached: set[Row] = set()
    for source in list(after):
        fresh, seen = [source], set()
        while fresh:
            fresh = [y for x in fresh for y in after[x] if y not in seen]
            seen.update(fresh)
            fresh = list(dict.fromkeys(fresh))
        reached |= {(source, target) for target in seen}
    return reached


def even(standing: Standing) -> set[Row]:
    """Breadth first over (node, parity) from every source."""
    after = by_first(standing["link"])
    reached: set[Row] = set()
    for source in list(after):
        seen: tuple[set[object], set[object]] = (set(), set())
        fresh, parity = [source], 0
        while fresh:
            parity = 1 - parity
            fresh = list(dict.fromkeys(y for x in fresh for y in after[x] if y not in seen[parity]))
            seen[parity].update(fresh)
        reached |= {(source, target) for target in seen[0]}
    return reached


def same_generation(standing: Standing) -> set[Row]:
    below = by_first((parent, child) for child, parent in standing["up"])
    fresh = {pair for children in below.values() for pair in product(children, repeat=2)}
    same = set(fresh)
    while fresh:
        fresh = {(x, y) for p, q in fresh for x in below.get(p, ()) for y in below.get(q, ())} - same
        same |= fresh
    return same


def points(standing: Standing) -> set[Row]:
    """Andersen's graph: assignments are edges, a load or a store of what is pointed to adds some."""
    after = {w: set(vs) for w, vs in by_first((w, v) for v, w in standing["assign"]).items()}
    loaded, stored = by_first((w, v) for v, w in standing["load"]), by_first(standing["store"])
    to: dict[object, set[object]] = defaultdict(set)
    work = [((variable, "variable"), o) for variable, o in standing["new"]]
    after = {(w, "variable"): {(v, "variable") for v in vs} for w, vs in after.items()}
    while work:
        place, o = work.pop()
        if o in to[place]:
            continue
        to[place].add(o)
        work.extend((further, o) for further in after.get(place, ()))
        if place[1] == "variable":
            held = (o, "object")
            edges = [(held, (v, "variable")) for v in loaded.get(place[0], ())]
            edges += [((w, "variable"), held) for w in stored.get(place[0], ())]
            for source, target in edges:
                if target not in after.setdefault(source, set()):
                    after[source].add(target)
                    work.extend((target, p) for p in to[source])
    return {(name, o) for (name, kind), objects in to.items() if kind == "variable" for o in objects}


def active(standing: Standing) -> set[Row]:
    near, on = by_first(standing["near"]), {sensor for sensor, _ in standing["triggered"]}
    found: set[Row] = set()
    for region, seed in standing["seed"]:
        fresh = [seed] if seed in on else []
        seen = set(fresh)
        while fresh:
            fresh = list(dict.fromkeys(t for s in fresh for t in near[s] if t in on and t not in seen))
            seen.update(fresh)
        found |= {(region, sensor) for sensor in seen}
    return found


def active_region(near: Plan, triggered: Plan, seed: Plan) -> Plan:
    on = clause({"sensor": "s"}, atom(triggered, "s", "_"))
    return regions.active_region(near, on, seed)


SAME_GENERATION = """
WITH RECURSIVE same(a, b) AS (
    SELECT u.child, v.child FROM up u JOIN up v ON u.parent = v.parent
  UNION
    SELECT u.child, v.child FROM same s JOIN up u ON u.parent = s.a JOIN up v ON v.parent = s.b
) SELECT a, b FROM same"""
CLOSURE = """
WITH RECURSIVE reached(a, b) AS (
    SELECT src, dst FROM link
  UNION
    SELECT l.src, r.b FROM link l JOIN reached r ON l.dst = r.a
) SELECT a, b FROM reached"""
EVEN = """
WITH RECURSIVE reached(a, b, odd) AS (
    SELECT src, dst, 1 FROM link
  UNION
    SELECT l.src, r.b, 1 - r.odd FROM link l JOIN reached r ON l.dst = r.a
) SELECT a, b FROM reached WHERE odd = 0"""
ACTIVE = """
WITH RECURSIVE active(r, s) AS (
    SELECT region, sensor FROM seed SEMI JOIN triggered USING (sensor)
  UNION
    SELECT a.r, n.far FROM active a JOIN near n ON n.near = a.s JOIN triggered t ON t.sensor = n.far
) SELECT r, s FROM active"""
LINK = {"link": ("src", "dst")}

PROGRAMS = (
    Program(
        "same generation", {"up": ("child", "parent")}, trees.same_generation, same_generation, tree, ("up",),
        (100, 200, 400), SAME_GENERATION,
    ),
    Program(
        "non-linear closure", LINK, reachability.nonlinear_closure, closure, network, ("link",),
        (50, 100), CLOSURE, "written as the linear rule; of the non-linear one it computes too little",
    ),
    Program(
        "mutual recursion", LINK, reachability.even_and_odd, even, network, ("link",),
        (25, 50, 100), EVEN, "written as one relation with a parity; it refuses two",
    ),
    Program(
        "points-to",
        {"new": ("v", "o"), "assign": ("v", "w"), "load": ("v", "w"), "store": ("v", "w")},
        points_to.points_to,
        points, statements, ("new", "assign", "load", "store"), (100, 200, 400), None,
        "not comparable: it refuses relations that are defined by each other",
    ),
    Program(
        "active region",
        {"near": ("near", "far"), "triggered": ("sensor", "since"), "seed": ("region", "sensor")},
        active_region, active, grid, ("triggered",), (121, 441), ACTIVE,
    ),
)  # fmt: skip
