"""The embedded broker with real clients."""

import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.broker.outbox import IN_FLIGHT, Outbox, Owed
from ingest.mqtt_frames import PUBLISH, FrameError, build_publish, find_frame, parse_publish
from tests.environment.waiting import until
from tests.ingest_parts import ROOT, embedded_broker

integration = pytest.mark.integration


class Client:
    def __init__(
        self, port: int, name: str, *filters: tuple[str, int], clean: bool = True, manual: bool = False
    ) -> None:
        self.received: list[tuple[str, bytes, bool, bool]] = []
        self.subscribed = threading.Event()
        self.granted: list[int] = []
        self.paho = paho.Client(
            paho.CallbackAPIVersion.VERSION2, client_id=name, clean_session=clean, manual_ack=manual
        )
        self.paho.on_message = lambda _c, _d, m: self.received.append((m.topic, m.payload, m.retain, m.dup))
        self.paho.on_subscribe = self._subscribed
        self.paho.connect("127.0.0.1", port, keepalive=5)
        self.paho.loop_start()
        until(self.paho.is_connected, 20, "it to happen")
        if filters:
            self.paho.subscribe(list(filters))
            assert self.subscribed.wait(120)

    def _subscribed(self, _client: object, _data: object, _mid: int, codes: list[object], *_: object) -> None:
        self.granted = [code.value for code in codes]  # type: ignore[attr-defined]
        self.subscribed.set()

    def publish(self, topic: str, payload: bytes, qos: int = 1, retain: bool = False) -> None:
        self.paho.publish(topic, payload, qos, retain).wait_for_publish(120)

    def topics(self) -> list[str]:
        return [topic for topic, *_ in self.received]

    def cut(self) -> None:
        connection = self.paho.socket()
        self.paho.loop_stop()
        assert connection is not None
        connection.close()

    def close(self) -> None:
        self.paho.disconnect()
        self.paho.loop_stop()


@integration
@pytest.mark.parametrize("qos", [0, 1, 2])
def test_overlapping_filters_give_one_copy_and_at_most_qos_1(qos: int) -> None:
    with embedded_broker() as port:
        listener = Client(port, "listener", ("a/+/c", 2), ("a/b/#", 1), ("a/b/c", 0))
        sender = Client(port, "sender")
        for at in range(50):
            sender.publish("a/b/c", b"%d" % at, qos)
        sender.publish("a/x/d", b"unheard", qos)
        sender.publish("a/b/z", b"last", qos)
        until(lambda: "a/b/z" in listener.topics(), 20, "it to happen")
        assert Counter(payload for _, payload, *_ in listener.received) == Counter(
            [*(b"%d" % at for at in range(50)), b"last"]
        )
        assert listener.granted == [1, 1, 0]
        listener.close()
        sender.close()


@integration
def test_what_a_subscriber_did_not_acknowledge_comes_again_marked_as_duplicate() -> None:
    with embedded_broker() as port:
        listener = Client(port, "listener", ("a", 1), clean=False, manual=True)
        sender = Client(port, "sender")
        for at in range(20):
            sender.publish("a", b"%d" % at)
        until(lambda: len(listener.received) == 20, 20, "it to happen")
        listener.cut()
        for at in range(20, 40):
            sender.publish("a", b"%d" % at)
        again = Client(port, "listener", clean=False)
        until(lambda: len(again.received) == 40, 20, "it to happen")
        assert [(payload, dup) for _, payload, _, dup in again.received] == [
            (b"%d" % at, at < 20) for at in range(40)
        ]
        again.close()
        sender.close()


@integration
def test_retained_messages_reach_later_subscribers_until_cleared() -> None:
    with embedded_broker() as port:
        sender = Client(port, "sender")
        sender.publish("room/1", b"warm", retain=True)
        sender.publish("room/2", b"cold", retain=True)
        sender.publish("room/2", b"", retain=True)
        listener = Client(port, "listener", ("room/+", 1))
        until(lambda: len(listener.received) == 1, 20, "it to happen")
        assert listener.received[0][:3] == ("room/1", b"warm", True)
        listener.close()
        sender.close()


