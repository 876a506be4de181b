"""A small building drawn at random: its relations, what happens in it, and what a graph library says."""

from collections.abc import Iterator
from random import Random
from typing import Any

import networkx as nx

from app.wayfinding import binder
from app.ways.facts import FACTOR, Facts
from app.ways.plans import install_way_views, way_to
from app.ways.wish import Wish
from engine.lang.streamsql import parse_script
from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type
from engine.session import Session
from ingest.discovery.relations import DEVICES
from ingest.holds import HOLDS, LASTS
from tests.memory_log import MemoryLog, rows_of

TEXT, BIGINT, DOUBLE, BOOLEAN = Type.TEXT, Type.BIGINT, Type.DOUBLE, Type.BOOLEAN
STREAM, TABLE = RelationKind.STREAM, RelationKind.TABLE


def table(of: str, key: str, **columns: Type) -> Relation:
    return Relation(of, TABLE, tuple(Column(c, t) for c, t in columns.items()), (key,) if key else ())


def newest(of: str, key: str, **columns: Type) -> Relation:
    """A stream of which the newest row of each key counts."""
    window = f"PARTITION BY {key} ROWS 1"
    return Relation(of, STREAM, tuple(Column(c, t) for c, t in columns.items()), (key,), window)


TABLES = (
    table("rooms", "room", room=TEXT, name=TEXT, kind=TEXT, open_lab=BOOLEAN, point=TEXT),
    table("desks", "desk", desk=TEXT, room=TEXT, x=DOUBLE, y=DOUBLE, point=TEXT),
    table("machines", "machine", machine=TEXT, desk=TEXT, room=TEXT),
    table("software", "", machine=TEXT, package=TEXT),
    table("equipment", "", room=TEXT, item=TEXT),
    table("routing_points", "point", point=TEXT, floor=BIGINT, x=DOUBLE, y=DOUBLE, kind=TEXT, room=TEXT),
    table(
        "routing_segments", "segment", segment=TEXT, a=TEXT, b=TEXT, metres=DOUBLE, seconds=DOUBLE, way=TEXT
    ),
    table("doors", "door", door=TEXT, name=TEXT, segment=TEXT, access=TEXT),
    table("reserved", "room", room=TEXT),
)
STREAMS = (
    newest("seats", "desk", desk=TEXT, pressed=BOOLEAN),
    newest("lights", "room", room=TEXT, lux=DOUBLE),
    newest("machine_states", "machine", machine=TEXT, cpu=DOUBLE),
    newest("door_states", "door", door=TEXT, open=BOOLEAN),
)
SCRIPT = parse_script("""
CREATE VIEW busy_machines AS SELECT m.machine FROM machine_states m WHERE m.cpu >= 0.6;
CREATE VIEW dark_rooms AS SELECT l.room FROM lights l WHERE l.lux < 60.0;
CREATE VIEW reserved_rooms AS SELECT r.room FROM reserved r;
""")
WAYS = ("corridor", "door", "stairs", "elevator", "ramp")
KINDS = ("lab", "library", "office")
PACKAGES, ITEMS = ("Word", "LaTeX"), ("printer", "projector")
CATALOG: tuple[Relation, ...] = (*TABLES, *STREAMS, DEVICES, HOLDS)


