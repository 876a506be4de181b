"""What of a broker's messages goes to the log, and the few filters that bring it."""

import pytest

from engine.model.clock import ManualClock
from ingest.topics import TopicPattern
from ingest.wrappers.mqtt import intake as bounds
from ingest.wrappers.mqtt.asked import MOST_FILTERS, Asked
from ingest.wrappers.mqtt.client import Message
from ingest.wrappers.mqtt.heard import Heard, Said
from ingest.wrappers.mqtt.intake import Intake

DECLARED = (TopicPattern("building/seat/{desk}"),)
CONFIG = "homeassistant/sensor/kitchen/config"


def said(topic: str, payload: bytes = b"1", **flags: bool) -> Message:
    return Message(topic, payload, 7, dup=False, **flags)


def payloads(messages: list[Message]) -> list[tuple[str, bytes]]:
    return [(each.topic, each.payload) for each in messages]


@pytest.fixture
def intake() -> Intake:
    return Intake(Asked(DECLARED), Heard(ManualClock(1)), ("gateway",))


def test_what_is_declared_and_what_announces_goes_to_the_log_in_order(intake: Intake) -> None:
    burst = [said("building/seat/7"), said(CONFIG, b"{}"), said("elsewhere"), said("building/seat/8")]
    assert intake.sift(burst) == [burst[0], burst[1], burst[3]]
    assert (intake.unasked, intake.held) == (1, 1)


def test_what_came_before_it_was_asked_for_comes_once_it_is_the_newest_of_each_topic(intake: Intake) -> None:
    assert intake.sift([said("k/t", b"1"), said("k/u", b"2"), said("k/t", b"3"), said("other", b"4")]) == []
    intake.ask(Asked(DECLARED, {"k/t", "k/u"}))
    assert payloads(intake.sift([said("k/t", b"5")])) == [("k/u", b"2"), ("k/t", b"3"), ("k/t", b"5")]
    assert intake.held == 1
    intake.ask(Asked((*DECLARED, TopicPattern("other"))))
    assert payloads(intake.sift([])) == [("other", b"4")]


def test_an_announcement_is_news_once_and_again_after_it_was_forgotten(intake: Intake) -> None:
    intake.know({CONFIG: b"{}"})
    assert intake.sift([said(CONFIG, b"{}")]) == []
    assert payloads(intake.sift([said(CONFIG, b""), said(CONFIG, b""), said(CONFIG, b"{}")])) == [
        (CONFIG, b""),
        (CONFIG, b"{}"),
    ]
    intake.forget([CONFIG])
    assert payloads(intake.sift([said(CONFIG, b"{}")])) == [(CONFIG, b"{}")]


def test_a_flood_of_announcements_is_forgotten_rather_than_kept(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_ANNOUNCED", 10)
    flood = [said(f"homeassistant/sensor/k{n}/config", b"{}") for n in range(25)]
    assert intake.sift(flood) == flood
    assert intake.sift(flood[-5:]) == []
    assert intake.sift(flood[:1]) == flood[:1]


def test_a_topic_that_announces_and_measures_is_logged_each_time(intake: Intake) -> None:
    intake.ask(Asked((), {"tele/plug/SENSOR"}))
    assert len(intake.sift([said("tele/plug/SENSOR", b"{}"), said("tele/plug/SENSOR", b"{}")])) == 2


def test_what_is_held_is_bounded_and_what_came_first_goes_first(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_HELD", 3)
    monkeypatch.setattr(bounds, "MAX_HELD_BYTES", 100)
    intake.sift([said(f"k/{n}") for n in range(5)])
    assert (intake.unasked, intake.held, intake.overflowed) == (5, 3, 2)
    intake.sift([said("k/large", b"x" * 99)])
    assert (intake.held, intake.overflowed) == (2, 4)
    intake.sift([said("gateway/g/state")])
    assert (intake.unasked, intake.held) == (7, 2)


def test_who_spoke_is_noted_and_a_kept_message_does_not_say_when() -> None:
    clock = ManualClock(5)
    heard = Heard(clock)
    heard.follow({"a", "b"})
    heard.note("a", b"1", is_kept=True)
    heard.note("b", b"2", is_kept=False)
    heard.note("b", b"3", is_kept=True)
    heard.note("c", b"4", is_kept=False)
    assert heard.take() == {"a": Said(b"1", None), "b": Said(b"3", 5)}
    assert heard.take() == {}


def topics(devices: int, shape: str) -> set[str]:
    return {shape.format(n) for n in range(devices)}


@pytest.mark.parametrize(
    "found",
    [
        topics(1, "k/{}/t"),
        topics(300, "house/floor/dev{}/temperature"),
        topics(300, "dev{}/status/switch:0"),
        topics(300, "zigbee2mqtt/lamp{}") | topics(300, "tele/p{}/SENSOR") | topics(4, "esp{}/x/y/z"),
    ],
)
def test_few_filters_bring_everything_however_many_devices_there_are(found: set[str]) -> None:
    asked = Asked([TopicPattern(f"building/kind{n}/{{of}}") for n in range(5)], found)
    filters = asked.filters()
    assert len(filters) <= MOST_FILTERS
    for topic in (*found, "building/kind3/x", CONFIG):
        assert topic in asked
        assert any(TopicPattern(each).matches(topic) for each in filters), topic


def test_filters_are_as_narrow_as_their_number_allows() -> None:
    assert "k/t" in Asked((), {"k/t"}).filters()
    assert "house/hall/#" in Asked((), topics(20, "house/hall/{}/t")).filters()
    assert Asked((), topics(20, "dev{}/t")).filters() == ("#",)


def test_a_device_may_speak_on_a_topic_with_any_level() -> None:
    found = {f"+/+/BTtoMQTT/A4C{n}" for n in range(30)} | {"k/+"}
    asked = Asked((), found)
    filters = asked.filters()
    assert len(filters) <= MOST_FILTERS
    for topic in ("home/gate1/BTtoMQTT/A4C7", "k/x"):
        assert topic in asked
        assert any(TopicPattern(each).matches(topic) for each in filters)
    assert "home/gate1/BTtoMQTT/B1" not in asked
    assert "#" not in filters
    heard = Heard(ManualClock(5))
    heard.follow(found)
    heard.note("home/gate1/BTtoMQTT/A4C7", b"1", is_kept=False)
    assert heard.take() == {"+/+/BTtoMQTT/A4C7": Said(b"1", 5)}


def test_a_topic_that_cannot_be_subscribed_to_is_left_out() -> None:
    asked = Asked((), {"a/{b}", "#", "", "a\0b", "a+/b", "x" * 70_000, "\ud800", "good/one"})
    assert set(asked.filters()) == {*Asked().filters(), "good/one"}
