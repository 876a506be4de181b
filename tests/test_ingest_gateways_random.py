"""Whatever happens to gateways, once they fell silent their answers are those of one place that heard all.

Devices speak, fragments come and go, gateways die, lose their connection and return, and the broker delivers
in any order between gateways. The peer is a page of loops over what each gateway heard whose process
runs, with a connection or without one.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from engine.model.values import Row
from tests.gateway_parts import House, planned

METHODS = ("natural", "semi", "bloom", "base")
Said = dict[str, list[tuple[str, str, dict[str, object]]]]  # of each gateway: kind, device, payload

LINE = {"a": ["base", "b"], "b": ["c"], "c": ["d"], "d": []}
STAR = {"a": ["base"], "b": ["base"], "c": ["base", "d"], "d": []}
RING = {"a": ["base", "b"], "b": ["c"], "c": ["d"], "d": ["a", "base"]}


def last(said: Said, kind: str, gateway: str) -> list[dict[str, object]]:
    """What each device of a gateway said last, for the window by device."""
    found = {device: payload for each, device, payload in said.get(gateway, []) if each == kind}
    return [{"device": device, **payload} for device, payload in found.items()]


def light(said: Said) -> Counter[Row]:
    return Counter((s["device"], s["room"]) for g in said for s in last(said, "seat", g) if s["weight"] < 2)


def by_room(said: Said) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for gateway in said:
        rooms = Counter(seat["room"] for seat in last(said, "seat", gateway))
        found.update((room, count) for room, count in rooms.items())
    return found


def newest_two(said: Said) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for spoken in said.values():
        seats: defaultdict[str, list[Row]] = defaultdict(list)
        for kind, device, payload in spoken:
            if kind == "seat":
                seats[device].append((device, payload["weight"]))
        found.update(row for rows in seats.values() for row in rows[-2:])
    return found


def in_open_rooms(said: Said) -> Counter[Row]:
    seats = [seat for gateway in said for seat in last(said, "seat", gateway) if seat["weight"] < 2]
    rooms = [room for gateway in said for room in last(said, "room", gateway) if room["open"]]
    return Counter((s["device"], r["room"]) for s in seats for r in rooms if s["room"] == r["room"])


def lighter_than_another(said: Said) -> Counter[Row]:
    seats = [seat for gateway in said for seat in last(said, "seat", gateway)]
    return Counter(
        (s["device"], o["device"])
        for s in seats
        for o in seats
        if s["room"] == o["room"] and s["weight"] < o["weight"]
    )


ALONE: dict[str, Callable[[Said], Counter[Row]]] = {
    "SELECT seat, room FROM seats WHERE weight < 2": light,
    "SELECT room, count(*) FROM seats GROUP BY room": by_room,
    "SELECT seat, weight FROM seats [PARTITION BY seat ROWS 2]": newest_two,
}
JOINED: dict[str, Callable[[Said], Counter[Row]]] = {
    "SELECT s.seat, r.room FROM seats s, rooms r "
    "WHERE s.room = r.room AND s.weight < 2 AND r.open": in_open_rooms,
    "SELECT s.seat, o.seat FROM seats s, seats o "
    "WHERE s.room = o.room AND s.weight < o.weight": lighter_than_another,
}


class Trial:
    def __init__(self, seed: int, disk: Path) -> None:
        self.random = Random(seed)
        links = self.random.choice((LINE, STAR, RING))
        self.house = House(
            links, self.random, packet=self.random.choice((1, 3, 25)), disk=disk if seed % 3 else None
        )
        self.names = list(links)
        self.away: set[str] = set()
        self.asked: dict[str, Callable[[Said], Counter[Row]]] = {}
        self.version = 0
        for name in self.names:
            self.house.start(name)

    def step(self) -> None:
        act = self.random.choices(
            (self.speaks, self.asks, self.asks_no_more, self.dies, self.loses, self.returns, self.waits),
            (60, 6, 2, 2, 2, 6, 8),
        )[0]
        act()
        self.house.run(self.random.choice((0, 1, 4, 30)))

    def speaks(self) -> None:
        gateway = self.random.choice(self.names)
        number, room = self.random.randrange(3), self.random.choice("xyz")
        if self.random.random() < 0.7:
            self.house.says(
                gateway, f"seat/{gateway}{number}", room=room, weight=float(self.random.randrange(4))
            )
        else:
            self.house.says(gateway, f"room/{gateway}{number}", room=room, open=self.random.random() < 0.5)

    def asks(self) -> None:
        self.version += 1
        sql, peer = self.random.choice([*ALONE.items(), *JOINED.items(), *JOINED.items()])
        method = self.random.choice(METHODS) if sql in JOINED else "natural"
        self.asked[self.house.install(planned(sql, self.house.sources), method, self.version)] = peer

    def asks_no_more(self) -> None:
        if self.asked:
            key = self.random.choice(list(self.asked))
            del self.asked[key]
            self.house.remove(key)
            if self.random.random() < 0.5:
                self.house.run(3)

    def dies(self) -> None:
        here = sorted(self.house.agents.keys() - self.away)
        if here:
            self.house.kill(self.random.choice(here))

    def loses(self) -> None:
        here = sorted(self.house.agents.keys() - self.away)
        if here:
            self.away.add(name := self.random.choice(here))
            self.house.disconnect(name)

    def returns(self) -> None:
        for name in self.names:
            if name not in self.house.agents:
                self.house.start(name)
            elif name in self.away:
                self.away.discard(name)
                self.house.connect(name)

    def waits(self) -> None:
        self.house.now += self.random.choice((1_000, 300_000, 2_000_000))

    def said(self) -> Said:
        """What the gateways that are up have heard, in this life of their processes or on a disk."""
        found: Said = {name: [] for name in self.house.agents}
        for name, messages in self.house.heard.items():
            for topic, payload in messages:
                _, _, kind, device = topic.split("/")
                found[name].append((kind, device, json.loads(payload)))
        return found

    def check(self) -> None:
        for key, peer in self.asked.items():
            assert self.house.answered(key) == set(self.house.agents)
            assert self.house.rows(key) == peer(self.said()), key

    def loses_some(self) -> None:
        """Let some lose their connection while nobody speaks: what they said last stands."""
        here = sorted(self.house.agents.keys() - self.away)
        for name in self.random.sample(here, self.random.randint(0, len(here))):
            self.away.add(name)
            self.house.disconnect(name)
        self.house.settle()
        for key, peer in self.asked.items():
            assert self.house.rows(key) == peer(self.said()), (key, self.away)


def run(seed: int, disk: Path) -> None:
    trial = Trial(seed, disk)
    for _ in range(3):
        for _ in range(trial.random.randrange(60)):
            trial.step()
        trial.returns()
        trial.house.settle()
        trial.check()
        trial.loses_some()


@pytest.mark.parametrize("seed", range(8))
def test_once_gateways_fell_silent_they_answer_as_one_place_would(seed: int, tmp_path: Path) -> None:
    run(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(1_000, 1_200))
def test_once_gateways_fell_silent_they_answer_as_one_place_would_at_length(
    seed: int, tmp_path: Path
) -> None:
    run(seed, tmp_path)
