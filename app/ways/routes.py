"""Ways over HTTP: what may be wished for, the view of a wish, and what is held for whom.

GET    /api/ways/wishes     what there is to wish for, from the live tables
POST   /api/ways            a wish  →  the view to watch
POST   /api/holds           a wish, from where, which kiosk  →  its nearest target, held for five minutes
POST   /api/holds/ID        the visitor is elsewhere by now
DELETE /api/holds/ID        arrived, or cancelled; also by the phone that was handed the way
"""

from functools import partial
from typing import Any

from flask import Blueprint, Response, jsonify, request, session

from app import present
from app.api import refused
from app.auth import Auth
from app.bodies import field
from app.roles import Role, requires
from app.ways.holding import REASONS, NoSuchHold, NothingFree, TooManyHolds
from app.ways.shared import TooManyWishes
from app.ways.wish import Thing, read_wish
from app.ways.wishing import Ways
from engine.model.errors import QueryError, SmartCISError

Body = dict[str, Any]
LISTED = ("room", "device")
HELD_WAYS = "held_ways"
MAX_NAME = 100


class NotYours(SmartCISError):
    """Whoever was handed one way asks about another."""


STATUS = {NotYours: 403, NoSuchHold: 404, NothingFree: 409, TooManyHolds: 429, TooManyWishes: 503}


def create_way_routes(ways: Ways, auth: Auth) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("ways", __name__)

    @routes.get("/api/ways/wishes")
    @requires(Role.KIOSK)
    def wishes() -> Response:
        known = ways.known()
        rooms, devices = (_named(known.things, kind) for kind in LISTED)
        found = {"kinds": known.kinds, "software": known.software, "equipment": known.equipment}
        return jsonify({**found, "rooms": rooms, "devices": devices})

    @routes.post("/api/ways")
    @requires(Role.KIOSK)
    def want() -> Response:
        view, columns = ways.want(read_wish(said(), ways.known()))
        return jsonify({"view": view, "columns": present.columns(columns)})

    @routes.post("/api/holds")
    @requires(Role.KIOSK)
    def hold() -> tuple[Response, int]:
        wish, point, kiosk = read_wish(said(), ways.known()), _name("from"), _name("kiosk")
        held = ways.hold(wish, point, kiosk)
        found = {**held._asdict(), "until": present.moment(held.until), "view": HELD_WAYS}
        return jsonify(found), 201

    @routes.delete("/api/holds/<hold>")
    @requires(Role.KIOSK, walkers=True)
    def release(hold: str) -> Response:
        visitor = auth.visitor(request, session)
        if visitor is not None and visitor.way is not None and visitor.way.get("hold") != hold:
            message = "this hold is not of the way that you were handed"
            raise NotYours(message)
        reason = _name("reason")
        if reason not in REASONS:
            message = f"a hold does not end by {reason}; expected {' or '.join(REASONS)}"
            raise QueryError(message)
        return jsonify({"hold": hold, "state": ways.release(hold, reason)})

    routes.register_error_handler(SmartCISError, refused)
    for kind, status in STATUS.items():
        routes.register_error_handler(kind, partial(_told, status=status))
    return routes


def _told(error: SmartCISError, status: int) -> tuple[Response, int]:
    return jsonify({"error": error.message}), status


def _name(part: str) -> str:
    """Return a short text that the body must have."""
    found = field(part)
    if len(found) > MAX_NAME or not found.isprintable():
        message = f"{part} is no name; expected at most {MAX_NAME} characters that can be seen"
        raise QueryError(message)
    return found


def _named(things: tuple[Thing, ...], kind: str) -> list[Body]:
    return [{"id": each.id, "name": each.name} for each in things if each.kind == kind]


def said() -> Body:
    """Return a request's body."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        message = 'the body is no JSON object; expected such as {"kind": "machine"} of type application/json'
        raise QueryError(message)
    return body
