"""The papers' named queries as they ship, in SQL: against the plans by hand and against brute force."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import engine.queries
from engine.lang.streamsql import parse_script
from engine.model.catalog import Catalog
from engine.model.relation import Relation
from engine.model.values import Row
from engine.plan.logical import Plan, Scan
from engine.queries import paths, reachability, regions, trees
from engine.session import Session
from tests.brute_force import (
    active,
    bandwidths,
    best_routes,
    generations,
    heights,
    imbalances,
    largest,
    lengths,
    near_cycles,
    pairs,
    simple_paths,
    sizes,
)
from tests.golden_script import relation
from tests.memory_log import Change, Entry, MemoryLog, rows_of
from tests.oracle import evaluate

SCRIPTS = {path.stem: path for path in Path(engine.queries.__file__).parent.glob("sql/*.sql")}
NEEDS = "-- needs "


class Shipped(NamedTuple):
    """A script in a session of its own."""

    relations: dict[str, Relation]
    log: MemoryLog
    session: Session

    def scan(self, name: str) -> Scan:
        return Scan(self.relations[name], None)

    def rows(self, view: str) -> Counter[Row]:
        return rows_of(self.session, view)


def started(name: str) -> Shipped:
    text = SCRIPTS[name].read_text("utf-8")
    needed = [relation(line.removeprefix(NEEDS)) for line in text.splitlines() if line.startswith(NEEDS)]
    log = MemoryLog()
    session = log.session(Catalog(needed))
    for statement in parse_script(text):
        session.create_view(statement.text)
    return Shipped({each.name: each for each in needed}, log, session)


class Held(NamedTuple):
    """A view, what brute force says of it, and the plan by hand, whose rows may be written otherwise."""

    script: str
    view: str
    brute: Callable[[dict[str, list[Row]]], set[Row]]
    by_hand: Callable[[Shipped], Plan] | None = None
    shown: Callable[[Row], Row] = tuple


def of_links(brute: Callable[[list[Row]], set[Row]]) -> Callable[[dict[str, list[Row]]], set[Row]]:
    return lambda standing: brute(standing["link"])


def of_family(brute: Callable[[list[Row]], set[Row]]) -> Callable[[dict[str, list[Row]]], set[Row]]:
    return lambda standing: brute(standing["family"])


def on_links(query: Callable[..., Plan], *args: Any) -> Callable[[Shipped], Plan]:
    return lambda shipped: query(shipped.scan("link"), *args)


def on_family(query: Callable[..., Plan]) -> Callable[[Shipped], Plan]:
    return lambda shipped: query(shipped.scan("family"))


def with_text(row: Row) -> Row:
    source, target, path, cost = row
    return source, target, ">".join(path), cost  # type: ignore[arg-type]


def by_regions(query: Callable[[Plan], Plan]) -> Callable[[Shipped], Plan]:
    def plan(shipped: Shipped) -> Plan:
        near = regions.near(shipped.scan("sensor"), 2.0)
        return query(regions.active_region(near, shipped.scan("triggered"), shipped.scan("seed")))

    return plan


HELD = [
    Held("reachable", "reachable", of_links(pairs), on_links(reachability.reachable)),
    Held("min_hops", "min_hops", of_links(lengths), on_links(paths.min_hops)),
    Held("cheapest_cost", "cheapest_cost", of_links(partial(lengths, cost=2)), on_links(paths.cheapest)),
    Held("highest_bandwidth", "highest_bandwidth", of_links(bandwidths), on_links(paths.widest)),
    Held("horizon", "horizon", of_links(partial(lengths, most=3)), on_links(paths.horizon, 3)),
    Held("cycles", "cycles", of_links(near_cycles)),
    Held("shortest_paths", "shortest_paths", of_links(partial(best_routes, cost=None)),
         on_links(paths.shortest_paths), with_text),
    Held("cheapest_paths", "cheapest_paths", of_links(partial(best_routes, cost=2)),
         on_links(paths.cheapest_paths), with_text),
    Held("routing_resilience", "routing_resilience", of_links(simple_paths)),
    Held("same_generation", "same_generation", of_family(generations), on_family(trees.same_generation)),
    Held("regions", "active_region", active, by_regions(lambda region: region)),
    Held("regions", "region_sizes", sizes, by_regions(regions.region_sizes)),
    Held("regions", "largest_regions", largest, by_regions(regions.largest_regions)),
    Held("trees", "subtree_height", of_family(heights), on_family(trees.subtree_height)),
    Held("trees", "imbalance", of_family(imbalances), on_family(trees.imbalance)),
]  # fmt: skip


def random_row(name: str, random: Random) -> Row:
    match name:
        case "link":
            return (*random.choices("abcde", k=2), random.choice([1, 2, 5]), random.choice([1.0, 2.0, 3.0]))
        case "family":
            return tuple(sorted(random.sample("abcdefg", 2), reverse=True))
        case "sensor":
            return random.randrange(8), random.choice([0.0, 1.5, 3.0, 4.5]), random.choice([0.0, 1.5])
        case "triggered":
            return (random.randrange(8),)
    return random.choice(["north", "south"]), random.randrange(8)


def changed(standing: dict[str, list[Row]], random: Random, is_tree: bool) -> Iterable[Change]:
    """One to three rows that come or go; of a tree no child gets two parents, and rows are there once."""
    for _ in range(random.choice([1, 1, 2, 3])):
        name = random.choice(list(standing))
        held = standing[name]
        if held and random.random() < 0.4:
            yield Change(name, -1, held.pop(random.randrange(len(held))))
            continue
        row = random_row(name, random)
        if row not in held and not (is_tree and any(row[0] == child for child, _ in held)):
            held.append(row)
            yield Change(name, 1, row)


@pytest.mark.parametrize("script", sorted({held.script for held in HELD}))
def test_a_shipped_query_is_what_brute_force_and_the_plan_by_hand_say_whatever_changes(script):
    shipped, random = started(script), Random(script)
    standing: dict[str, list[Row]] = {name: [] for name in shipped.relations}
    seen = 0
    for _ in range(60):
        shipped.log.append(Entry(1, list(changed(standing, random, is_tree=script == "trees"))))
        shipped.log.tick(shipped.session)
        for held in [each for each in HELD if each.script == script]:
            found = shipped.rows(held.view)
            assert found == Counter(held.brute(standing)), held.view
            seen += len(found)
            if held.by_hand:
                by_hand = evaluate(held.by_hand(shipped), shipped.log.readings, shipped.log.stamps[-1])
                assert Counter(map(held.shown, found.elements())) == by_hand, held.view
    assert seen > 100


def test_every_shipped_query_is_held_against_something():
    assert set(SCRIPTS) == {held.script for held in HELD} | {"free_word_machines", "segment_tolls"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_shipped_query_begins_with_what_it_answers_and_what_it_needs(script):
    first, *lines = SCRIPTS[script].read_text("utf-8").splitlines()
    assert first.startswith("-- ")
    assert not first.startswith(NEEDS)
    assert any(line.startswith(NEEDS) for line in lines)


# Streams

SECOND = 1_000_000


def test_free_word_machines_follow_the_last_readings():
    shipped, random = started("free_word_machines"), Random(14)
    log, seats, rooms = shipped.log, {}, {}
    log.write(0, "machines", ("m1", 4), ("m2", 8))
    log.write(0, "machine_software", ("m1", "Word"), ("m2", "Word"), ("m2", "TeX"))
    for _ in range(80):
        if random.random() < 0.7:
            machine, room, weight = (
                random.choice(["m1", "m2"]),
                random.choice(["L1", "L2"]),
                random.choice([0, 60]),
            )
            seats[machine] = (room, weight)
            log.write(SECOND, "seat_sensor", (machine, room, weight))
        else:
            room = random.choice(["L1", "L2"])
            rooms[room] = random.choice(["open", "closed"])
            log.write(SECOND, "room_sensor", (room, rooms[room]))
        log.tick(shipped.session)
        wanted = {(m, r) for m, (r, weight) in seats.items() if weight < 20 and rooms.get(r) == "open"}
        assert set(shipped.rows("free_word_machines")) == wanted


def tolls(reports: list[tuple[int, Row]], now: int) -> set[Row]:
    """SegTollS by its text: five windows, all combinations."""
    r1 = {row[1:4] for at, row in reports if now - 300 * SECOND < at <= now}
    r2 = {row[1:4] for _, row in {row[1:4]: (at, row) for at, row in reports}.values()}
    r3 = {row[0]: row for _, row in reports}
    r4 = {row[0] for at, row in reports if now - 30 * SECOND < at <= now}
    places: dict[int, list[int]] = defaultdict(list)
    for _, (car, *_, place) in reports:
        places[car].append(place)
    return {
        (car, way, 0, segment, len(set(places[car][-4:])))
        for car, (_, way, direction, here, _) in r3.items()
        if car in r4 and direction == 0
        for other, turned, segment in r2 & r1
        if other == way and turned == 0 and here - 10 < segment < here
    }


def test_segment_tolls_are_what_the_five_windows_say():
    shipped, random = started("segment_tolls"), Random(5)
    reports: list[tuple[int, Row]] = []
    seen = 0
    for _ in range(120):
        gap = random.choice([1, 5, 20, 100]) * SECOND
        row = (
            random.randrange(5),
            random.randrange(2),
            random.choice([0, 0, 1]),
            random.randrange(14),
            random.randrange(3),
        )
        shipped.log.write(gap, "car_location", row)
        shipped.log.tick(shipped.session)
        now = shipped.log.stamps[-1]
        reports.append((now, row))
        wanted = tolls(reports, now)
        assert set(shipped.rows("segment_tolls")) == wanted
        seen += len(wanted)
    assert seen > 20


def test_a_route_is_a_way_over_links():
    shipped = started("shortest_paths")
    shipped.log.write(1, "link", *[(a, b, 1, 1.0) for a, b in pairwise("abcda")])
    shipped.log.tick(shipped.session)
    routes = {row[2] for row in shipped.rows("shortest_paths")}
    assert {("a", "b", "c", "d"), ("a", "b", "c", "d", "a")} <= routes