def retained(listener: Client) -> list[str]:
    return sorted(topic for topic, _, is_retained, _ in listener.received if is_retained)


@integration
def test_retained_messages_reach_nobody_who_did_not_subscribe_to_them() -> None:
    with embedded_broker() as port:
        sender = Client(port, "sender")
        for at in range(20):
            sender.publish(f"room/{at}", b"warm", retain=True)
        before = Client(port, "before", ("room/#", 1), ("building/#", 0))
        silent = Client(port, "silent")
        stranger = Client(port, "stranger", ("nothing", 1))
        for each in (silent, stranger):
            each.paho.subscribe("end", 1)
        until(lambda: len(before.received) >= 20, 20, "what is retained")
        until(lambda: _hears(sender, silent) and _hears(sender, stranger), 20, "both to be there")
        assert retained(silent) == retained(stranger) == []
        for each in (sender, before, silent, stranger):
            each.close()


@integration
@pytest.mark.parametrize("qos", [0, 1])
def test_each_subscriber_gets_each_retained_message_once_whoever_else_subscribed(qos: int) -> None:
    with embedded_broker() as port:
        sender = Client(port, "sender")
        rooms = sorted(f"room/{at}" for at in range(20))
        for room in rooms:
            sender.publish(room, b"warm", qos, retain=True)
        sender.publish("room/all", b"", 1)
        both = [Client(port, "first", ("room/+", qos)), Client(port, "second", ("room/+", qos), ("#", 1))]
        until(lambda: all(_hears(sender, each, "room/end") for each in both), 20, "both to be there")
        assert [retained(each) for each in both] == [rooms, rooms]
        for each in (sender, *both):
            each.close()


@integration
def test_a_session_that_comes_back_gets_what_waited_and_nothing_retained_until_it_asks() -> None:
    with embedded_broker() as port:
        sender = Client(port, "sender")
        sender.publish("room/1", b"warm", retain=True)
        first = Client(port, "kept", ("room/+", 1), clean=False)
        other = Client(port, "other", ("#", 1))
        until(lambda: retained(first) == ["room/1"], 20, "what is retained")
        first.close()
        sender.publish("room/1", b"cold", retain=True)
        again = Client(port, "kept", clean=False)
        until(lambda: _hears(sender, again, "room/end"), 20, "the session to hear")
        assert [each[:3] for each in again.received if each[0] == "room/1"] == [("room/1", b"cold", False)]
        again.paho.subscribe("room/+", 1)
        until(lambda: retained(again) == ["room/1"], 20, "what it asked for")
        for each in (sender, other, again):
            each.close()


def _hears(sender: Client, listener: Client, topic: str = "end") -> bool:
    """Publish a message that is not retained; who hears it has heard all that was before."""
    sender.publish(topic, b"")
    return topic in listener.topics()


@integration
def test_a_client_that_takes_a_session_over_keeps_receiving() -> None:
    with embedded_broker() as port:
        first = Client(port, "same", ("a", 1), clean=False)
        first.paho.on_disconnect = lambda *_: first.paho.loop_stop()
        second = Client(port, "same", ("a", 1), clean=False)
        sender = Client(port, "sender")
        for _ in range(100):
            sender.publish("a", b"x")
        until(lambda: len(second.received) + len(first.received) >= 100, 20, "it to happen")
        assert len(second.received) >= 99
        second.close()
        sender.close()


@integration
def test_bytes_that_are_no_mqtt_end_only_their_own_connection() -> None:
    import socket

    with embedded_broker() as port:
        listener = Client(port, "listener", ("a", 1))
        for junk in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 50, b"\x30\xff\xff\xff\xff\xff", b"\x10\x00"):
            with socket.create_connection(("127.0.0.1", port)) as stranger:
                stranger.sendall(junk)
        sender = Client(port, "sender")
        sender.publish("a", b"1")
        until(lambda: len(listener.received) == 1, 20, "it to happen")
        listener.close()
        sender.close()


