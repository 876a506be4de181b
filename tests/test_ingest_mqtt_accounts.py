"""What of a burst goes to the log, and what is told of the rest: the same whenever we start again."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.model.clock import SECOND, ManualClock
from ingest.log import Log, Record
from ingest.log.writer import LogWriter
from ingest.recordings.recorder import standing
from ingest.sources import Sources, parse_sources
from ingest.topics import TopicPattern
from ingest.wrappers.mqtt import repeats
from ingest.wrappers.mqtt.accounts import Accounts
from ingest.wrappers.mqtt.asked import Asked
from ingest.wrappers.mqtt.care import Cares, Priority
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.deliveries import Deliveries
from ingest.wrappers.mqtt.heard import Heard
from ingest.wrappers.mqtt.intake import Intake
from ingest.wrappers.mqtt.window import DeliveryWindow
from tests.environment.waiting import until

SOURCES = """
mqtt:
  counts: {topic: "count/{sender}", columns: {sender: text, seq: bigint}, sequence: seq}
  names: {topic: "name/{sender}", columns: {sender: text, id: text}, sequence: id, priority: low}
  states: {topic: "state/{sender}", columns: {sender: text, lit: boolean}, priority: normal}
  all_states: {topic: "state/one", columns: {lit: boolean}, priority: high}