class Walked:
    """The building in a session, with what stands in it by now."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.points = [f"p{n}" for n in range(14)]
        self.rooms = {f"r{n}": (random.choice(KINDS), random.choice(self.points)) for n in range(6)}
        self.desks = {f"d{n}": (random.choice([*self.rooms]), random.choice(self.points)) for n in range(8)}
        self.machines = {f"m{n}": f"d{n}" for n in range(6)}
        self.software = {(m, random.choice(PACKAGES)) for m in self.machines}
        self.equipment = {(r, random.choice(ITEMS)) for r in self.rooms}
        self.segments = {f"s{n}": self._segment() for n in range(24)}
        self.doors = {f"o{n}": (f"s{n}", None if n else "private") for n in range(8)}
        self.taken, self.dark, self.busy = set[str](), set[str](), set[str]()
        self.shut, self.reserved = set[str](), set[str]()
        self.holds: dict[str, dict[str, Any]] = {}
        self.log, self.wishes = MemoryLog(), list[Wish]()
        self.catalog = Catalog(CATALOG)
        self.session = self.open()
        for name, rows in self._facts():
            self.log.write(0, name, *rows)
        self.log.tick(self.session)

    def open(self) -> Session:
        session = self.log.session(Catalog(CATALOG))
        install_way_views(session, session.catalog, SCRIPT)
        return session

    def wish(self, wish: Wish) -> None:
        self.session.offer(wish.view, way_to(Facts(binder(self.session.catalog, SCRIPT)), wish))
        self.wishes.append(wish)

    def _segment(self) -> tuple[str, str, float, float, str]:
        a, b = self.random.sample(self.points, 2)
        metres = float(self.random.choice((1, 2, 2, 5)))
        return a, b, metres, float(self.random.choice((1, 2, 3))), self.random.choice(WAYS)

    def _facts(self) -> Iterator[tuple[str, list[Row]]]:
        yield "rooms", [(r, f"Room {r}", kind, kind == "lab", p) for r, (kind, p) in self.rooms.items()]
        yield "desks", [(d, r, 0.0, 0.0, p) for d, (r, p) in self.desks.items()]
        yield "machines", [(m, d, self.desks[d][0]) for m, d in self.machines.items()]
        yield "software", [*self.software]
        yield "equipment", [*self.equipment]
        yield "routing_points", [(p, 1, 0.0, 0.0, "corridor", None) for p in self.points]
        yield "routing_segments", [(s, *row) for s, row in self.segments.items()]
        yield "doors", [(o, f"Door {o}", s, access) for o, (s, access) in self.doors.items()]
        yield "seats", [(d, False) for d in self.desks]

    # What happens

    def change(self) -> None:
        """Have one thing happen."""
        random, on = self.random, self.random.random() < 0.5
        match random.choice(
            ("seat", "seat", "light", "cpu", "door", "door", "reserve", "hold", "hold", "say")
        ):
            case "seat":
                desk = random.choice([*self.desks])
                self._turn(self.taken, desk, on)
                self.log.write(1000, "seats", (desk, on))
            case "light":
                room = random.choice([*self.rooms])
                self._turn(self.dark, room, on)
                self.log.write(1000, "lights", (room, 5.0 if on else 300.0))
            case "cpu":
                machine = random.choice([*self.machines])
                self._turn(self.busy, machine, on)
                self.log.write(1000, "machine_states", (machine, 0.9 if on else 0.1))
            case "door":
                door = random.choice([*self.doors])
                self._turn(self.shut, door, on)
                self.log.write(1000, "door_states", (door, not on))
            case "reserve":
                room = random.choice([*self.rooms])
                if (room in self.reserved) != on:
                    self._turn(self.reserved, room, on)
                    self.log.write(1000, "reserved", (room,), sign=1 if on else -1)
            case "hold":
                self._hold()
            case "say" if self.holds:
                word = {**self.holds[random.choice([*self.holds])]}
                self._say({**word, "turn": word["turn"] + 1, "state": random.choice(("cancelled", "moved"))})

    def _turn(self, among: set[str], which: str, on: bool) -> None:
        (among.add if on else among.discard)(which)

    def _hold(self) -> None:
        kind, target = self.random.choice(
            [
                *(("machine", m) for m in self.machines),
                *(("desk", d) for d in self.desks),
                *(("room", r) for r in self.rooms),
            ]
        )
        word = {
            "hold": f"h{len(self.holds)}",
            "turn": 0,
            "kiosk": "k",
            "point": self.random.choice(self.points),
        }
        word |= {"wish": "{}", "step_free": self.random.random() < 0.4, "kind": kind, "target": target}
        self._say({**word, "seconds": 9, "state": "held"})

    def _say(self, word: dict[str, Any]) -> None:
        at = self.log.stamps[-1] + 1000
        word = {**word, "said": at, "until": at + LASTS}
        self.holds[word["hold"]] = word
        self.log.write(1000, "holds", tuple(word[column.name] for column in HOLDS.columns))

    # What is so

    def standing(self) -> dict[str, dict[str, Any]]:
        now = self.log.stamps[-1]
        return {
            hold: word
            for hold, word in self.holds.items()
            if word["state"] in ("held", "moved") and word["until"] > now
        }

    def graph(self, step_free: bool) -> nx.Graph:
        closed = {s for o, (s, access) in self.doors.items() if o in self.shut or access == "private"}
        graph = nx.Graph()
        graph.add_nodes_from(self.points)
        for segment, (a, b, metres, seconds, way) in self.segments.items():
            if segment in closed or (step_free and way == "stairs"):
                continue
            walk = int(seconds * 100) * FACTOR + int(metres * 100)
            if not graph.has_edge(a, b) or graph[a][b]["walk"] > walk:
                graph.add_edge(a, b, walk=walk)
        return graph

    def usable(self, kind: str) -> dict[str, str]:
        """What a visitor may use, with its point, held or not."""
        lit = {r for r in self.rooms if r not in self.dark and r not in self.reserved}
        public = {r for r, (kind, _) in self.rooms.items() if kind != "office"}
        free = {d: p for d, (r, p) in self.desks.items() if d not in self.taken and r in lit & public}
        match kind:
            case "room":
                return {r: p for r, (_, p) in self.rooms.items() if r in lit & public}
            case "desk":
                return free
        labs = {r for r, (kind, _) in self.rooms.items() if kind == "lab"}
        return {
            m: free[d]
            for m, d in self.machines.items()
            if d in free and self.desks[d][0] in labs and m not in self.busy
        }

    def targets(self, wish: Wish) -> dict[str, str]:
        if wish.kind == "to":
            return {str(wish.to): self.rooms[str(wish.to)][1]}
        held = {(word["kind"], word["target"]) for word in self.standing().values()}
        desk_of = {("desk", d): d for d in self.desks} | {("machine", m): d for m, d in self.machines.items()}
        desks = {desk_of[each] for each in held if each in desk_of}

        def is_wanted(target: str) -> bool:
            room = target if wish.kind == "room" else self.desks[desk_of[wish.kind, target]][0]
            is_held = (
                (wish.kind, target) in held if wish.kind == "room" else desk_of[wish.kind, target] in desks
            )
            has = wish.software is None or (target, wish.software) in self.software
            return (
                not is_held and has and (wish.equipment is None or (room, wish.equipment) in self.equipment)
            )

        return {t: p for t, p in self.usable(wish.kind).items() if is_wanted(t)}

    # Held against the views

    def check(self) -> None:
        for wish in self.wishes:
            self.check_wish(wish)
        self.check_holds()

    def check_wish(self, wish: Wish) -> None:
        graph, targets = self.graph(wish.step_free), self.targets(wish)
        ends = set(targets.values())
        far = nx.multi_source_dijkstra_path_length(graph, ends, weight="walk") if ends else {}
        found = {row[0]: row[1:] for row in rows_of(self.session, wish.view)}
        assert {p: (length, seconds) for p, (_, _, length, seconds) in found.items()} == {
            p: parts(walk) for p, walk in far.items()
        }, wish
        for point, (onward, target, *_) in found.items():
            assert found[onward][1] == target
            rest = 0 if onward == point else graph[point][onward]["walk"] + far[onward]
            assert far[point] == rest
            assert onward != point or targets[target] == point

    def check_holds(self) -> None:
        standing = self.standing()
        by_hold: dict[str, dict[str, Row]] = {}
        for hold, point, *rest in rows_of(self.session, "held_ways"):
            by_hold.setdefault(str(hold), {})[str(point)] = tuple(rest)
        lost = {str(row[0]) for row in rows_of(self.session, "lost_holds")}
        assert by_hold.keys() | lost == standing.keys()
        assert not by_hold.keys() & lost
        for hold, word in standing.items():
            graph, goal = self.graph(word["step_free"]), self.usable(word["kind"]).get(word["target"])
            if goal is None or not nx.has_path(graph, word["point"], goal):
                assert hold in lost
                continue
            far = nx.single_source_dijkstra_path_length(graph, goal, weight="walk")
            rows, point, walked = by_hold[hold], word["point"], set[str]()
            while point not in walked:
                walked.add(point)
                onward, target, *length = rows[point]
                assert (target, tuple(length)) == (word["target"], parts(far[point]))
                point = str(onward)
            assert point == goal
            assert walked == rows.keys()
        shown = {row[0]: (row[2], row[3]) for row in rows_of(self.session, "holds_now")}
        now = self.log.stamps[-1]
        assert shown == {
            h: (w["target"], w["state"]) for h, w in self.holds.items() if w["said"] + LASTS > now
        }


def parts(walk: int) -> tuple[int, int]:
    """Centimetres, and seconds as they are shown."""
    return walk % FACTOR, (walk // FACTOR + 50) // 100
