"""Whoever is to be told is told: over a mail server, a web server, a broker, each away for a while."""

import json
from collections.abc import Iterator
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from app.alarming.channels import KEPT_SECRET, Channels
from app.alarming.life import Turn
from app.alarming.notifier import Notifier, trial
from app.alarming.outbox import AT_ONCE, GIVEN_UP_SECONDS, Outbox
from app.alarming.rule import Rule
from app.alarming.senders import Senders
from app.alarming.store import AlarmStore, Named, Written
from engine.model.clock import SECOND, ManualClock
from engine.model.errors import QueryError
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import free_port, until
from tests.outputs_parts import Listener

OF = Named("hot_rooms", "too hot")
LINK = "http://127.0.0.1:8000/alarms"
START = 1_800_000_000 * SECOND


class Mailbox:
    """A mail server's end: what came, or a refusal."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        self.refusal = ""

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        if self.refusal:
            return self.refusal
        self.mails.append(message_from_bytes(envelope.content))
        return "250 taken"


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, int]]:
    box, port = Mailbox(), free_port()
    server = Controller(box, hostname="127.0.0.1", port=port)
    server.start()
    yield box, port
    server.stop()


@pytest.fixture
def web_hook() -> Iterator[tuple[list[Any], str]]:
    came: list[Any] = []

    class Takes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            came.append((self.path, self.headers.get("X-Secret"), json.loads(body)))
            self.send_response(302 if self.path == "/elsewhere" else 204)
            self.send_header("Location", "/caught")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Takes)
    Thread(target=server.serve_forever, daemon=True).start()
    yield came, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Office:
    """An alarm store, its outbox and channels, and the one who tells; time is the test's."""

    def __init__(self, folder: Path, mqtt_url: str | None = None) -> None:
        url = f"sqlite:///{folder / 'alarms.db'}"
        self.clock = ManualClock(START)
        self.store, self.outbox = AlarmStore(url, self.clock), Outbox(url, self.clock)
        self.channels = Channels(folder / "channels.json")
        self.notifier = Notifier(self.outbox, self.channels, Senders(mqtt_url), LINK)
        self.held: dict[str, int] = {}

    def alarm(self, room: str, *notify: str) -> int:
        row = json.dumps({"room": room, "celsius": 31.5})
        rule = Rule(severity="high", notify=notify)
        turn = Turn(room, True, self.clock.now())
        made = self.store.write(OF, rule, self.held, Written({room: (row, turn)}))
        self.held |= made
        return made[room]

    def over(self, room: str) -> None:
        ended = [Turn(room, False, self.clock.now())]
        self.store.write(OF, Rule(), self.held, Written(ended=ended))

    def later(self, seconds: int) -> None:
        self.clock.advance(seconds * SECOND)
        self.notifier.look()


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    yield made
    made.notifier.stop()
    made.store.close()


def by_mail(office: Office, port: int) -> None:
    where = {"server": "127.0.0.1", "port": str(port), "security": "none"}
    office.channels.put("chief", "email", {**where, "sender": "cis@example.org", "to": "ada@example.org"})


def test_a_mail_says_what_is_wrong_and_where_and_that_it_is_over(
    office: Office, mailbox: tuple[Mailbox, int]
) -> None:
    box, port = mailbox
    by_mail(office, port)
    identity = office.alarm("1.09 \N{SNOWMAN}", "chief")
    office.notifier.look()
    (mail,) = box.mails
    assert "too hot: room 1.09" in str(mail["Subject"]) or "=?utf-8?" in str(mail["Subject"])
    text = mail.get_payload(decode=True).decode()
    assert "celsius: 31.5" in text
    assert f"{LINK}#{identity}" in text
    office.later(60)
    assert len(box.mails) == 1
    office.over("1.09 \N{SNOWMAN}")
    office.notifier.look()
    assert len(box.mails) == 2
    assert [notice["what"] for notice in office.outbox.of(identity)] == ["raised", "ended"]


def test_who_cannot_be_told_is_tried_again_and_the_reason_is_shown(
    office: Office, mailbox: tuple[Mailbox, int]
) -> None:
    box, port = mailbox
    by_mail(office, port)
    box.refusal = "451 come back later"
    identity = office.alarm("1.09", "chief")
    office.notifier.look()
    (notice,) = office.outbox.troubles()
    assert notice["problem"] == "email chief: the server answered 451 come back later"
    box.refusal = ""
    office.later(4)
    assert box.mails == []
    office.later(1)
    assert len(box.mails) == 1
    assert office.outbox.troubles() == []
    assert office.outbox.of(identity)[0]["tries"] == 2


