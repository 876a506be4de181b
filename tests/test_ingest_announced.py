"""The index of announcements: written with their entries, read after these are gone."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.model.clock import SystemClock
from ingest.discovery.index import Changes
from ingest.discovery.registry import Registry
from ingest.discovery.superseded import repeated, superseded
from ingest.listening import Listening
from ingest.log import Announced, Entry, Log

SHELLY = "shellyplus1-aabbcc"
TOPIC = "homeassistant/sensor/kitchen/config"


@pytest.fixture(params=["sqlite", "postgresql"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    url = f"sqlite:///{tmp_path}/log.db" if request.param == "sqlite" else request.getfixturevalue("postgres")
    with Log(str(url)) as made:
        yield made


def config(device: str, version: int = 0) -> bytes:
    about = {"identifiers": [device], "name": f"v{version}"}
    return json.dumps({"unique_id": device, "state_topic": f"{device}/t", "device": about}).encode()


def told(log: Log, after: int = 0) -> list[tuple[int, str, str, bytes]]:
    return [tuple(each) for each in log.announced(after)]


def test_an_announcement_is_indexed_with_its_entry_and_other_messages_are_not(log: Log) -> None:
    log.append([Entry("mqtt", "kitchen/t", b"21"), Entry("mqtt", TOPIC, b"{}"), Entry("other", TOPIC, b"{}")])
    log.append([Entry("registry", "kitchen", b'{"room": "1.01"}')])
    assert told(log) == [(2, "mqtt", TOPIC, b"{}"), (4, "registry", "kitchen", b'{"room": "1.01"}')]
    assert told(log, after=2) == [(4, "registry", "kitchen", b'{"room": "1.01"}')]


def test_of_what_is_decoded_no_more_the_last_that_was_understood_stays(log: Log) -> None:
    for body in (config("k", 1), config("k", 2), b"{not JSON", config("k", 3)):
        log.append([Entry("mqtt", TOPIC, body)])
    for said in ({"room": "1.01"}, {"name": "Kettle"}, {"room": "1.02"}):
        log.append([Entry("registry", "k", json.dumps(said).encode())])
    log.forget_announced(superseded(log.announced(), 4))
    assert [each.offset for each in log.announced()] == [2, 4, 5, 6, 7]
    log.forget_announced(superseded(log.announced(), 7))
    assert [each.offset for each in log.announced()] == [4, 6, 7]


def test_one_announcement_that_breaks_the_fold_leaves_the_others(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = Registry.take

    def breaking(registry: Registry, offset: int, source: str, topic: str, body: bytes) -> Changes:
        if body == b"{breaks}":
            message = "Exceeds the limit"
            raise ValueError(message)
        return take(registry, offset, source, topic, body)

    monkeypatch.setattr(Registry, "take", breaking)
    log.append([Entry("mqtt", TOPIC, b"{breaks}"), Entry("mqtt", TOPIC, config("k"))])
    listening = Listening(log, lambda _: pytest.fail("no broker is needed"), SystemClock())
    assert listening._learn()
    assert set(listening._registry.devices) == {"k"}


def words(rng: random.Random, count: int) -> Iterator[Announced]:
    """Announcements, removals, what is not understood, and what people say, of few devices."""
    for offset in range(1, count + 1):
        device = f"dev{rng.randrange(4)}"
        said = rng.choice([{"room": f"1.0{offset}"}, {"forgotten": True}, {"disabled": True}, {}])
        if rng.random() < 0.25:
            yield Announced(offset, "registry", device, json.dumps(said).encode())
        else:
            body = rng.choice([config(device, offset), config(device, 1), b"", b"garbage"])
            topic = f"homeassistant/sensor/{rng.choice(['a', 'b'])}{device}/config"
            yield Announced(offset, "mqtt", topic, body)


def known(announced: Sequence[Announced], end: int) -> list[tuple[object, ...]]:
    """Return what is known after each offset up to the end."""
    registry, taken = Registry(), {each.offset: each for each in announced}
    found: list[tuple[object, ...]] = []
    for offset in range(end + 1):
        if offset in taken:
            registry.take(*taken[offset])
        found.append((dict(registry.devices), dict(registry.entities)))
    return found


def standing(announced: Sequence[Announced]) -> list[tuple[str, bytes]]:
    registry = Registry()
    for each in announced:
        registry.take(*each)
    return sorted(registry.standing())


def test_without_what_is_superseded_the_same_is_known_from_there_on() -> None:
    rng, dropped = random.Random(7), 0
    for _ in range(300):
        every = list(words(rng, 30))
        first = rng.randrange(2, 31)
        gone = set(superseded(every, first))
        left = [each for each in every if each.offset not in gone]
        dropped += len(gone)
        assert known(left, 30)[first - 1 :] == known(every, 30)[first - 1 :]
        assert standing(left) == standing(every)
    assert dropped > 1000


def states(rng: random.Random, count: int) -> Iterator[Announced]:
    """The same with states that announce, most of which say again what they said."""
    for each in words(rng, count):
        plug = rng.choice(["p1", "p2"])
        shown = json.dumps({rng.choice(["ENERGY", "ENERGY", "AM2301"]): {"Power": rng.random()}}).encode()
        reading = config(plug).replace(b"p1/t", b"tele/p1/SENSOR")
        said = [(f"tele/{plug}/SENSOR", shown), (f"tele/{plug}/SENSOR", b"{"), (f"{SHELLY}/online", b"true")]
        said += [("homeassistant/sensor/p/config", reading), (each.topic, each.body)]
        forgotten = Announced(each.offset, "registry", rng.choice([plug, SHELLY]), b'{"forgotten": true}')
        yield forgotten if rng.random() < 0.1 else Announced(each.offset, "mqtt", *rng.choice(said))


def test_without_states_that_say_again_what_they_said_the_same_is_known_at_every_offset() -> None:
    rng, dropped = random.Random(8), 0
    for _ in range(300):
        every = list(states(rng, 30))
        gone = set(repeated(every))
        left = [each for each in every if each.offset not in gone]
        dropped += len(gone)
        assert known(left, 30) == known(every, 30)
        first = rng.randrange(2, 31)
        spent = set(superseded(left, first))
        rest = [each for each in left if each.offset not in spent]
        assert known(rest, 30)[first - 1 :] == known(every, 30)[first - 1 :]
    assert dropped > 1000


def test_a_state_is_indexed_once_for_all_that_it_says(log: Log) -> None:
    for power in range(50):
        log.append([Entry("mqtt", "tele/p1/SENSOR", json.dumps({"ENERGY": {"Power": power}}).encode())])
    log.forget_announced(repeated(log.announced()))
    assert [each.offset for each in log.announced()] == [1]