"""


class Part:
    """Accounts over a log, written at once; ``level`` is the pressure."""

    def __init__(self, url: str) -> None:
        self.log, self.clock, self._level = Log(url), ManualClock(1_000 * SECOND), 0
        self.sources: Sources = parse_sources(SOURCES, {})
        self.start()

    def start(self) -> None:
        """Begin anew, as a process does."""
        asked = Asked([one.topic for one in self.sources.streams if one.topic])
        self.accounts = Accounts("mqtt", Intake(asked, Heard(self.clock)), self.clock.now)
        self.accounts.heed(Cares(self.sources.streams))
        self.accounts.open(self, self.log)  # type: ignore[arg-type]
        self.accounts.fold(self.log.read(0, 1_000_000, 1 << 30))

    @property
    def end(self) -> int:
        return self.log.last().offset

    def level(self) -> int:
        return self._level

    def take(self, *burst: Message, level: int = 0) -> None:
        self._level = level
        entries, state, _ = self.accounts.settle(burst)
        self.log.append(entries, state)

    def entries(self) -> list[Record]:
        return [each for each in self.log.read(0, 1_000_000, 1 << 30) if each.source == "mqtt" and each.topic]


def said(topic: str, body: object, mid: int | None = None, *, retain: bool = False) -> Message:
    return Message(topic, json.dumps(body).encode(), mid, dup=False, retain=retain)


def number(value: int, sender: str = "a") -> Message:
    return said(f"count/{sender}", {"seq": value})


@pytest.fixture
def part(tmp_path: Path) -> Part:
    return Part(f"sqlite:///{tmp_path}/log.db")


def test_a_number_that_came_before_is_not_logged_again_even_after_a_restart(part: Part) -> None:
    part.take(*(number(at) for at in range(50)))
    part.take(number(49), number(48), number(50))
    part.start()
    part.take(number(0), number(50), number(51))
    assert [json.loads(each.payload)["seq"] for each in part.entries()] == list(range(52))


def test_what_is_missing_is_counted_in_the_log_until_it_comes(part: Part) -> None:
    part.take(number(1), number(5), number(1, "b"), number(3, "b"))
    part.clock.advance(SECOND)
    part.take(number(3))
    part.start()
    assert part.accounts.losses == {"counts": {"gap": 3}}
    rows = [json.loads(each.payload)["changes"][0] for each in part.log.read(0) if each.source == "losses"]
    assert rows == [
        [1, "losses", {"stream": "counts", "cause": "gap", "messages": 4, "total": 4,
                       "since": 1_000 * SECOND, "until": 1_000 * SECOND}],
        [1, "losses", {"stream": "counts", "cause": "gap", "messages": 3, "total": 3,
                       "since": 1_000 * SECOND, "until": 1_001 * SECOND}],
    ]  # fmt: skip


def test_a_recording_begins_with_the_counts_that_stand(part: Part) -> None:
    part.take(number(1), number(4))
    (stood,) = standing(part.log, part.log.last(), ("losses",))
    (change,) = json.loads(stood.payload)["changes"]
    assert change[:2] == [1, "losses"]
    assert (change[2]["stream"], change[2]["cause"], change[2]["total"]) == ("counts", "gap", 2)


def test_an_episode_ends_with_ten_quiet_seconds(part: Part) -> None:
    part.take(number(1), number(3))
    part.clock.advance(11 * SECOND)
    part.take(number(6))
    row = json.loads(part.log.read(0)[-1].payload)["changes"][0][2]
    assert (row["messages"], row["total"], row["since"]) == (2, 3, 1_011 * SECOND)


def test_a_copy_of_what_is_logged_is_logged_once(part: Part) -> None:
    on, off = {"lit": True}, {"lit": False}
    part.take(said("state/a", on, retain=True))
    part.take(said("state/a", on, retain=True))
    part.start()
    part.take(said("state/a", on, retain=True), said("state/a", on), said("state/a", off))
    part.take(said("state/a", off, retain=True))
    part.take(said("state/a", on, retain=True), said("state/b", on, retain=True))
    part.start()
    part.take(said("state/a", on, retain=True), said("state/b", on, retain=True))
    found = [(each.topic[-1], json.loads(each.payload)["lit"]) for each in part.entries()]
    assert found == [("a", True), ("a", True), ("a", False), ("a", True), ("b", True)]


def test_a_copy_is_known_after_a_restart_although_its_topic_had_none_before_the_last_mark(
    part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeats, "EVERY", 3)
    part.take(said("state/a", {"lit": True}))
    part.take(*(said(f"state/{other}", {"lit": True}, retain=True) for other in "bcd"))
    part.take(said("state/e", {"lit": True}))
    assert any(each.payload == repeats.MARKED for each in part.log.read(0))
    part.start()
    part.take(said("state/a", {"lit": True}, retain=True))
    assert [each.topic[-1] for each in part.entries()] == list("abcde")


def test_what_an_earlier_connection_brought_is_not_acknowledged_on_the_next(tmp_path: Path) -> None:
    """Neither before nor after the broker let us in: it may mean another message by that identifier."""
    with Log(f"sqlite:///{tmp_path}/log.db") as log:
        writer, clock = LogWriter(log), ManualClock()
        intake = Intake(Asked([TopicPattern("count/+")]), Heard(clock))
        accounts = Accounts("mqtt", intake, clock.now)
        deliveries = Deliveries("mqtt", intake, accounts, lambda: None)
        deliveries.open(writer, log)
        deliveries.reconnect()
        deliveries.begin(is_known=True)
        deliveries.take(said("count/a", {"seq": 1}, 7))
        deliveries.submit()
        deliveries.reconnect()
        deliveries.take(said("count/a", {"seq": 2}, 8))
        deliveries.submit()
        writer.start()
        until(lambda: log.last().offset >= 2, 5, "both to be logged")
        writer.close()
        assert deliveries.ready() == [8]


def test_under_pressure_the_lowest_priority_is_left_out_and_counted_first(part: Part) -> None:
    burst = [said("name/a", {"id": "1"}, 1), said("state/a", {"lit": True}, 2), number(1)]
    part.take(*burst, said("state/one", {"lit": True}, 3), level=1)
    assert [each.topic for each in part.entries()] == ["state/a", "count/a", "state/one"]
    part.take(said("state/a", {"lit": False}, 4), said("state/one", {"lit": False}, 5), level=2)
    assert [each.topic for each in part.entries()][3:] == ["state/one"]
    assert part.accounts.losses == {"names": {"shed": 1}, "states": {"shed": 1}}


def test_a_redelivery_of_what_was_left_out_is_known_after_a_restart(part: Part) -> None:
    shed = said("name/a", {"id": "1"}, 17)
    part.take(shed, level=1)
    window = DeliveryWindow()
    window.restore(part.log.read(0), "mqtt")
    assert window.is_redelivery(shed._replace(dup=True))
    assert not window.is_redelivery(shed._replace(dup=True, payload=b"other"))


def test_a_topic_gets_the_most_care_that_any_of_its_streams_asks_for(part: Part) -> None:
    cares = Cares(part.sources.streams)
    assert cares.of("state/two") == (("states",), Priority.NORMAL, None)
    assert cares.of("state/one") == (("states", "all_states"), Priority.HIGH, None)
    assert cares.of("elsewhere").priority is Priority.HIGH
    assert cares.of("name/a").number == ("id",)


Step = tuple[int, int, int, bool, int]
STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 40), st.integers(0, 1), st.booleans(), st.integers(0, 2)),
    max_size=60,
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS, st.sets(st.integers(0, 60)))
def test_a_restart_changes_nothing_of_what_is_logged_and_counted(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step], restarts: set[int]
) -> None:
    folder = tmp_path_factory.mktemp("accounts")
    once, often = (Part(f"sqlite:///{folder}/{name}.db") for name in ("once", "often"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "EVERY", 7)
        for at, step in enumerate(steps):
            for part in (once, often):
                part.take(_message(step), level=step[4])
            if at in restarts:
                often.start()
    assert [each[3:] for each in once.entries()] == [each[3:] for each in often.entries()]
    assert once.accounts.losses == often.accounts.losses
    logged = Counter((each.topic, each.payload) for each in once.entries())
    assert all(times == 1 for (topic, _), times in logged.items() if topic.startswith("name/"))


def _message(step: Step) -> Message:
    kind, value, variant, is_copy, _ = step
    if kind == 0:
        return said("count/a", {"seq": value, "variant": variant}, value)
    if kind == 1:
        return said(f"name/{variant}", {"id": str(value)}, value)
    return said(f"state/{value % 3}", {"lit": bool(variant)}, value, retain=is_copy)