def test_one_try_of_a_dead_channel_stands_for_all_that_wait_for_it(
    office: Office, mailbox: tuple[Mailbox, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    box, port = mailbox
    by_mail(office, port)
    box.refusal = "451 come back later"
    tries: list[int] = []
    send = Senders.send

    def counted(*said: Any) -> None:
        tries.append((office.clock.now() - START) // SECOND)
        send(*said)

    monkeypatch.setattr(Senders, "send", counted)
    for room in range(AT_ONCE + 20):
        office.alarm(f"1.{room}", "chief")
    office.later(0)
    for second in range(1, 40):
        office.alarm(f"2.{second}", "chief")
        office.later(1)
    assert tries == [0, 5, 15, 35]
    waiting = {notice["due"] for notice in office.outbox.troubles(500)}
    assert waiting == {START + 75 * SECOND}
    box.refusal = ""
    office.later(36)
    office.later(1)
    assert len(box.mails) == AT_ONCE + 20 + 39
    assert office.outbox.troubles() == []


def test_after_a_day_a_notice_is_given_up_and_still_shown(office: Office) -> None:
    office.channels.put("far", "webhook", {"url": f"http://127.0.0.1:{free_port()}/x"})
    identity = office.alarm("1.09", "far")
    office.later(0)
    for _ in range(2 * GIVEN_UP_SECONDS // 300):
        office.later(300)
    (notice,) = office.outbox.of(identity)
    assert (notice["due"], notice["sent"]) == (None, None)
    assert "refused" in notice["problem"]
    assert 250 < notice["tries"] < 400
    assert office.outbox.troubles() == [notice]


def test_a_web_hook_gets_the_alarm_as_data_with_its_secret(
    office: Office, web_hook: tuple[list[Any], str]
) -> None:
    came, url = web_hook
    office.channels.put("desk", "webhook", {"url": f"{url}/alarm", "header": "X-Secret", "value": "s3cret"})
    identity = office.alarm("1.09", "desk")
    office.notifier.look()
    ((path, secret, said),) = came
    assert (path, secret, said["what"]) == ("/alarm", "s3cret", "raised")
    assert said["alarm"]["row"] == {"room": "1.09", "celsius": 31.5}
    assert (said["alarm"]["id"], said["alarm"]["severity"]) == (identity, "high")


def test_a_web_hook_that_sends_elsewhere_is_not_followed(
    office: Office, web_hook: tuple[list[Any], str]
) -> None:
    came, url = web_hook
    office.channels.put("desk", "webhook", {"url": f"{url}/elsewhere", "header": "X-Secret", "value": "s"})
    office.alarm("1.09", "desk")
    office.notifier.look()
    assert [path for path, _, _ in came] == ["/elsewhere"]
    assert "302" in office.outbox.troubles()[0]["problem"]


def test_a_broker_gets_it_when_it_is_back(tmp_path: Path, mosquitto: Mosquitto) -> None:
    office = Office(tmp_path, mosquitto.url)
    office.channels.put("signs", "mqtt", {"topic": "out/alarms"})
    mosquitto.stop()
    office.alarm("1.09", "signs")
    office.notifier.look()
    assert "mqtt signs: " in office.outbox.troubles()[0]["problem"]
    mosquitto.start()
    listener = Listener(mosquitto.port)
    until(listener.client.is_connected, 5, "the listener")
    office.later(5)
    until(lambda: listener.heard, 5, "the alarm")
    assert listener.heard[0][1]["alarm"]["row"]["room"] == "1.09"
    assert office.outbox.troubles() == []
    listener.close()
    office.notifier.stop()
    office.store.close()


def test_one_that_is_away_holds_up_no_other(
    office: Office, mailbox: tuple[Mailbox, int], web_hook: tuple[list[Any], str]
) -> None:
    by_mail(office, free_port())
    office.channels.put("desk", "webhook", {"url": web_hook[1]})
    for room in ("1.01", "1.02", "1.03"):
        office.alarm(room, "chief", "desk", "nobody")
    office.notifier.look()
    assert len(web_hook[0]) == 3
    problems = {notice["channel"]: notice["problem"] for notice in office.outbox.troubles()}
    assert problems.keys() == {"chief", "nobody"}
    assert problems["nobody"] == "there is no channel nobody; there are: chief, desk"


def test_what_nobody_foresaw_of_one_channel_is_told_and_holds_up_no_other(
    office: Office, web_hook: tuple[list[Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise AttributeError

    monkeypatch.setattr(Senders, "_mqtt", breaks)
    office.channels.put("bus", "mqtt", {"topic": "out/alarms"})
    office.channels.put("desk", "webhook", {"url": web_hook[1]})
    office.alarm("1.09", "bus", "desk")
    office.notifier.look()
    assert len(web_hook[0]) == 1
    (notice,) = office.outbox.troubles()
    assert notice["problem"].startswith("bus: something went wrong on our side")
    assert notice["tries"] == 1


@pytest.mark.parametrize("sender", ["cis@example.org", "The Building <cis@example.org>", "zoë@büro.example"])
def test_an_address_may_have_a_name_and_letters_of_any_language(tmp_path: Path, sender: str) -> None:
    settings = {"server": "a", "sender": sender, "to": "ada@example.org, Bo Li <bo@example.org>"}
    assert Channels(tmp_path / "channels.json").put("c", "email", settings).settings["sender"] == sender


def test_what_waits_for_a_channel_is_tried_as_soon_as_it_is_mended(
    office: Office, mailbox: tuple[Mailbox, int]
) -> None:
    office.alarm("1.09", "chief")
    office.notifier.look()
    by_mail(office, mailbox[1])
    office.outbox.at_once("chief")
    office.notifier.look()
    assert len(mailbox[0].mails) == 1


def test_a_secret_is_kept_and_never_told_again(tmp_path: Path) -> None:
    channels = Channels(tmp_path / "channels.json")
    channels.put("desk", "webhook", {"url": "https://a.example/x", "header": "X", "value": "s3cret"})
    (told,) = [channel.told() for channel in Channels(tmp_path / "channels.json").all()]
    assert told["settings"]["value"] == KEPT_SECRET
    channels.put("desk", "webhook", {**told["settings"], "url": "https://b.example/x"})
    assert channels.get("desk").settings["value"] == "s3cret"
    assert channels.get("desk").settings["url"] == "https://b.example/x"
    assert (tmp_path / "channels.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("kind", "settings", "problem"),
    [
        ("pigeon", {}, "a channel is one of email, webhook, mqtt"),
        ("email", {"server": "a"}, "needs sender, to"),
        ("email", {"server": "a", "sender": "b@c", "to": "d"}, "'d' is no e-mail address"),
        ("email", {"server": "a", "sender": "b@c", "to": "d@e", "port": "x"}, "port is a number"),
        ("email", {"server": "a", "sender": "b@c\r\nBcc: x@y", "to": "d@e"}, "sender of the channel c is"),
        ("email", {"server": "a", "sender": "b@c", "to": "d@["}, "'d@[' is no e-mail address; expected"),
        ("email", {"server": "a", "sender": "b@c", "to": "d@e, f@"}, "'f@' is no e-mail address"),
        ("email", {"server": "a", "sender": "<b@c", "to": "d@e"}, "'<b@c' is no e-mail address"),
        ("email", {"server": "a", "sender": "b@c", "to": "a b@c"}, "'a b@c' is no e-mail address"),
        ("webhook", {"url": "http://["}, "names a host, if it likes with a port"),
        ("webhook", {"url": "http://a:99999/"}, "found 'http://a:99999/'"),
        ("webhook", {"url": "file:///etc/passwd"}, "begins with https://"),
        ("webhook", {"url": "https://a", "uri": "b"}, "uri is no setting of webhook; there are url"),
        ("mqtt", {"topic": "a/#"}, "has no + and no #"),
    ],
)  # fmt: skip
def test_a_channel_that_cannot_be_is_refused(
    tmp_path: Path, kind: str, settings: dict[str, str], problem: str
) -> None:
    with pytest.raises(QueryError) as refused:
        Channels(tmp_path / "channels.json").put("c", kind, settings)
    assert problem in refused.value.message


def test_a_try_reaches_the_channel(office: Office, mailbox: tuple[Mailbox, int]) -> None:
    by_mail(office, mailbox[1])
    Senders(None).send(office.channels.get("chief"), trial("chief", LINK))
    assert "a try of the channel chief" in mailbox[0].mails[0].get_payload()
