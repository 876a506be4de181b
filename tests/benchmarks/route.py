"""Ways that change with the world: 1,000 routing points, 100 kiosks, a view beside one Dijkstra an event.

    ours    a tick through the operators, its delta taken in, of 100 kiosks' ways those that it touches walked
    peer    rustworkx: the graph changed, one Dijkstra from all free machines, 100 ways read

    floor: not slower (ratio 1)        aim: 5 times faster

Half of 200 machines are free. Where only ten are, one that is taken turns the ways of a tenth of all points,
and a Dijkstra is not much more work than that: told besides, without a floor.

Times are of computing, so that others on the machine do not count. Of each event the 100 lengths are
compared. A hundred who wish the same share a view: what an event costs with a hundred subscriptions, over
one.
"""

import sys
from collections.abc import Callable
from itertools import pairwise
from random import Random
from time import process_time
from typing import Any

import rustworkx as rx

from app.wayfinding import binder
from app.ways.facts import FACTOR, Facts
from app.ways.plans import way_to
from app.ways.shared import SharedWays
from app.ways.wish import Wish
from engine.model.catalog import Catalog
from engine.model.values import Row
from engine.service import Engine
from tests.benchmarks._report import Result, quantile, report
from tests.benchmarks._routes import DESKS, Building
from tests.memory_log import MemoryLog
from tests.walked_building import CATALOG, SCRIPT

EVENTS = 300
WISH = Wish("machine")
VIEW = WISH.view
PEER = "rustworkx==0.18.1"
AWAY = 1e9


class Ours:
    """The wish's view in a session, and a reader that follows it."""

    def __init__(self, building: Building) -> None:
        self.log, self.building = MemoryLog(), building
        self.session = self.log.session(Catalog(CATALOG))
        for name, rows in building.facts():
            self.log.write(0, name, *rows)
        self.log.tick(self.session)
        self.session.offer(VIEW, way_to(Facts(binder(self.session.catalog, SCRIPT)), WISH))
        self.rows = {str(row[0]): row for row, _ in self.session.snapshot(VIEW).rows}
        self.ways = {kiosk: self.way(kiosk) for kiosk in building.kiosks}

    def event(self, relation: str, row: Row) -> tuple[float, list[float]]:
        """Return the time of an event, and how long the kiosks' ways are then."""
        pieces = self.pieces(relation, row)
        begun = process_time()
        for delta in self.session.advance(self.log.end, self.log.stamps[-1], pieces):
            if delta.view == VIEW:
                self.follow(self.take(delta.changes))
        took = process_time() - begun
        return took, [self.seconds(self.ways[kiosk]) for kiosk in self.building.kiosks]

    def pieces(self, relation: str, row: Row) -> Any:
        self.log.write(1000, relation, row)
        (reading,) = self.log.readings[-1:]
        return {f: [reading] if f.relation == relation else [] for f in self.session.fragments()}

    def take(self, changes: Any) -> set[str]:
        """Take a delta in; return the points whose row it changes."""
        for row, count in changes:
            if count < 0 and self.rows.get(row[0]) == row:
                del self.rows[row[0]]
            elif count > 0:
                self.rows[row[0]] = row
        return {row[0] for row, _ in changes}

    def follow(self, changed: set[str]) -> None:
        """Walk again every way that goes over a point that changed, as a kiosk does."""
        for kiosk, way in self.ways.items():
            if not changed.isdisjoint(way):
                self.ways[kiosk] = self.way(kiosk)

    def way(self, kiosk: str) -> list[str]:
        way, rows, point = [kiosk], self.rows, kiosk
        while (row := rows.get(point)) is not None and row[1] != point:
            point = row[1]
            way.append(point)
        return way

    def seconds(self, way: list[str]) -> float:
        row = self.rows.get(way[0])
        return AWAY if row is None else float(row[4])


