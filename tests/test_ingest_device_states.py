"""Whether devices are there: by what they say of themselves, by their time-outs, and after a restart."""

import json
import random

import pytest

from engine.model.clock import SECOND
from ingest.discovery.known import ALL, ANY, LATEST, Availability, Entity
from ingest.discovery.presence import Change, Presence, entry_of
from ingest.discovery.relations import OFFLINE, ONLINE, STALE, UNKNOWN
from ingest.wrappers.mqtt.heard import Said

HERE, AWAY = Availability("d/lwt"), Availability("d/bridge", "up", "down")


def entity(of: str = "t", **more: object) -> Entity:
    return Entity(f"sensor.{of}", "d", topic=f"d/{of}", **more)  # type: ignore[arg-type]


def spoke(at: int, *topics: str) -> dict[str, Said]:
    return {topic: Said(b"1", at) for topic in topics}


def lwt(payload: bytes, topic: str = "d/lwt", at: int | None = None) -> dict[str, Said]:
    return {topic: Said(payload, at)}


def states_of(changes: list[Change]) -> list[str | None]:
    return [change.state for change in changes]


def known(*entities: Entity, now: int = 0) -> Presence:
    states = Presence()
    states.learn(entities, now)
    return states


def test_a_device_is_unknown_until_it_speaks_and_gone_with_its_last_entity() -> None:
    states = known(entity())
    assert states.advance({}, 1) == [Change("d", UNKNOWN, 1)]
    assert states.advance({}, 2) == []
    assert states.advance(spoke(3, "d/t"), 3) == [Change("d", ONLINE, 3)]
    assert states.advance(spoke(4, "d/t"), 4) == []
    states.learn((), 5)
    assert states.advance({}, 5) == [Change("d", None, 5)]


def test_what_the_broker_had_kept_says_that_it_is_available_and_not_that_it_spoke() -> None:
    states = known(entity())
    assert states_of(states.advance({"d/t": Said(b"21", None)}, 1)) == [UNKNOWN]
    states = known(entity(availability=(HERE,)))
    assert states_of(states.advance(lwt(b"online"), 1)) == [ONLINE]
    assert states_of(states.advance(lwt(b"offline"), 2)) == [OFFLINE]
    assert states_of(states.advance(lwt(b"neither", at=3), 3)) == [UNKNOWN]


def test_a_device_is_stale_once_all_that_promised_a_value_is_overdue_and_back_when_one_speaks() -> None:
    states = known(entity("t", expire_after=10.0), entity("h", expire_after=30.0), entity("battery"))
    states.advance(spoke(0, "d/t", "d/h", "d/battery"), 0)
    assert states.advance({}, 11 * SECOND) == []
    assert states.advance(spoke(25 * SECOND, "d/t"), 25 * SECOND) == []
    assert states.advance({}, 34 * SECOND) == []
    assert states.advance({}, 35 * SECOND) == [Change("d", STALE, 35 * SECOND)]
    assert states_of(states.advance(spoke(36 * SECOND, "d/h"), 36 * SECOND)) == [ONLINE]
    assert states_of(states.advance({}, 66 * SECOND)) == [STALE]


def test_one_that_says_it_is_off_is_offline_and_not_stale() -> None:
    states = known(entity(availability=(HERE,), expire_after=5.0))
    states.advance({**spoke(0, "d/t"), **lwt(b"online", at=0)}, 0)
    assert states_of(states.advance(lwt(b"offline", at=SECOND), SECOND)) == [OFFLINE]
    assert states.advance({}, 100 * SECOND) == []
    assert states_of(states.advance(lwt(b"online", at=101 * SECOND), 101 * SECOND)) == [STALE]


def test_modes_all_any_and_latest_differ_in_which_topic_counts() -> None:
    def state(mode: str, *said: tuple[str, bytes]) -> str | None:
        states = known(entity(availability=(HERE, AWAY), availability_mode=mode))
        found = [UNKNOWN, *states_of([c for t, b in said for c in states.advance(lwt(b, t, 1), 1)])]
        return found[-1]

    on, off, up, down = (
        ("d/lwt", b"online"),
        ("d/lwt", b"offline"),
        ("d/bridge", b"up"),
        ("d/bridge", b"down"),
    )
    assert [state(ALL, on), state(ALL, on, up), state(ALL, on, up, down)] == [UNKNOWN, ONLINE, OFFLINE]
    assert [state(ANY, on), state(ANY, on, down), state(ANY, off, down)] == [ONLINE, ONLINE, OFFLINE]
    assert [state(LATEST, on, down), state(LATEST, down, on), state(LATEST, up, off, up)] == [
        OFFLINE,
        ONLINE,
        ONLINE,
    ]


def test_a_shared_availability_topic_takes_all_its_devices_along() -> None:
    entities = [Entity(f"e{n}", f"dev{n}", topic=f"dev{n}/t", availability=(HERE,)) for n in range(300)]
    states = known(*entities)
    assert len(states.advance(lwt(b"online"), 1)) == 300
    assert {change.state for change in states.advance(lwt(b"offline"), 2)} == {OFFLINE}


def test_what_a_device_has_us_compute_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        message = "Exceeds the limit"
        raise ValueError(message)

    monkeypatch.setattr(Availability, "says", fail)
    states = known(entity(availability=(HERE,)))
    assert states_of(states.advance(lwt(b"online"), 1)) == [UNKNOWN]


def test_a_long_word_about_availability_is_none() -> None:
    states = known(entity(availability=(HERE,)))
    assert states_of(states.advance(lwt(b"x" * 1_000_000), 1)) == [UNKNOWN]
    assert states_of(states.advance(lwt(b"online"), 2)) == [ONLINE]


def test_after_a_restart_a_device_is_what_it_was_until_it_is_heard_of_or_its_time_is_over() -> None:
    def restarted(state: str) -> Presence:
        states = known(entity(availability=(HERE,), expire_after=10.0))
        states.restore({"d": state}, 100 * SECOND)
        return states

    for state in (ONLINE, OFFLINE, STALE):
        assert restarted(state).advance({}, 101 * SECOND) == []
    assert states_of(restarted(ONLINE).advance({}, 110 * SECOND)) == [STALE]
    assert states_of(restarted(OFFLINE).advance(lwt(b"online"), 102 * SECOND)) == [ONLINE]
    gone = Presence()
    gone.restore({"d": ONLINE}, 0)
    assert gone.advance({}, 1) == [Change("d", None, 1)]


def test_a_change_is_an_entry_of_keyed_rows() -> None:
    entry = entry_of([Change("d", ONLINE, 7), Change("e", None, 8)])
    assert json.loads(entry.payload)["changes"] == [
        [1, "device_states", {"device": "d", "state": "online", "since": 7}],
        [-1, "device_states", {"device": "e", "state": "unknown", "since": 8}],
    ]


def test_states_do_not_show_how_what_was_heard_was_cut_into_looks() -> None:
    rng = random.Random(7)
    topics = ["d/t", "d/h", "d/lwt", "d/bridge"]
    for _ in range(60):
        made = [entity("t", expire_after=3.0, availability=(HERE,)), entity("h", availability=(AWAY,))]
        events = [(n, rng.choice(topics), rng.choice([b"online", b"offline", b"up"])) for n in range(12)]
        one, many = known(*made), known(*made)
        for at, topic, payload in events:
            many.advance({topic: Said(payload, at)}, at)
        newest: dict[str, Said] = {}
        for at, topic, payload in events:
            newest.pop(topic, None)
            newest[topic] = Said(payload, at)
        one.advance(newest, 12)
        many.advance({}, 12)
        assert one.state_of("d") == many.state_of("d")
