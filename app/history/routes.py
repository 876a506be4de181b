"""The past over HTTP: a view at a time, and a stretch of it in few points.

    GET /api/views/NAME/at?t=…                        JSON, or CSV by format=csv
    GET /api/views/NAME/history?from=…&to=…&points=…  of all keys, or by key=room=1.01 and column=celsius
    GET /api/past                                     since when, up to when, and where it has gaps
    GET /api/past/at?t=…&view=…&view=…                several views at one moment

A time is a moment in ISO 8601, microseconds since 1970, or how long ago it was: 24 hours.
"""

from collections.abc import Mapping

from flask import Blueprint, Response, abort, jsonify, request, session

from app.auth import Auth
from app.history.moments import moment, span
from app.history.past import Past
from app.history.ranges import Asked, stretch
from app.history.reading import State, state
from app.history.told import moment_json, span_json, state_csv, state_json, stretch_csv, stretch_json
from app.roles import MAP_VIEWS, Role, requires, role_for_view
from app.together import PEOPLE, SEES_ALL
from engine.model.clock import Clock
from engine.model.durations import UNITS, read_duration
from engine.model.errors import QueryError
from engine.model.moments import parsed_timestamp

DAY = UNITS["DAY"]
POINTS, MOST = 500, 10_000
LATEST = 253_402_300_799_999_999  # the end of the year 9999, the last that can be written
DIGITS = len(str(LATEST))


def create_history_routes(past: Past | None, auth: Auth, clock: Clock) -> Blueprint:
    """Return the routes; without a past they say that there is none."""
    routes = Blueprint("history", __name__)

    def kept(view: str) -> Past:
        visitor = auth.visitor(request, session)
        needed = role_for_view(view)
        if visitor is None or visitor.role < needed:
            abort(403, f"The past of {view} needs the role {needed.label}.")
        if past is None:
            message = f"no past of {view} is kept by this server"
            raise QueryError(message)
        return past

    @routes.get("/api/views/<name>/at")
    @requires(Role.VIEWER)
    def at(name: str) -> Response:
        found: State = state(kept(name).database, name, moment_in("t", clock.now()))
        return as_csv(state_csv(found), name) if wants_csv() else jsonify(state_json(found))

    @routes.get("/api/views/<name>/history")
    @requires(Role.VIEWER)
    def history(name: str) -> Response:
        now = clock.now()
        end = moment_in("to", now)
        start = moment_in("from", now, end - DAY)
        asked = Asked(name, start, end, _points(), tuple(request.args.getlist("column")), _keys())
        found = stretch(kept(name).database, asked)
        return as_csv(stretch_csv(found), name) if wants_csv() else jsonify(stretch_json(found))

    _map_routes(routes, past, auth, clock)
    routes.register_error_handler(QueryError, lambda error: (jsonify({"error": error.message}), 400))
    return routes


def _map_routes(routes: Blueprint, past: Past | None, auth: Auth, clock: Clock) -> None:
    def shown() -> frozenset[str]:
        visitor = auth.visitor(request, session)
        return MAP_VIEWS | ({PEOPLE} if visitor and visitor.role >= SEES_ALL else frozenset())

    @routes.get("/api/past")
    @requires(Role.VIEWER)
    def stretch_of_past() -> Response:
        found = None if past is None else span(past.database, sorted(shown()))
        return jsonify(span_json(found))

    @routes.get("/api/past/at")
    @requires(Role.VIEWER)
    def at_once() -> Response:
        views = dict.fromkeys(request.args.getlist("view"))
        strange = next((view for view in views if view not in shown()), None)
        if strange is not None or not views:
            found = "no view is named; expected some" if strange is None else f"view={strange[:80]} is not"
            message = f"{found} on the map; of any other view /api/views/NAME/at tells"
            raise QueryError(message)
        at = moment_in("t", clock.now())
        if past is None:
            message = "no past is kept by this server"
            raise QueryError(message)
        return jsonify(moment_json(moment(past.database, views, at)))


def moment_in(name: str, now: int, default: int | None = None) -> int:
    """Return the time that a parameter says; where there is none, the default or now."""
    text = request.args.get(name, "").strip()
    if not text:
        return now if default is None else default
    found = _moment(text, now)
    if found is None or not 0 <= found <= LATEST:
        expected = "a moment such as 2026-01-31T09:30:00Z, microseconds since 1970, or how long ago: 24 hours"
        message = f"{name}={text[:40]} is no time; expected {expected}"
        raise QueryError(message)
    return found


def _moment(text: str, now: int) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= DIGITS else None
    try:
        found = parsed_timestamp(text)
    except ValueError:
        found = None
    ago = None if found is not None else read_duration(text)
    return found if ago is None else now - ago


def _points() -> int:
    text = request.args.get("points", str(POINTS))
    if not (text.isascii() and text.isdigit() and 2 <= int(text[:9]) <= MOST):
        message = f"points={text[:40]} cannot be; expected a number from 2 to {MOST:,}"
        raise QueryError(message)
    return int(text)


def _keys() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for text in request.args.getlist("key"):
        name, sign, value = text.partition("=")
        if not sign or not name or name in found:
            message = f"key={text[:80]} says no column, or one twice; expected such as key=room=1.01"
            raise QueryError(message)
        found[name] = value
    return found


def wants_csv() -> bool:
    form = request.args.get("format", "json")
    if form not in ("json", "csv"):
        message = f"format={form[:40]} is not told; there are json and csv"
        raise QueryError(message)
    return form == "csv"


def as_csv(text: str, name: str) -> Response:
    response = Response(text, mimetype="text/csv")
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.csv")
    return response