class Peer:
    """One Dijkstra an event, from a node that all free machines hang on."""

    def __init__(self, building: Building) -> None:
        self.building, self.graph = building, rx.PyGraph()
        self.at = {point: self.graph.add_node(point) for point in building.points}
        self.free = self.graph.add_node("free")
        self.edge_of = {
            segment: self.graph.add_edge(self.at[a], self.at[b], cost(metres, seconds))
            for segment, (a, b, metres, seconds, _) in building.segments.items()
        }
        self.desk_of = {d: self.graph.add_edge(self.free, self.at[p], 0.0) for d, p in building.desks.items()}
        self.kiosks = [self.at[kiosk] for kiosk in building.kiosks]

    def event(self, change: Callable[["Peer"], None]) -> tuple[float, list[float]]:
        begun = process_time()
        change(self)
        found = rx.dijkstra_shortest_paths(self.graph, self.free, weight_fn=float)
        ways = [list(found[kiosk]) if kiosk in found else [] for kiosk in self.kiosks]
        took = process_time() - begun
        return took, [self.seconds(way) for way in ways]

    def seconds(self, way: list[int]) -> float:
        if not way:
            return AWAY
        walk = sum(self.graph.get_edge_data(a, b) for a, b in pairwise(way[1:]))
        return float((int(walk) // FACTOR + 50) // 100)

    def seat(self, desk: str, is_taken: bool) -> None:
        if is_taken:
            self.graph.remove_edge_from_index(self.desk_of.pop(desk))
        else:
            self.desk_of[desk] = self.graph.add_edge(self.free, self.at[self.building.desks[desk]], 0.0)

    def close(self, segment: str, is_closed: bool) -> None:
        a, b, metres, seconds, _ = self.building.segments[segment]
        if is_closed:
            self.graph.remove_edge_from_index(self.edge_of.pop(segment))
        else:
            self.edge_of[segment] = self.graph.add_edge(self.at[a], self.at[b], cost(metres, seconds))


def cost(metres: float, seconds: float) -> float:
    return seconds * 100 * FACTOR + metres * 100


def beside_peer(free: int, floor: float | None) -> list[Result]:
    """Return the times of both, with about so many machines free."""
    building, random = Building(), Random(2)
    ours, peer = Ours(building), Peer(building)
    taken, shut = set[str](), set[str]()
    for desk in random.sample([*building.desks], DESKS - free):
        taken.add(desk)
        ours.event("seats", (desk, True))
        peer.seat(desk, is_taken=True)
    times: dict[str, list[tuple[float, float]]] = {
        "a desk taken or freed": [],
        "a corridor closed or opened": [],
    }
    wrong = 0
    for n in range(2 * EVENTS):
        if n % 2:
            desk, on = pick(random, [*building.desks], taken, DESKS - free)
            mine, lengths = ours.event("seats", (desk, on))
            theirs, found = peer.event(lambda p, d=desk, o=on: p.seat(d, o))  # type: ignore[misc]
        else:
            segment, on = pick(random, [*building.segments], shut, 40)
            mine, lengths = ours.event("door_states", (f"o{segment}", not on))
            theirs, found = peer.event(lambda p, s=segment, o=on: p.close(s, o))  # type: ignore[misc]
        wrong += lengths != found
        times[[*times][1 - n % 2]].append((mine * 1000, theirs * 1000))
    results = [Result(f"{free} free: events after which a way differs", wrong, "events", floor=0, peer=PEER)]
    for case, both in times.items():
        results += rows_of(f"{free} free, {case}", both, floor)
    every = [pair for both in times.values() for pair in both]
    total = sum(theirs for _, theirs in every) / sum(mine for mine, _ in every)
    name = f"{free} free, all events: peer over ours"
    return [*results, Result(name, total, "ratio", "higher", floor, 5.0, PEER, total)]


def rows_of(case: str, both: list[tuple[float, float]], floor: float | None) -> list[Result]:
    mine, theirs = ([pair[i] for pair in both] for i in (0, 1))
    ratio = quantile(theirs, 0.5) / quantile(mine, 0.5)
    return [
        Result(f"{case}, ours, median", quantile(mine, 0.5), "ms"),
        Result(f"{case}, ours, p95", quantile(mine, 0.95), "ms"),
        Result(f"{case}, peer, median", quantile(theirs, 0.5), "ms", peer=PEER),
        Result(f"{case}, peer over ours", ratio, "ratio", "higher", floor, 5.0, PEER, ratio),
    ]


def pick(random: Random, among: list[str], marked: set[str], about: int) -> tuple[str, bool]:
    """Mark one, or take a mark away, so that about so many are marked."""
    if len(marked) > about or (len(marked) == about and random.random() < 0.5):
        found = random.choice(sorted(marked))
        marked.discard(found)
        return found, False
    found = random.choice([each for each in among if each not in marked])
    marked.add(found)
    return found, True


def shared() -> list[Result]:
    """Return what an event costs with a hundred who wish the same, over one."""
    one, hundred = cost_of(1), cost_of(100)
    return [
        Result("an event with 1 kiosk, median", one, "ms"),
        Result("an event with 100 kiosks of one wish, median", hundred, "ms"),
        Result("100 kiosks over 1", hundred / one, "ratio", floor=2.0, aim=1.1),
    ]


def cost_of(kiosks: int) -> float:
    building, random = Building(), Random(3)
    ours = Ours(building)
    engine = Engine(ours.session)
    ways = SharedWays(engine, ours.session, SCRIPT)
    ways._wanted[VIEW] = 0
    heard: list[Any] = []
    for _ in range(kiosks):
        view, _ = ways.want(WISH)
        engine.subscribe(view, heard.append)
    taken, times = set[str](), list[float]()
    for _ in range(EVENTS):
        desk, on = pick(random, [*building.desks], taken, DESKS // 2)
        pieces = ours.pieces("seats", (desk, on))
        begun = process_time()
        engine.advance(ours.log.end, ours.log.stamps[-1], pieces)
        times.append((process_time() - begun) * 1000)
    engine.stop()
    return quantile(times, 0.5)


def main() -> int:
    return report("route", [*beside_peer(DESKS // 2, 1.0), *beside_peer(10, None), *shared()])


if __name__ == "__main__":
    sys.exit(main())
