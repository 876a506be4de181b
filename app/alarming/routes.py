"""Alarms over HTTP: what stands and what was, who knows, who is told, and a form for rules."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request, session

from app.accounts.noting import note
from app.alarming.channels import Channels
from app.alarming.form import rule_text
from app.alarming.named import check_channels, lacking
from app.alarming.notifier import trial
from app.alarming.service import Alarming
from app.alarming.sink import Alarms
from app.api import refused
from app.auth import Auth
from app.bodies import asked_number, said
from app.facade import Engine
from app.outputs import outputs_of
from app.roles import ALARMS_ROLE, OUTPUTS_ROLE, Role, requires
from engine.model.clock import SECOND, Clock
from engine.model.errors import QueryError, SmartCISError
from engine.views.view import UNNAMED

MAX_ENDED = 1_000
LONGEST_SHELF_MINUTES = 30 * 24 * 60
LONGEST_NOTE = 500


def create_alarm_routes(engine: Engine, auth: Auth, clock: Clock, alarming: Alarming) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("alarming", __name__)
    _reading_routes(routes, engine, alarming)
    _doing_routes(routes, auth, clock, alarming.sink)
    _channel_routes(routes, alarming)
    _rule_routes(routes, engine, alarming.channels)
    routes.register_error_handler(SmartCISError, refused)
    return routes


def _reading_routes(routes: Blueprint, engine: Engine, alarming: Alarming) -> None:
    store, outbox = alarming.sink.store, alarming.outbox

    @routes.get("/api/alarms")
    @requires(ALARMS_ROLE)
    def listed() -> Response:
        ended = asked_number("ended", 50, 0, MAX_ENDED)
        lacks = [each._asdict() for each in lacking(engine.views(), alarming.channels)]
        return jsonify({"alarms": store.listed(ended), "untold": outbox.troubles(), "lacking": lacks})

    @routes.get("/api/alarms/<int:identity>")
    @requires(ALARMS_ROLE)
    def one(identity: int) -> Response:
        why = store.why(identity)
        (alarm,) = store.of([identity])
        return jsonify({**alarm, "why": why, "notices": outbox.of(identity)})


def _doing_routes(routes: Blueprint, auth: Auth, clock: Clock, alarms: Alarms) -> None:
    store = alarms.store

    def who() -> str:
        visitor = auth.visitor(request, session)
        return visitor.who if visitor else "nobody"

    @routes.post("/api/alarms/<int:identity>/acknowledge")
    @requires(ALARMS_ROLE)
    def acknowledge(identity: int) -> Response:
        note("acknowledged an alarm", str(identity))
        return jsonify(alarms.tell(store.acknowledge(identity, who(), text("note"))))

    @routes.post("/api/alarms/<int:identity>/clear")
    @requires(ALARMS_ROLE)
    def clear(identity: int) -> Response:
        note("cleared an alarm", str(identity))
        return jsonify(alarms.tell(store.clear(identity, who())))

    @routes.post("/api/alarms/<int:identity>/shelve")
    @requires(ALARMS_ROLE)
    def shelve(identity: int) -> Response:
        minutes, whole = said().get("minutes"), said().get("whole", False)
        if type(minutes) is not int or not 0 < minutes <= LONGEST_SHELF_MINUTES or type(whole) is not bool:
            expected = f"for how long nothing is told, from 1 to {LONGEST_SHELF_MINUTES} (30 days)"
            found = f"minutes is {minutes!r:.40}, whole is {whole!r:.40}"
            problem = f"{found}; expected minutes {expected}, and whole true or false"
            raise QueryError(problem)
        note("shelved an alarm", f"{identity}, {minutes} minutes")
        until = clock.now() + minutes * 60 * SECOND
        store.shelve(identity, whole, until, who(), text("reason"))
        return jsonify(alarms.tell(store.of([identity])[0]))

    @routes.post("/api/alarms/<int:identity>/unshelve")
    @requires(ALARMS_ROLE)
    def unshelve(identity: int) -> Response:
        note("took an alarm off the shelf", str(identity))
        store.unshelve(identity)
        return jsonify(alarms.tell(store.of([identity])[0]))


def _channel_routes(routes: Blueprint, alarming: Alarming) -> None:
    channels = alarming.channels

    @routes.get("/api/alarm-channels")
    @requires(Role.ADMIN)
    def all_channels() -> Response:
        return jsonify({"channels": [channel.told() for channel in channels.all()]})

    @routes.put("/api/alarm-channels/<name>")
    @requires(Role.ADMIN)
    def put(name: str) -> Response:
        kind, settings = said().get("kind"), said().get("settings")
        if not isinstance(kind, str) or not isinstance(settings, dict) or not all_texts(settings):
            problem = 'a channel is {"kind": "email", "settings": {…}}, all of them texts'
            raise QueryError(problem)
        note("made or changed a channel of alarms", name)
        channel = channels.put(name, kind, settings)
        alarming.outbox.at_once(channel.name)
        return jsonify(channel.told())

    @routes.delete("/api/alarm-channels/<name>")
    @requires(Role.ADMIN)
    def remove_channel(name: str) -> Response:
        note("removed a channel of alarms", name)
        channels.remove(name)
        return jsonify({"removed": name})

    @routes.post("/api/alarm-channels/<name>/try")
    @requires(Role.ADMIN)
    def attempt(name: str) -> tuple[Response, int]:
        note("tried a channel of alarms", name)
        channel = channels.get(name)
        try:
            alarming.senders.send(channel, trial(name, alarming.link))
        except SmartCISError as error:
            return jsonify({"error": error.message}), 502
        return jsonify({"told": name}), 200


def _rule_routes(routes: Blueprint, engine: Engine, channels: Channels) -> None:
    @routes.post("/api/alarm-rules")
    @requires(OUTPUTS_ROLE)
    def written() -> Response:
        """Write the text of a rule; POST /api/views makes it."""
        body = said()
        if not all_texts(body):
            problem = "a rule is said by texts: view, column, is, value, name, severity, …"
            raise QueryError(problem)
        named = [info for info in engine.views() if not info.name.startswith(UNNAMED)]
        columns = {info.name: info.columns for info in named}
        sql = rule_text(body, columns)
        check_channels(outputs_of(sql), channels)
        return jsonify({"sql": sql})


def all_texts(values: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str) for value in values.values())


def text(name: str) -> str:
    """Return a text that the body may have, which is kept whole."""
    value = said().get(name, "")
    if not isinstance(value, str):
        problem = f"{name} is {value!r:.40}; expected a text"
        raise QueryError(problem)
    if len(found := value.strip()) > LONGEST_NOTE:
        problem = f"{name} has {len(found)} signs; expected {LONGEST_NOTE} at most, so say it shorter"
        raise QueryError(problem)
    return found
