"""Single things that a gateway does, around a broker in memory."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from ingest.gateways import local
from ingest.gateways.agent import links_of
from ingest.gateways.bitmap import CountedKeys, bits_of, may_have
from ingest.gateways.incarnations import Incarnations
from ingest.gateways.rates import Rates
from ingest.gateways.states import States, last_will
from ingest.gateways.topology import Member, Topology
from tests.gateway_parts import House, installing, planned

LINE = {"a": ["base", "b"], "b": ["c"], "c": []}
LIGHT = "SELECT seat, room FROM seats WHERE weight < 2"
PAIRS = "SELECT s.seat, r.room FROM seats s, rooms r WHERE s.room = r.room AND s.weight < 2 AND r.open"


@pytest.fixture
def line() -> House:
    return started(LINE)


def started(links: dict[str, list[str]], packet: int = 25) -> House:
    house = House(links, Random(1), packet)
    for name in links:
        house.start(name)
    house.settle()
    return house


def test_a_window_of_time_expires_though_every_device_is_silent(line: House) -> None:
    key = line.install(planned("SELECT seat, weight FROM seats [RANGE 20 SECONDS]", line.sources))
    line.says("c", "seat/s1", room="x", weight=1.0)
    line.settle(5_000_000)
    assert line.rows(key) == Counter({("s1", 1.0): 1})
    line.settle(20_000_000)
    assert not line.rows(key)


def test_a_fragment_that_comes_later_begins_with_what_was_said_before(line: House) -> None:
    for weight in range(5):
        line.says("b", "seat/s1", room="x", weight=float(weight))
    line.settle()
    last_three = "SELECT weight FROM seats [PARTITION BY seat ROWS 3]"
    ranged = "SELECT weight FROM seats [RANGE 1 MINUTE]"
    keys = [line.install(planned(sql, line.sources)) for sql in (last_three, ranged)]
    line.settle()
    assert line.rows(keys[0]) == Counter({(2.0,): 1, (3.0,): 1, (4.0,): 1})
    assert sum(line.rows(keys[1]).values()) == 5


def test_what_the_broker_retained_of_a_device_counts_once(line: House) -> None:
    key = line.install(planned("SELECT weight FROM seats [PARTITION BY seat ROWS 3]", line.sources))
    said = json.dumps({"room": "x", "weight": 1.0}).encode()
    for _ in range(2):
        line.agents["b"].heard("field/b/seat/s1", said, line.now, is_retained=True)
    line.settle()
    assert line.rows(key) == Counter({(1.0,): 1})
    line.agents["b"].heard("field/b/seat/s1", said, line.now)
    line.settle()
    assert line.rows(key) == Counter({(1.0,): 2})


def test_every_gateway_answers_also_one_that_has_nothing_to_say(line: House) -> None:
    line.says("c", "seat/s1", room="x", weight=1.0)
    keys = [line.install(planned(LIGHT, line.sources)), line.install(planned(PAIRS, line.sources), "base")]
    line.settle()
    assert all(line.answered(key) == {"a", "b", "c"} for key in keys)


def test_a_fragment_over_its_budget_is_said_and_the_others_go_on(
    line: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = line.install(planned(LIGHT, line.sources))
    line.settle()
    monkeypatch.setattr(local, "ROWS", 5)
    large = line.install(planned("SELECT room FROM seats", line.sources))
    for number in range(9):
        line.says("b", f"seat/s{number}", room="x", weight=1.0)
    line.settle()
    assert "seats holds over 5 rows" in line.state("b")["failed"][f"fragment:{large}"]
    assert line.state("a")["runs"] == sorted([f"fragment:{small}", f"fragment:{large}"])
    assert sum(line.rows(small).values()) == 9


def changed(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def made(payload: bytes) -> bytes:
        body = json.loads(payload)
        change(body)
        return json.dumps(body).encode()

    return made


@pytest.mark.parametrize(
    ("sql", "spoil", "reason"),
    [
        (LIGHT, lambda p: b"\xff" + p, "not UTF-8"),
        (LIGHT, lambda p: b"[" * 100_000, "nested too deeply"),
        (LIGHT, changed(lambda b: b.update(plan=7)), "a fragment is no"),
        (LIGHT, changed(lambda b: b.update(method="magic")), "expected one of natural, semi, bloom, base"),
        (LIGHT, changed(lambda b: b["plan"].update({"is": "Recursive"})), "Recursive"),
        (LIGHT, changed(lambda b: b.update(name="fragment:other")), "calls itself fragment:other"),
        (LIGHT, lambda p: p.replace(b'"<"', b'"sounds_like"'), "function sounds_like is not known"),
        (LIGHT, lambda p: p.replace(b'"type": "double"', b'"type": "text"'), "has other columns here"),
        (PAIRS, lambda p: p.replace(b'"right_keys": [{', b'"right_keys": [], "x": [{'), "not known here"),
    ],
)
def test_what_no_gateway_can_run_is_refused_by_name(
    line: House, sql: str, spoil: Callable[[bytes], bytes], reason: str
) -> None:
    topic, payload = installing(planned(sql, line.sources))
    line.publish(topic, spoil(payload), True)
    line.settle()
    key = topic.partition("/")[2]
    assert reason in line.state("a")["failed"][f"fragment:{key}"]
    line.publish(topic, payload, True)
    line.settle()
    assert line.state("a")["failed"] == {}
    assert line.answered(key) == {"a", "b", "c"}


def test_rows_of_one_tick_travel_in_packets_and_each_hop_is_counted() -> None:
    for packet, messages in ((1, 10), (4, 3), (25, 1)):
        house = started(LINE, packet)
        key = house.install(planned(LIGHT, house.sources))
        house.settle()
        before = [house.agents[name].mesh.counted() for name in "abc"]
        for number in range(10):
            house.says("c", f"seat/s{number}", room="x", weight=1.0)
        house.deliver()
        house.tick("c")
        house.settle()
        after = [house.agents[name].mesh.counted() for name in "abc"]
        hops = [
            now["by"][key]["results"] - then["by"][key]["results"]
            for now, then in zip(after, before, strict=True)
        ]
        assert hops == [messages] * 3
        assert after[0]["results"] - before[0]["results"] == messages
        assert after[0]["mesh"] == before[0]["mesh"]


def test_what_got_lost_between_gateways_is_said_again_in_a_new_life(line: House) -> None:
    key = line.install(planned(PAIRS, line.sources), "base")
    line.says("a", "room/r1", room="x", open=True)
    line.settle()
    life = line.state("a")["incarnation"]
    line.says("c", "seat/s1", room="x", weight=1.0)
    line.deliver()
    line.tick("c")
    line.lose("b")
    line.settle()
    assert not line.rows(key)
    line.says("c", "seat/s2", room="x", weight=1.0)
    line.settle()
    assert line.rows(key) == Counter({("s1", "x"): 1, ("s2", "x"): 1})
    assert line.state("a")["incarnation"] > life


@pytest.mark.parametrize("spoilt", [{}, {"rows": 7}, {"rows": [[1]]}, {"rows": None}, {"what": ["rows"]}])
def test_what_comes_over_the_mesh_and_cannot_be_read_stops_no_fragment(
    line: House, spoilt: dict[str, object]
) -> None:
    key = line.install(planned(PAIRS, line.sources), "base")
    line.settle()
    mark = line.agents["a"].mesh.topology.mark
    head = {
        "for": "a",
        "from": "b",
        "mesh": mark,
        "fragment": key,
        "version": 1,
        "what": "rows",
        "sequence": 0,
    }
    line.publish("mesh/a/b", json.dumps({**head, **spoilt}).encode())
    for payload in (b"7", b"{}", b"\xff", json.dumps({"mesh": mark}).encode()):
        line.publish("mesh/a/b", payload)
    line.says("a", "room/r1", room="x", open=True)
    line.says("b", "seat/s1", room="x", weight=1.0)
    line.settle()
    assert line.state("a")["failed"] == {}
    assert line.rows(key) == Counter({("s1", "x"): 1})


@pytest.mark.parametrize("asked", ["", "fragment:{}"])
def test_whoever_misses_results_asks_for_them_and_no_other_gateway_is_troubled(
    line: House, asked: str
) -> None:
    key = line.install(planned(LIGHT, line.sources))
    line.says("c", "seat/s1", room="x", weight=1.0)
    line.settle()
    lives = [line.state(name)["incarnation"] for name in "abc"]
    line.answers[key].gone("c")
    line.publish("gateway/c/renew", asked.format(key).encode())
    line.settle()
    assert line.rows(key) == Counter({("s1", "x"): 1})
    assert [line.state(name)["incarnation"] for name in "abc"] == lives
    line.answers[key].gone("c")
    line.publish("gateway/c/renew", b"fragment:another")
    line.settle()
    assert not line.rows(key)


def test_while_the_base_station_is_gone_its_last_answer_stands_and_nobody_takes_its_place() -> None:
    house = started({"a": ["base", "b"], "b": ["base"], "c": ["b"]})
    key = house.install(planned(PAIRS, house.sources), "base")
    house.says("b", "room/r1", room="x", open=True)
    house.says("c", "seat/s1", room="x", weight=1.0)
    house.settle()
    house.disconnect("a")
    house.settle()
    assert house.rows(key) == Counter({("s1", "x"): 1})
    house.says("c", "seat/s1", room="x", weight=3.0)
    house.settle()
    house.connect("a")
    house.settle()
    assert not house.rows(key)


@pytest.mark.parametrize("method", ["natural", "semi", "bloom", "base"])
@pytest.mark.parametrize("away", ["b", "c", "bc"])
def test_while_a_gateway_is_gone_the_pairs_with_its_rows_stand(method: str, away: str) -> None:
    house = started({"a": ["base", "b", "c"], "b": ["base"], "c": ["base"]})
    key = house.install(planned(PAIRS, house.sources), method)
    house.says("b", "room/r1", room="x", open=True)
    house.says("c", "seat/s1", room="x", weight=1.0)
    house.says("a", "room/r2", room="y", open=True)
    house.says("a", "seat/s2", room="y", weight=1.0)
    house.settle()
    for name in away:
        house.disconnect(name)
        house.deliver()
        house.tick("a")
    house.settle()
    assert house.rows(key) == Counter({("s1", "x"): 1, ("s2", "y"): 1})
    house.says("a", "seat/s2", room="y", weight=3.0)
    house.settle()
    assert house.rows(key) == Counter({("s1", "x"): 1})
    for name in away:
        house.connect(name)
    house.settle()
    assert house.rows(key) == Counter({("s1", "x"): 1})
    house.says("b", "room/r1", room="x", open=False)
    house.settle()
    assert not house.rows(key)


def test_a_way_through_the_mesh_is_a_shortest_one_and_a_flood_reaches_everybody_once() -> None:
    links = {"a": ("base",), "b": ("a",), "c": ("a", "d"), "d": ("b",), "e": ("base",), "f": ()}
    found = Topology({name: Member(1, to) for name, to in links.items()})
    assert [found.hops(name) for name in "abcdef"] == [1, 2, 2, 3, 1, None]
    assert found.next_hop("d", "base") == "b"
    assert found.next_hop("d", "e") == "b"
    assert found.hops("a", "e") == 2
    assert found.base_gateway == "a"
    reached = ["d"]
    for name in reached:
        reached += found.below(name, "d")
    assert sorted(reached) == ["a", "b", "c", "d", "e"]
    assert found.mark != Topology({name: Member(2, to) for name, to in links.items()}).mark


def test_no_topology_comes_again_and_who_heard_the_last_of_it_alone_has_the_same() -> None:
    told = [b'{"state": "up", "incarnation": 2, "links": ["a"]}', last_will()]
    told += [b'{"state": "up", "incarnation": 3, "links": ["a"]}', last_will()]
    states = States("a", ("base",))
    states.begin(1)
    marks = [marked(states)]
    for payload in told:
        states.heard("b", payload)
        marks.append(marked(states))
    assert len(set(marks)) == len(marks)
    later = States("a", ("base",))
    later.heard("b", told[-1])
    later.begin(1)
    assert marked(later) == marks[-1]
    later.heard("b", b"")
    assert marked(later) == marks[0]


def marked(states: States) -> str:
    topology = states.changed()
    assert topology is not None
    return topology.mark


def test_rates_are_of_whole_periods_so_that_a_moment_tells_nothing() -> None:
    rates = Rates()
    assert rates.at(0) == {}
    rates.count("seats")
    assert rates.at(500_000) == {}
    assert rates.at(4_000_000) == {"seats": 0.25}
    assert rates.at(20_000_000) == {"seats": 0.05}
    rates.count("doors")
    assert rates.at(25_000_000) == {"seats": 0.05}
    assert rates.at(40_000_000) == {"doors": 0.05}


def test_a_bitmap_has_all_its_members_and_few_strangers() -> None:
    keys = CountedKeys()
    for number in range(40):
        keys.add((f"room {number}",))
        keys.add((f"room {number}",))
    assert all(may_have(keys.bits, (f"room {number}",)) for number in range(40))
    assert sum(may_have(keys.bits, (f"stranger {number}",)) for number in range(1_000)) < 60
    assert bits_of((1,)) == bits_of((1.0,))
    for number in range(40):
        keys.remove((f"room {number}",))
        keys.remove((f"room {number}",))
    assert keys.bits == 0


def test_incarnations_grow_though_the_clock_is_set_back(tmp_path: Path) -> None:
    first = Incarnations(tmp_path / "n", ManualClock(1_000))
    assert [first.next(), first.next()] == [1_000, 1_001]
    assert Incarnations(tmp_path / "n", ManualClock(5)).next() == 1_002
    (tmp_path / "n").write_text("not a number")
    assert Incarnations(tmp_path / "n", ManualClock(7)).next() == 7


def test_a_gateway_that_nobody_declared_is_refused_in_one_line(line: House) -> None:
    with pytest.raises(SourceError, match="no gateway aa; there are a, b, c; did you mean a"):
        links_of("aa", line.sources)
