"""OUTPUT TO: rows are on displays, raise alarms and are published, and every end takes them back."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app.alarming.sink import Alarms
from app.alarming.store import AlarmStore
from app.announcer import Announcer
from app.outputs import ALARM, DISPLAY, MQTT, check_outputs, outputs_of, topic_of
from app.retained import Retained
from app.routes import Sink
from app.routing import Router
from engine.lang.streamsql import Output
from engine.model.clock import ManualClock
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from ingest.topics import TopicPattern
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until
from tests.outputs_parts import DARK, LIGHTS, House, Listener, alarms_in, standing


@pytest.fixture
def house() -> Iterator[House]:
    made = House()
    yield made
    made.engine.stop()


@pytest.fixture
def routed(house: House) -> Iterator[Callable[..., Router]]:
    routers: list[Router] = []

    def start(**settings: Any) -> Router:
        routers.append(Router(house.engine, settings.pop("sinks", {}), **settings))
        routers[-1].start()
        return routers[-1]

    yield start
    for router in routers:
        router.stop()


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (Output(MQTT, "a/+"), "its level '+' is no place to publish"),
        (Output(MQTT, "$SYS/a"), "does not begin with $"),
        (Output(MQTT, ""), "1 to 1000 bytes"),
        (
            Output(MQTT, "a/{rom}"),
            "names {rom}, which is no column; the rows have room, lux; did you mean room",
        ),
        (Output(MQTT, "a/x{room}"), "its level 'x{room}' is no place"),
        (Output(DISPLAY, "../x"), "a display is named by letters"),
    ],
)
def test_a_target_that_cannot_be_is_refused_before_the_view_is_made(output: Output, problem: str) -> None:
    with pytest.raises(QueryError, match=re.escape(problem)):
        check_outputs([output], LIGHTS.columns)


@pytest.mark.parametrize("name", ["", " 'dark'"])
def test_two_alarms_of_a_view_have_two_names(name: str) -> None:
    text = f"SELECT room FROM seats OUTPUT TO ALARM{name}, ALARM{name} WITH (severity = 'critical')"
    with pytest.raises(QueryError, match="give each a name of its own") as refused:
        check_outputs(outputs_of(text), [Column("room", Type.TEXT)])
    assert refused.value.span
    check_outputs(outputs_of(text.replace(f", ALARM{name}", ", ALARM 'other'")), [])


def test_a_view_comes_back_although_a_channel_that_it_names_is_gone() -> None:
    text = "CREATE VIEW v AS SELECT room FROM lights OUTPUT TO ALARM WITH (notify = 'gone')"
    check_outputs(outputs_of(text), [Column("room", Type.TEXT)])


def test_a_view_with_a_wrong_output_is_not_made(house: House) -> None:
    with pytest.raises(QueryError, match="no place to publish"):
        house.engine.create_view(f"{DARK} OUTPUT TO MQTT 'dark/#'")
    assert [view.name for view in house.engine.views()] == []


def test_a_value_in_a_topic_cannot_leave_its_level() -> None:
    pattern = TopicPattern("a/{room}/b")
    assert topic_of(pattern, {"room": "1/2#"}) == "a/1%2F2%23/b"
    assert topic_of(pattern, {"room": ""}) == "a/%20/b"
    assert topic_of(pattern, {"room": None}) == "a/NULL/b"


def test_a_row_raises_an_alarm_and_its_going_ends_it(house: House, routed: Any, tmp_path: Path) -> None:
    told: list[Any] = []
    alarms = alarms_in(tmp_path, told)
    house.engine.create_view(f"{DARK} OUTPUT TO ALARM 'too dark'")
    routed(sinks={ALARM: alarms})
    house.light("1.01", 3, at=1_000)
    until(alarms.count, 5, "the alarm")
    assert standing(alarms) == [("1.01", 1_000)]
    house.light("1.01", 300, at=2_000)
    until(lambda: not alarms.count(), 5, "its end")
    (ended,) = alarms.store.listed(10)
    assert (ended["name"], ended["since"], ended["until"]) == ("too dark", 1_000, 2_000)
    until(lambda: len(told) == 2, 5, "both to be told")
    assert [alarm["until"] for alarm in told] == [None, 2_000]


def test_a_row_that_stands_through_a_restart_is_one_alarm(house: House, routed: Any, tmp_path: Path) -> None:
    house.engine.create_view(f"{DARK} OUTPUT TO ALARM")
    alarms = alarms_in(tmp_path)
    first = routed(sinks={ALARM: alarms})
    house.light("1.01", 3, at=1_000)
    until(alarms.count, 5, "an alarm")
    house.light("1.02", 3, at=2_000)
    until(lambda: alarms.count() == 2, 5, "two alarms")
    first.stop()
    alarms.close()
    house.light("1.02", 300, at=3_000)
    again = alarms_in(tmp_path)
    assert standing(again) == [("1.01", 1_000), ("1.02", 2_000)]
    routed(sinks={ALARM: again})
    until(lambda: again.count() == 1, 5, "what went meanwhile to end")
    assert standing(again) == [("1.01", 1_000)]
    assert len(again.store.listed(10)) == 2


def test_nothing_is_ended_or_raised_before_the_engine_has_caught_up(
    house: House, routed: Any, tmp_path: Path
) -> None:
    house.engine.create_view(f"{DARK} OUTPUT TO ALARM")
    alarms = alarms_in(tmp_path)
    caught_up: list[bool] = []
    routed(sinks={ALARM: alarms}, is_current=lambda: bool(caught_up))
    house.light("1.01", 3, at=1_000)
    house.light("1.01", 300, at=2_000)
    house.light("1.02", 3, at=3_000)
    caught_up.append(True)
    until(alarms.count, 5, "the alarm of the present")
    assert [alarm["row"] for alarm in alarms.store.listed(10)] == [{"room": "1.02"}]


def test_dropping_the_view_ends_its_alarms_and_clears_its_display(
    house: House, routed: Any, tmp_path: Path
) -> None:
    alarms = alarms_in(tmp_path)
    router = routed(sinks={ALARM: alarms})
    house.engine.create_view(f"{DARK} OUTPUT TO ALARM OUTPUT TO DISPLAY 'lobby'")
    router.sync()
    house.light("1.01", 3)
    until(alarms.count, 5, "the alarm")
    assert router.displays() == {"lobby": ("dark",)}
    assert router.shows("dark")
    house.engine.drop_view("dark")
    router.sync()
    assert (alarms.count(), dict(router.displays())) == (0, {})


def test_that_outputs_wait_for_a_suspended_view_is_said_once(house: House, routed: Any) -> None:
    house.engine.create_view(f"{DARK} LIMITED TO ROWS 1 OUTPUT TO DISPLAY 'lobby'")
    with capture_logs() as said:
        router = routed()
        house.light("1.01", 3)
        house.light("1.02", 3)
        for _ in range(3):
            router._ask(lambda: router._begin_again("dark"))
    assert [entry["view"] for entry in said if "wait" in entry["event"]] == ["dark"]


def test_a_failing_database_delays_an_alarm_and_loses_none(house: House, routed: Any, tmp_path: Path) -> None:
    class Failing(Alarms):
        failures = 2

        def change(self, *arguments: Any) -> None:
            super().change(*arguments)
            if self.failures:
                self.failures -= 1
                raise OSError

    store = AlarmStore(f"sqlite:///{tmp_path / 'alarms.db'}", ManualClock(99))
    alarms = Failing(store, ManualClock(99))
    house.engine.create_view(f"{DARK} OUTPUT TO ALARM")
    routed(sinks={ALARM: alarms})
    for number in range(4):
        house.light(f"1.0{number}", 3)
    until(lambda: alarms.count() == 4, 5, "all alarms")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    folder = tmp_path / "mosquitto"
    folder.mkdir()
    made = Mosquitto(folder)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def listener(broker: Mosquitto) -> Iterator[Listener]:
    made = Listener(broker.port)
    yield made
    made.close()


@pytest.fixture
def announcer(broker: Mosquitto, tmp_path: Path) -> Iterator[Sink]:
    made = Announcer(broker.url, "test", Retained(f"sqlite:///{tmp_path / 'topics.db'}"))
    yield made
    made.close()


def test_changes_are_published_and_the_state_again_after_a_lost_connection(
    house: House, routed: Any, broker: Mosquitto, announcer: Sink, listener: Listener
) -> None:
    house.engine.create_view(f"{DARK} OUTPUT TO MQTT 'out/dark'")
    routed(sinks={MQTT: announcer})
    listener.waits_for(("out/dark", {"view": "dark", "tick": 0, "rows": []}))
    house.light("1.01", 3)
    listener.waits_for(("out/dark", {"view": "dark", "tick": 1, "changes": [[1, {"room": "1.01"}]]}))
    house.light("1.01", 300)
    listener.waits_for(("out/dark", {"view": "dark", "tick": 2, "changes": [[-1, {"room": "1.01"}]]}))
    broker.stop()
    house.light("1.02", 3)
    broker.start()
    listener.waits_for(("out/dark", {"view": "dark", "tick": 3, "rows": [{"room": "1.02"}]}))


def test_a_row_is_retained_on_its_topic_until_it_goes(
    house: House, routed: Any, broker: Mosquitto, announcer: Sink, listener: Listener
) -> None:
    house.engine.create_view(f"{DARK} OUTPUT TO MQTT 'out/{{room}}/dark'")
    router = routed(sinks={MQTT: announcer})
    house.light("1.01", 3)
    house.light("1.02", 3)
    listener.waits_for(
        ("out/1.01/dark", {"present": True, "room": "1.01"}),
        ("out/1.02/dark", {"present": True, "room": "1.02"}),
    )
    house.light("1.01", 300)
    listener.waits_for(("out/1.01/dark", None))
    late = Listener(broker.port)
    late.waits_for(("out/1.02/dark", {"present": True, "room": "1.02"}))
    assert [topic for topic, _ in late.heard] == ["out/1.02/dark"]
    late.close()
    house.engine.drop_view("dark")
    router.sync()
    listener.waits_for(("out/1.02/dark", None))


def test_what_was_retained_for_a_row_that_went_while_nothing_ran_is_cleared(
    house: House, routed: Any, broker: Mosquitto, listener: Listener, tmp_path: Path
) -> None:
    house.engine.create_view(f"{DARK} OUTPUT TO MQTT 'out/{{room}}'")
    topics = f"sqlite:///{tmp_path / 'topics.db'}"
    first = Announcer(broker.url, "test", Retained(topics))
    router = routed(sinks={MQTT: first})
    house.light("1.01", 3)
    listener.waits_for(("out/1.01", {"present": True, "room": "1.01"}))
    router.stop()
    first.close()
    house.light("1.01", 300)
    second = Announcer(broker.url, "test", Retained(topics))
    routed(sinks={MQTT: second})
    listener.waits_for(("out/1.01", None))
    until(lambda: not Retained(topics).orphans([]), 5, "the topic to be forgotten")
    second.close()


@pytest.mark.parametrize("output", ["DISPLAY '../x'", "MQTT 'a/+'", "MQTT 'a/{rom}'"])
def test_an_output_that_cannot_be_has_its_place(output: str) -> None:
    text = f"SELECT room FROM seats OUTPUT TO ALARM, {output}"
    with pytest.raises(QueryError) as refused:
        check_outputs(outputs_of(text), [Column("room", Type.TEXT)])
    span = refused.value.span
    assert span is not None
    assert text[span.start : span.end] == output
