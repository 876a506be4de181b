"""The HTTP API: JSON in and out, errors as {"error": message} in one line."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from flask import Blueprint, Response, abort, jsonify, request, session, stream_with_context
from werkzeug.wrappers import Response as PlainResponse

from app import present
from app.accounts.noting import note
from app.alarming.channels import Channels
from app.alarming.named import check_channels
from app.auth import Auth, Visitor
from app.bodies import field, maybe_most, plan_form, role_field
from app.building import BuildingNow
from app.config import WebConfig
from app.doors import NoAnswer, TellDoor, turn_door
from app.facade import Engine
from app.outputs import outputs_of
from app.pacing import AT_ONCE_SECONDS, told_to_wait, whose
from app.roles import OUTPUTS_ROLE, Role, requires, role_for_view
from app.sockets import came
from app.statements import TO_ROUTE, add_statement_routes, outcome_of, parameters
from app.tail import Tails, TooManyOfOne, TooManyTails, for_as_long
from app.why import effort
from engine.lang.streamsql import DropView, Output, parse
from engine.model.errors import InternalError, QueryError, SmartCISError

Body = dict[str, Any]


def create_api(
    engine: Engine, auth: Auth, building: BuildingNow, tails: Tails, channels: Channels, config: WebConfig
) -> Blueprint:
    """Return the routes of the API."""
    api = Blueprint("api", __name__)
    check = partial(check_channels, channels=channels)
    _plan_routes(api, building)
    _listing_routes(api, engine, auth)
    _asking_routes(api, engine, tails, auth, check)
    _door_routes(api, engine, config.tell_door)
    add_statement_routes(api, engine, auth, check, refused)

    @api.post("/api/links")
    @requires(Role.ADMIN)
    def links() -> Response:
        role = role_field(Role)
        note("made a link", role.label)
        return jsonify({"link": auth.issue_link(role)})

    api.register_error_handler(SmartCISError, refused)
    api.register_error_handler(NoAnswer, lambda error: (jsonify({"error": str(error)}), 504))
    api.register_error_handler(TooManyTails, lambda _: _too_many(tails.places))
    of_one = f"you follow {tails.of_one} queries already; stop one and ask again"
    api.register_error_handler(TooManyOfOne, lambda _: told_to_wait(of_one, AT_ONCE_SECONDS))
    return api


def _plan_routes(api: Blueprint, building: BuildingNow) -> None:
    @api.get("/api/building")
    @requires(Role.KIOSK, walkers=True)
    def plans() -> PlainResponse:
        may_zip = request.accept_encodings["gzip"] > 0
        found = building.answer
        response = Response(found.zipped if may_zip else found.body, mimetype="application/json")
        if may_zip:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding, Cookie"
        response.headers["Cache-Control"] = "private, no-cache"
        response.set_etag(found.etag)
        return response.make_conditional(request)


def _listing_routes(api: Blueprint, engine: Engine, auth: Auth) -> None:
    @api.get("/api/views")
    @requires(Role.VIEWER)
    def views() -> Response:
        visitor = auth.visitor(request, session)
        role = visitor.role if visitor else Role.KIOSK
        return jsonify([present.view(info) for info in engine.views() if role >= role_for_view(info.name)])


def _asking_routes(
    api: Blueprint, engine: Engine, tails: Tails, auth: Auth, check: Callable[[Iterable[Output]], None]
) -> None:
    @api.post("/api/views")
    @requires(Role.ADMIN)
    def create() -> tuple[Response, int]:
        sql = field("sql")
        note("made or dropped views", sql)
        statement = _maybe_dropping(sql)
        if statement is not None:
            done = outcome_of(engine.execute(statement, {}, effort))
            return jsonify({"dropped": ", ".join(done["names"])}), 200
        check(outputs_of(sql))
        return jsonify({"view": engine.create_view(sql)}), 201

    @api.post("/api/explain")
    @requires(Role.ANALYST, reads=True)
    def explain() -> Response:
        sql, given, form = field("sql"), parameters(), plan_form()
        return jsonify({"plan": present.plan(engine.explain(sql, given), form)})

    @api.post("/api/query")
    @requires(Role.ANALYST, reads=True)
    def query() -> Response:
        sql, of = field("sql"), came()
        outputs = outputs_of(sql)
        visitor = auth.of(*of)
        if not _may_follow(visitor, outputs):
            abort(403, f"OUTPUT TO needs the role {OUTPUTS_ROLE.label}; {TO_ROUTE}.")
        check(outputs)
        who = "" if visitor is None or visitor.is_host else whose(visitor)
        tail = tails.follow(sql, parameters(), maybe_most(), who)
        lines = for_as_long(lambda: _may_follow(auth.of(*of), outputs), tail.lines())
        response = Response(stream_with_context(lines), mimetype="application/x-ndjson")
        response.call_on_close(tail.close)
        response.headers["X-Accel-Buffering"] = "no"
        return response


def _may_follow(visitor: Visitor | None, outputs: Sequence[Output]) -> bool:
    if visitor is None:
        return False
    return visitor.may_change(OUTPUTS_ROLE) if outputs else visitor.role >= Role.ANALYST


def _door_routes(api: Blueprint, engine: Engine, tell_door: TellDoor) -> None:
    @api.post("/api/doors/<door>")
    @requires(Role.OPERATOR)
    def turn(door: str) -> Response:
        state = field("state")
        if state not in ("open", "closed"):
            problem = f"a door cannot be {state}; it can be open or closed"
            raise QueryError(problem)
        note("turned a door", f"{door} {state}")
        turn_door(engine, tell_door, door, state == "open")
        return jsonify({"door": door, "state": state})


def _maybe_dropping(sql: str) -> DropView | None:
    """Return the statement if it drops views; what is wrong with it, whoever runs it says."""
    try:
        statement = parse(sql)
    except QueryError:
        return None
    return statement if isinstance(statement, DropView) else None


def refused(error: SmartCISError) -> tuple[Response, int]:
    """Return the answer that says what is wrong, and with a query where."""
    body: Body = {"error": error.message}
    if isinstance(error, QueryError) and error.span:
        body["span"] = error.span._asdict()
    return jsonify(body), 500 if isinstance(error, InternalError) else 400


def _too_many(places: int) -> tuple[Response, int]:
    problem = f"{places} queries are being followed already; stop one and ask again"
    return jsonify({"error": problem}), 503
