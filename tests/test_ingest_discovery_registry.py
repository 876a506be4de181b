"""The device registry: what stands is a function of each topic's last word, whatever order they came in."""

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest

from engine.model.values import Row
from ingest.discovery.index import Changes
from ingest.discovery.known import Met
from ingest.discovery.registry import REGISTRY_SOURCE, Registry
from ingest.discovery.topics import announces

Word = tuple[str, str, bytes]


def config(unique: str, device: str = "d1", **more: Any) -> bytes:
    named = {"identifiers": [device], **more.pop("about", {})}
    found = {"unique_id": unique, "state_topic": f"s/{device}", "device": named, **more}
    return json.dumps(found).encode()


def fold(words: Sequence[Word]) -> Registry:
    registry = Registry()
    for offset, word in enumerate(words, 1):
        registry.take(offset, *word)
    return registry


def known(registry: Registry) -> tuple[object, ...]:
    topics = {topic: set(registry.entities_of(topic)) for topic in registry.state_topics()}
    return dict(registry.devices), dict(registry.entities), topics


class House:
    """Announces topic by topic, and keeps the tables that the changes make."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.rows: dict[tuple[str, Any], Row] = {}
        self._offset = 0

    def hear(self, topic: str, body: bytes, source: str = "mqtt") -> Changes:
        self._offset += 1
        changes = self.registry.take(self._offset, source, topic, body)
        for sign, table, row in changes.rows:
            if sign > 0:
                self.rows[table, row[0]] = row
            else:
                assert self.rows.pop((table, row[0])) == row
        return changes

    def say(self, device: str, **words: Any) -> Changes:
        return self.hear(device, json.dumps(words).encode(), REGISTRY_SOURCE)

    def table(self, name: str) -> list[Row]:
        return sorted(row for (table, _), row in self.rows.items() if table == name)


def test_a_device_is_put_together_of_what_its_entities_say_of_it() -> None:
    house = House()
    house.hear("homeassistant/sensor/t/config", config("t", about={"name": "Desk", "model": "X1"}))
    house.hear("homeassistant/sensor/h/config", config("h", about={"suggested_area": "1.01"}))
    assert house.table("devices") == [("d1", "Desk", None, "X1", "1.01", None, None, None, False)]
    assert [row[0] for row in house.table("entities")] == ["sensor.h", "sensor.t"]


def test_an_empty_announcement_takes_back_what_its_topic_said_and_the_last_one_the_device() -> None:
    house = House()
    house.hear("homeassistant/sensor/t/config", config("t"))
    house.hear("homeassistant/sensor/h/config", config("h"))
    house.hear("homeassistant/sensor/t/config", b"")
    assert [row[0] for row in house.table("entities")] == ["sensor.h"]
    assert [each.id for each in house.registry.entities_of("s/d1")] == ["sensor.h"]
    house.hear("homeassistant/sensor/h/config", b"")
    assert house.rows == {}
    assert list(house.registry.state_topics()) == []


def test_saying_the_same_again_changes_nothing_and_neither_does_an_entry_taken_twice() -> None:
    house = House()
    house.hear("homeassistant/sensor/t/config", config("t"))
    assert house.hear("homeassistant/sensor/t/config", config("t")) == Changes()
    assert house.registry.take(1, "mqtt", "homeassistant/sensor/t/config", b"") == Changes()


def test_what_is_not_understood_leaves_what_stood() -> None:
    house = House()
    house.hear("homeassistant/sensor/t/config", config("t"))
    before = dict(house.rows)
    for body in (b"{", b"[1]", b'{"a": NaN}', b"\xff"):
        (problem,) = house.hear("homeassistant/sensor/t/config", body).problems
        assert problem.startswith(("payload", "the announcement"))
    assert house.rows == before


@pytest.mark.parametrize(
    ("topic", "problem"),
    [
        ("homeassistant/senzor/t/config", "no component is 'senzor'; there are"),
        ("homeassistant/sensor/a b/config", "the topic has the id 'a b'; expected letters"),
        ("homeassistant/device/d/config", "the announcement has no object origin"),
    ],
)
def test_an_announcement_under_a_wrong_topic_says_what_is_wrong(topic: str, problem: str) -> None:
    assert House().hear(topic, config("t")).problems[0].startswith(problem)


def test_people_name_place_and_disable_a_device_and_what_they_do_not_say_is_as_announced() -> None:
    house = House()
    house.say("d1", name="Mine", desk="1.01-d07")
    assert house.rows == {}
    house.hear("homeassistant/sensor/t/config", config("t", about={"name": "Theirs", "sa": "1.02"}))
    assert house.table("devices") == [("d1", "Mine", None, None, "1.02", "1.01-d07", None, None, False)]
    house.say("d1", room="1.01", disabled=True)
    assert house.table("devices") == [("d1", "Theirs", None, None, "1.01", None, None, None, True)]
    assert house.registry.entities_of("s/d1") == ()
    assert house.registry.is_disabled("d1")
    house.say("d1")
    assert len(house.registry.entities_of("s/d1")) == 1


def test_a_forgotten_device_is_gone_until_it_announces_itself_as_a_new_one() -> None:
    house = House()
    house.hear("homeassistant/sensor/t/config", config("t"))
    house.say("d1", room="1.01")
    assert house.registry.topics_of("d1") == ("homeassistant/sensor/t/config",)
    house.say("d1", forgotten=True)
    assert house.rows == {}
    house.hear("homeassistant/sensor/t/config", config("t"))
    assert house.table("devices") == [("d1", None, None, None, None, None, None, None, False)]


def test_of_two_topics_that_announce_one_entity_one_stands_until_it_goes() -> None:
    house = House()
    house.hear("homeassistant/sensor/b/config", config("t", name="second"))
    house.hear("homeassistant/sensor/a/config", config("t", name="first"))
    assert [row[2] for row in house.table("entities")] == ["first"]
    house.hear("homeassistant/sensor/a/config", b"")
    assert [row[2] for row in house.table("entities")] == ["second"]


def test_a_device_that_migrates_is_the_same_device_with_the_same_entities() -> None:
    house = House()
    whole = {"dev": {"ids": "d1"}, "o": {"name": "x"}, "stat_t": "s/d1"}
    house.hear("homeassistant/sensor/d1/t/config", config("t"))
    house.say("d1", room="1.01")
    house.hear("homeassistant/sensor/d1/t/config", b'{"migrate_discovery": true }')
    assert house.table("entities") == []
    components = {"t": {"p": "sensor", "uniq_id": "t"}}
    house.hear("homeassistant/device/d1/config", json.dumps({**whole, "cmps": components}).encode())
    house.hear("homeassistant/sensor/d1/t/config", b"")
    assert [row[:2] for row in house.table("entities")] == [("sensor.t", "d1")]
    assert house.table("devices")[0][4] == "1.01"
    components["t"] = {"p": "sensor"}
    house.hear("homeassistant/device/d1/config", json.dumps({**whole, "cmps": components}).encode())
    assert house.table("entities") == []


def test_a_mapped_device_is_met_once_and_keeps_its_room() -> None:
    registry = Registry()
    met = Met("m1", "1.01", "m1/co2", "co2", "ppm", "air/m1", None)
    assert [row[1] for row in registry.meet(met).rows] == ["devices", "entities"]
    assert registry.meet(met) == Changes()
    assert registry.meet(met._replace(room=None)).rows == ()
    assert registry.devices["m1"].room == "1.01"
    registry.take(1, REGISTRY_SOURCE, "m1", b'{"forgotten": true}')
    assert registry.devices == {}
    assert len(registry.meet(met).rows) == 2


BROKEN = (b"{", b'{"Time": "09:30"}')  # neither says anything that stands


def announcement(chance: random.Random) -> Word:
    """Return an announcement by one of few topics, so that they meet: entities, devices, state topics."""
    device, heard = f"d{chance.randrange(3)}", chance.choice(("s/d0", "s/d1", "tele/p0/SENSOR", "+/+/x"))
    about = {"name": chance.choice((None, "A", "B")), "model": chance.choice((None, "M"))}
    topic = f"homeassistant/{chance.choice(('sensor', 'switch'))}/o{chance.randrange(4)}/config"
    body = config(f"u{chance.randrange(3)}", device, about=about, state_topic=heard)
    return "mqtt", topic, chance.choice((body, body, b"", b"{"))


def telemetry(chance: random.Random) -> Word:
    shown = {chance.choice(("ENERGY", "AM2301")): {"Power": chance.random()}}
    body = chance.choice((json.dumps(shown).encode(), BROKEN[1]))
    return "mqtt", f"tele/p{chance.randrange(2)}/SENSOR", body


def discovery(chance: random.Random) -> Word:
    config = chance.choice(({"t": "p0", "rl": [1]}, {"t": "p1", "dn": "A", "rl": []}))
    last, said = chance.choice((("config", config), ("sensors", {"sn": {"ENERGY": {"Power": 1}}})))
    return "mqtt", f"tasmota/discovery/AB/{last}", chance.choice((json.dumps(said).encode(), b""))


def words_of_people(chance: random.Random) -> Word:
    said = chance.choice(({"room": "1.02"}, {"disabled": True}, {}, {"name": "mine"}))
    return REGISTRY_SOURCE, chance.choice(("d0", "d1", "p0")), json.dumps(said).encode()


def random_words(chance: random.Random) -> list[Word]:
    kinds = (announcement, announcement, telemetry, discovery, words_of_people)
    return [chance.choice(kinds)(chance) for _ in range(chance.randrange(5, 60))]


@pytest.mark.parametrize("seed", range(200))
def test_what_stands_is_what_the_last_words_alone_say_in_any_order(seed: int) -> None:
    chance = random.Random(seed)
    words = random_words(chance)
    folded = fold(words)
    last = {(source, topic): (source, topic, body) for source, topic, body in words if body not in BROKEN}
    shuffled = list(last.values())
    chance.shuffle(shuffled)
    assert known(fold(shuffled)) == known(folded)
    house = House()
    for source, topic, body in words:
        house.hear(topic, body, source)
    assert house.table("devices") == sorted(each.row() for each in folded.devices.values())
    assert house.table("entities") == sorted(each.row() for each in folded.entities.values())


ANNOUNCING = """
homeassistant/sensor/a/config homeassistant/device/n/a/config tasmota/discovery/AB/config
homie/5/mast/$state homie/5/mast/$description
tasmota/discovery/AB/sensors tele/plug/SENSOR shellies/s1/announce shellyplus1-a/online
"""
SILENT = """
homeassistant/status homeassistant/sensor/config homeassistant/sensor/a/state online plug/online
homie/5/mast/$log homie/4/mast/$state homie/5/mast/node/$state
homeassistant/a/b/c/d/config tele/plug/STATE tele/a/b/SENSOR shellies/a/b/announce tasmota/other/AB/config
"""


def test_there_is_room_for_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.discovery.registry.MAX_BYTES", 3 * len(config("u0")))
    house = House()
    told = [house.hear(f"homeassistant/sensor/o{n}/config", config(f"u{n}")).problems for n in range(5)]
    assert [len(each) for each in told] == [0, 0, 0, 1, 1]
    house.hear("homeassistant/sensor/o0/config", b"")
    assert house.hear("homeassistant/sensor/o4/config", config("u4")).problems == ()
    house.say("d1", forgotten=True)
    told = [house.hear(f"homeassistant/sensor/o{n}/config", config(f"u{n}")).problems for n in range(4)]
    assert [len(each) for each in told] == [0, 0, 0, 1]


def test_only_topics_of_known_forms_announce() -> None:
    assert all(announces(topic) for topic in ANNOUNCING.split())
    assert not any(announces(topic) for topic in SILENT.split())
