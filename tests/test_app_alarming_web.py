"""Alarms over HTTP: what operators do with them, what admins say of channels and rules."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app import asking
from app.alarming.commands import lack
from app.alarming.form import rule_text
from app.cli import main
from app.create_app import Web
from app.outputs import ALARM
from app.roles import Role
from app.routes import Route
from engine.contracts import ViewInfo
from engine.lang.streamsql import Output
from engine.model.clock import SECOND, ManualClock
from engine.model.errors import QueryError
from engine.model.relation import Column
from engine.model.values import Type
from engine.outcomes import Changed
from tests.environment.waiting import free_port
from tests.memory_engine import MemoryEngine
from tests.web_parts import ORIGIN, client_of, web_over

NOW = 1_800_000_000 * SECOND
HOT = Output(ALARM, "too dark", None, (("severity", "critical"), ("key", "room")))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def web(tmp_path: Path, clock: ManualClock) -> Web:
    engine = MemoryEngine()
    made = web_over(engine, tmp_path, wall=clock, feed=clock)
    engine.replace(NOW, dark_rooms=[("1.01", 3.0)])
    made.outlets.alarming.sink.hold(Route("dark_rooms", HOT), engine.snapshot("dark_rooms"))
    return made


def call(web: Web, method: str, path: str, body: Any = None, role: Role = Role.OPERATOR) -> tuple[int, Any]:
    answer = client_of(web, role).open(path, method=method, json=body, headers=ORIGIN)
    return answer.status_code, answer.json


def only(web: Web) -> dict[str, Any]:
    (alarm,) = call(web, "GET", "/api/alarms")[1]["alarms"]
    return dict(alarm)


def test_an_operator_acknowledges_with_a_note_and_is_named(web: Web) -> None:
    identity = only(web)["id"]
    status, alarm = call(web, "POST", f"/api/alarms/{identity}/acknowledge", {"note": "on my way"})
    assert status == 200
    assert (alarm["acknowledged_by"], alarm["note"]) == ("a link of role operator", "on my way")
    assert alarm["acknowledged"] == NOW
    assert only(web)["severity"] == "critical"


def test_a_body_that_is_no_json_acknowledges_nothing_and_is_told_what_it_is(web: Web) -> None:
    path = f"/api/alarms/{only(web)['id']}/acknowledge"
    for kind, problem in [
        ("application/x-www-form-urlencoded", "it is of type application/x-www-form-urlencoded"),
        ("application/json", "it cannot be read as one"),
    ]:
        answer = client_of(web, Role.OPERATOR).post(path, data="note=x", content_type=kind, headers=ORIGIN)
        expected = 'expected such as {"name": "…"} of type application/json'
        assert answer.status_code == 400
        assert answer.json == {"error": f"the body is no JSON object, {problem}; {expected}"}
    assert call(web, "POST", path, ["x"])[0] == 400
    assert only(web)["acknowledged"] is None
    answer = client_of(web, Role.OPERATOR).post(path, headers=ORIGIN)
    assert answer.status_code == 200, "one who says nothing acknowledges without a note"


@pytest.mark.parametrize(
    ("what", "said"), [("acknowledge", {"note": "n" * 501}), ("shelve", {"minutes": 5, "reason": "r" * 501})]
)
def test_a_note_is_kept_whole_or_refused(web: Web, what: str, said: dict[str, Any]) -> None:
    path = f"/api/alarms/{only(web)['id']}/{what}"
    status, answer = call(web, "POST", path, said)
    assert status == 400
    assert "has 501 signs; expected 500 at most" in answer["error"]
    whole = {**said, **{name: text[1:] for name, text in said.items() if isinstance(text, str)}}
    assert call(web, "POST", path, whole)[0] == 200


def test_one_is_shelved_for_a_time_and_taken_off(web: Web, clock: ManualClock) -> None:
    identity = only(web)["id"]
    path = f"/api/alarms/{identity}/shelve"
    status, alarm = call(web, "POST", path, {"minutes": 60, "reason": "the lamp is on order"})
    assert status == 200
    assert alarm["shelved"]["reason"] == "the lamp is on order"
    clock.advance(61 * 60 * SECOND)
    assert only(web)["shelved"] is None
    call(web, "POST", path, {"minutes": 60, "whole": True})
    assert only(web)["shelved"]
    call(web, "POST", f"/api/alarms/{identity}/unshelve")
    assert only(web)["shelved"] is None
    status, body = call(web, "POST", path, {"minutes": "ten"})
    assert status == 400
    expected = "expected minutes for how long nothing is told, from 1 to 43200 (30 days)"
    assert body["error"] == f"minutes is 'ten', whole is False; {expected}, and whole true or false"


@pytest.mark.parametrize("ended", ["x", "-1", "1001", "1e3", "1_0"])
def test_a_number_in_an_address_is_one_or_is_told_what_it_may_be(web: Web, ended: str) -> None:
    status, body = call(web, "GET", f"/api/alarms?ended={ended}")
    assert status == 400
    assert body["error"] == f"ended={ended} cannot be; expected a whole number from 0 to 1000"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--shelve", "1 hour", "--unshelve", "--clear"], "--shelve and --unshelve and --clear contradict"),
        (["--unshelve", "--clear"], "--unshelve and --clear contradict each other; expected one of them"),
        (["--acknowledge", "--shelve", "soon"], "--shelve is a time from a minute on"),
    ],
)
def test_a_command_that_cannot_be_does_nothing(
    web: Web, monkeypatch: pytest.MonkeyPatch, options: list[str], problem: str
) -> None:
    monkeypatch.setattr(asking, "Client", lambda _: pytest.fail("the server was asked"))
    done = CliRunner().invoke(main, ["alarm", str(only(web)["id"]), *options])
    assert done.exit_code == 2
    assert problem in " ".join(done.output.split())


def test_one_is_cleared_once(web: Web) -> None:
    identity = only(web)["id"]
    assert call(web, "POST", f"/api/alarms/{identity}/clear")[0] == 200
    assert only(web)["cleared"] == NOW
    status, body = call(web, "POST", f"/api/alarms/{identity}/clear")
    assert (status, body["error"]) == (400, f"alarm {identity} does not stand any more")


def test_an_alarm_tells_its_why_and_who_was_told(web: Web) -> None:
    identity = only(web)["id"]
    status, alarm = call(web, "GET", f"/api/alarms/{identity}")
    assert status == 200
    assert alarm["notices"] == []
    assert "why" in alarm
    status, body = call(web, "GET", "/api/alarms/999")
    assert (status, body["error"]) == (400, "there is no alarm 999; /alarms lists those that are known")


@pytest.mark.parametrize("path", ["", "/acknowledge", "/clear", "/unshelve"])
def test_a_number_that_no_database_has_is_no_alarm(web: Web, path: str) -> None:
    status, body = call(web, "POST" if path else "GET", f"/api/alarms/{10**30}{path}")
    assert (status, body["error"]) == (400, f"there is no alarm {10**30}; /alarms lists those that are known")


def test_a_channel_that_is_not_there_is_no_failure_of_what_it_reaches(web: Web) -> None:
    status, body = call(web, "POST", "/api/alarm-channels/nobody/try", role=Role.ADMIN)
    assert status == 400
    assert body["error"].startswith("there is no channel nobody")


@pytest.mark.parametrize("path", ["acknowledge", "clear", "shelve", "unshelve"])
def test_a_viewer_does_nothing_with_alarms(web: Web, path: str) -> None:
    assert call(web, "POST", f"/api/alarms/1/{path}", {}, Role.ANALYST)[0] == 403


def test_channels_are_the_admins_and_keep_their_secrets(web: Web) -> None:
    hook = {"url": "https://hooks.example/x", "header": "X-Secret", "value": "s3cret"}
    body = {"kind": "webhook", "settings": hook}
    assert call(web, "PUT", "/api/alarm-channels/desk", body)[0] == 403
    status, made = call(web, "PUT", "/api/alarm-channels/desk", body, Role.ADMIN)
    assert (status, made["settings"]["value"]) == (200, "•••")
    _, said = call(web, "GET", "/api/alarm-channels", role=Role.ADMIN)
    assert "s3cret" not in str(said)
    for wrong in ({"kind": "webhook"}, {"kind": "webhook", "settings": {"url": 3}}, []):
        assert call(web, "PUT", "/api/alarm-channels/desk", wrong, Role.ADMIN)[0] == 400
    assert call(web, "DELETE", "/api/alarm-channels/desk", role=Role.ADMIN)[0] == 200
    assert call(web, "DELETE", "/api/alarm-channels/desk", role=Role.ADMIN)[0] == 400


def test_a_try_says_what_is_wrong(web: Web) -> None:
    body = {"kind": "webhook", "settings": {"url": f"http://127.0.0.1:{free_port()}/x"}}
    call(web, "PUT", "/api/alarm-channels/desk", body, Role.ADMIN)
    status, said = call(web, "POST", "/api/alarm-channels/desk/try", {}, Role.ADMIN)
    assert status == 502
    assert said["error"].startswith("webhook desk: ")
    assert "refused" in said["error"]


def test_a_form_writes_the_text_of_a_rule(web: Web) -> None:
    form = {
        "view": "room_temperature", "column": "celsius", "is": ">", "value": " 26.50 ",
        "name": "it's too warm", "severity": "high", "hold": "1 minute", "key": "room", "linger": "",
    }  # fmt: skip
    status, said = call(web, "POST", "/api/alarm-rules", form, Role.ADMIN)
    assert status == 200, said
    assert said["sql"] == (
        "CREATE VIEW alarm_it_s_too_warm AS\n"
        "SELECT * FROM room_temperature WHERE celsius > 26.50\n"
        "OUTPUT TO ALARM 'it''s too warm' WITH (severity = 'high', hold = '1 minute', key = 'room')"
    )


RULE = "CREATE VIEW v AS SELECT room FROM dark_rooms OUTPUT TO ALARM 'dim' WITH (notify = 'desk, chieff')"
UNKNOWN = (
    "notify of an alarm names chieff, which is no channel; there are chief, desk; did you mean chief?; "
    "an admin makes it on /alarms/channels, or leave it out"
)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/views", {"sql": RULE}),
        ("/api/statements", {"sql": f"SHOW VIEWS; {RULE}"}),
        ("/api/query", {"sql": RULE.partition(" AS ")[2]}),
        ("/api/alarm-rules", {"view": "dark_rooms", "name": "dim", "notify": "desk, chieff"}),
    ],
)
def test_whoever_makes_a_rule_is_told_of_a_channel_that_is_not_there(
    web: Web, monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, str]
) -> None:
    monkeypatch.setattr(MemoryEngine, "execute", lambda *_: Changed("kept", "view", ()))
    for name in ("desk", "chief"):
        web.outlets.alarming.channels.put(name, "webhook", {"url": "https://hooks.example/x"})
    status, said = call(web, "POST", path, body, Role.ADMIN)
    assert (status, said["error"]) == (400, UNKNOWN)


def test_a_rule_that_stood_before_its_channel_went_is_listed_with_what_it_lacks(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = RULE.replace("chieff'", "chief', escalate = '1 hour', escalate_to = 'chief'")
    monkeypatch.setattr(MemoryEngine, "views", lambda _: (ViewInfo("v", (), both, 0),))
    channels = web.outlets.alarming.channels
    for name in ("desk", "chief"):
        channels.put(name, "webhook", {"url": "https://hooks.example/x"})
    assert call(web, "GET", "/api/alarms")[1]["lacking"] == []
    channels.remove("chief")
    lacking = {"view": "v", "name": "dim", "channel": "chief"}
    assert call(web, "GET", "/api/alarms")[1]["lacking"] == [lacking]
    said = "the alarm dim of v names the channel chief, which is not there; /alarms/channels makes it"
    assert lack(lacking) == said


def test_a_form_with_two_bounds_writes_a_column_that_raises(web: Web) -> None:
    form = {"view": "room_temperature", "column": "celsius", "is": ">", "value": "26", "until": "24",
            "name": "warm", "key": "room"}  # fmt: skip
    status, said = call(web, "POST", "/api/alarm-rules", form, Role.ADMIN)
    assert status == 200, said
    assert said["sql"] == (
        "CREATE VIEW alarm_warm AS\n"
        "SELECT *, celsius > 26 AS raises FROM room_temperature WHERE celsius > 24\n"
        "OUTPUT TO ALARM 'warm' WITH (key = 'room', raised_by = 'raises')"
    )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"view": "room_temprature"}, "there is no view room_temprature; there are "),
        ({"view": "room_temprature"}, "did you mean room_temperature?"),
        ({"view": ""}, "the rule names no view; there are "),
        ({"column": "celsus"}, "the view has no column celsus; did you mean celsius?"),
        ({"value": "1; DROP VIEW people"}, "celsius is a number"),
        ({"value": "NaN"}, "celsius is a number"),
        ({"value": "1e999999999"}, "celsius is a number of 30 digits at most; found '1e999999999'"),
        ({"value": "-1e-999999999"}, "celsius is a number of 30 digits at most"),
        ({"is": "LIKE"}, "a column is compared by >"),
        ({"name": ""}, "an alarm is named by 1 to 60 signs"),
        ({"hold": "soon"}, "hold of an alarm is a time"),
        ({"severity": 3}, "a rule is said by texts"),
        ({"until": "24"}, "until goes with a key: choose the column"),
        ({"until": "28", "key": "room"}, "until is 28, which is above 26, so nothing would end later"),
        ({"until": "24", "key": "room", "is": "<="}, "until is 24, which is below 26"),
        ({"until": "24", "key": "room", "is": "="}, "until goes with >, >=, <, <="),
        ({"until": "1e999999999", "key": "room"}, "celsius is a number of 30 digits at most"),
        ({"until": "24", "column": "", "key": "room"}, "choose one"),
    ],
)
def test_a_form_that_cannot_be_is_refused(web: Web, change: dict[str, Any], problem: str) -> None:
    form = {"view": "room_temperature", "column": "celsius", "is": ">", "value": "26", "name": "warm"}
    status, said = call(web, "POST", "/api/alarm-rules", {**form, **change}, Role.ADMIN)
    assert status == 400
    assert problem in said["error"]


def test_a_view_whose_column_the_form_would_write_twice_is_told_so() -> None:
    columns = {"warm": (Column("room", Type.TEXT), Column("c", Type.DOUBLE), Column("raises", Type.BOOLEAN))}
    form = {
        "view": "warm",
        "column": "c",
        "is": ">",
        "value": "26",
        "until": "24",
        "name": "x",
        "key": "room",
    }
    with pytest.raises(QueryError, match="has a column raises of its own"):
        rule_text(form, columns)
