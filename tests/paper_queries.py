"""The papers' queries as plans, and the random changes that all of them are held current under."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type
from engine.plan.logical import Plan, Scan
from engine.queries import paths, points_to, reachability, regions, trees
from tests.memory_log import Change
from tests.strategies import relation
from tests.watched_plan import WatchedPlan

TEXT, BIGINT, DOUBLE = Type.TEXT, Type.BIGINT, Type.DOUBLE


def table(name: str, **columns: Type) -> Relation:
    return relation(name, RelationKind.TABLE, None, (), **columns)


LINK = table("link", src=TEXT, dst=TEXT, cost=BIGINT, width=DOUBLE)
CLOSED = table("closed", node=TEXT)
SENSOR = table("sensor", sensor=BIGINT, x=DOUBLE, y=DOUBLE)
TRIGGERED = table("triggered", sensor=BIGINT)
SEED = table("seed", region=TEXT, sensor=BIGINT)
PARENT = table("family", child=TEXT, parent=TEXT)
NEW, ASSIGN = table("new", variable=TEXT, object=TEXT), table("assign", to=TEXT, source=TEXT)
LOAD, STORE = table("load", to=TEXT, pointer=TEXT), table("store", pointer=TEXT, source=TEXT)
link, closed, triggered, seed, family = (Scan(each, None) for each in (LINK, CLOSED, TRIGGERED, SEED, PARENT))
sensor, new, assign, load, store = (Scan(each, None) for each in (SENSOR, NEW, ASSIGN, LOAD, STORE))
near = regions.near(sensor, 2.0)
active = regions.active_region(near, triggered, seed)
fringed = regions.active_region(near, triggered, seed, fringe=True)


# Five sensors in a row, one unit apart; the fourth is not triggered.
PLACED: list[Row] = [(i, float(i), 0.0) for i in range(5)]
EDGES = (LINK, CLOSED)
FIELD = (SENSOR, TRIGGERED, SEED)
HEAP = (NEW, ASSIGN, LOAD, STORE)
QUERIES: dict[str, tuple[Plan, tuple[Relation, ...]]] = {
    "reachable": (reachability.reachable(link), EDGES),
    "nonlinear closure": (reachability.nonlinear_closure(link), EDGES),
    "even": (reachability.even_and_odd(link), EDGES),
    "odd": (reachability.even_and_odd(link, even=False), EDGES),
    "cycles": (reachability.cycles(link), EDGES),
    "unreachable": (reachability.unreachable(link), EDGES),
    "reach sizes": (reachability.reach_sizes(link), EDGES),
    "reachable where open": (reachability.reachable(reachability.open_links(link, closed)), EDGES),
    "min hops": (paths.min_hops(link), EDGES),
    "cheapest": (paths.cheapest(link), EDGES),
    "widest": (paths.widest(link), EDGES),
    "shortest paths": (paths.shortest_paths(link), EDGES),
    "cheapest paths": (paths.cheapest_paths(link), EDGES),
    "horizon": (paths.horizon(link, 2), EDGES),
    "active region": (active, FIELD),
    "active region and fringe": (fringed, FIELD),
    "region sizes": (regions.region_sizes(active), FIELD),
    "largest regions": (regions.largest_regions(active), FIELD),
    "same generation": (trees.same_generation(family), (PARENT,)),
    "points to": (points_to.points_to(new, assign, load, store), HEAP),
    "heap": (points_to.points_to(new, assign, load, store, heap=True), HEAP),
}
VALUES = {TEXT: list("abcd"), BIGINT: [1, 2, 3, 4], DOUBLE: [0.0, 1.0, 2.0]}


def random_changes(
    relations: Sequence[Relation], standing: Counter[tuple[str, Row]], random: Random, deletes: float = 0.5
) -> list[Change]:
    """One to three rows that come, go, or go without having been there."""
    changes = []
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        held = list(standing.elements())
        if held and random.random() < deletes:
            name, row = random.choice(held)
            changes.append(Change(name, -1, row))
            standing[name, row] -= 1
        else:
            into = random.choice(relations)
            row = tuple(random.choice(VALUES[column.type]) for column in into.columns)
            changes.append(Change(into.name, 1, row))
            standing[into.name, row] += 1
    return changes


def live(query: str, watched: WatchedPlan, ticks: int = 30) -> list[int]:
    """Change what a query reads at random, checking each tick; return how many rows it had."""
    _, relations = QUERIES[query]
    random: Random = Random(query)
    standing: Counter[tuple[str, Row]] = Counter()
    if SENSOR in relations:
        watched.tick(*[Change("sensor", 1, row) for row in PLACED])
    for _ in range(12):
        watched.tick(
            *random_changes(relations[:1] if LINK in relations else relations, standing, random, 0.1)
        )
    return [len(watched.tick(*random_changes(relations, standing, random))) for _ in range(ticks)]