@integration
def test_a_taken_port_is_one_line_and_exit_code_3() -> None:
    with embedded_broker() as port:
        command = [sys.executable, "-m", "ingest.broker", "--port", str(port)]
        found = subprocess.run(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert found.returncode == 3
    assert found.stderr.startswith(f"broker: port {port} on 127.0.0.1 is taken")
    assert found.stderr.count("\n") == 1


@integration
def test_the_broker_ends_when_its_parent_does() -> None:
    parent = "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-m', 'ingest.broker', '--port', '0'], stdin=subprocess.PIPE); print(p.pid, flush=True); sys.stdin.read()"  # noqa: E501
    starter = subprocess.Popen(
        [sys.executable, "-c", parent], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert starter.stdout is not None
    child = Path(f"/proc/{int(starter.stdout.readline())}")
    assert "listening" in starter.stdout.readline()
    starter.kill()
    starter.wait()
    until(
        lambda: not child.exists() or "(python) Z" in (child / "stat").read_text(),
        20,
        "the broker to be gone",
    )


def owed(at: int) -> Owed:
    return Owed(b"t", b"%d" % at, retain=False)


def sent_by(frames: list[bytes]) -> list[tuple[int, bytes, bool]]:
    found = []
    for frame in frames:
        where = find_frame(frame, 0)
        assert where is not None
        message = parse_publish(frame, where)
        assert message.mid is not None
        found.append((message.mid, message.payload, message.dup))
    return found


def test_an_outbox_sends_a_window_then_as_places_become_free() -> None:
    outbox, frames = Outbox(), []
    outbox.connect(frames.append)
    for at in range(IN_FLIGHT + 5):
        outbox.put(owed(at))
    assert len(frames) == IN_FLIGHT
    for mid, *_ in sent_by(frames[:5]):
        outbox.acknowledge(mid)
    assert [payload for _, payload, _ in sent_by(frames)] == [b"%d" % at for at in range(IN_FLIGHT + 5)]


@given(st.lists(st.sampled_from(["put", "acknowledge", "cut"]), max_size=60))
def test_an_outbox_loses_nothing_however_often_the_connection_is_cut(steps: list[str]) -> None:
    outbox, frames, number, done = Outbox(), [], 0, []
    outbox.connect(frames.append)
    for step in steps:
        if step == "put":
            outbox.put(owed(number))
            number += 1
        elif step == "cut":
            frames = []
            outbox.connect(frames.append)
        elif pending := [one for one in sent_by(frames) if one[1] not in done]:
            outbox.acknowledge(pending[0][0])
            done.append(pending[0][1])
    frames = []
    outbox.connect(frames.append)
    assert done + [payload for _, payload, _ in sent_by(frames)] == [b"%d" % at for at in range(number)]


@given(st.binary(min_size=1, max_size=300), st.binary(max_size=20_000), st.none() | st.integers(1, 65_535))
def test_a_publish_is_parsed_as_it_was_built(topic: bytes, payload: bytes, mid: int | None) -> None:
    frame = build_publish(topic, payload, mid, dup=True, retain=True)
    where = find_frame(frame + b"\x00", 0)
    assert where is not None
    assert (where.kind, where.end) == (PUBLISH, len(frame))
    assert parse_publish(frame, where) == (topic, payload, 0 if mid is None else 1, mid, True, True)
    assert all(find_frame(frame[:cut], 0) is None for cut in range(1, len(frame), max(1, len(frame) // 50)))


@given(st.binary(max_size=100))
def test_any_bytes_are_a_frame_an_unfinished_frame_or_an_error(junk: bytes) -> None:
    try:
        frame = find_frame(junk, 0) if junk else None
        if frame is not None and frame.kind == PUBLISH:
            parse_publish(junk, frame)
    except FrameError:
        pass
