"""Ways over HTTP: what may be wished for, the view of a wish, and what is held for whom.

GET    /api/ways/wishes     what there is to wish for, from the live tables
POST   /api/ways            a wish  →  the view to watch
POST   /api/holds           a wish, from where, which kiosk  →  its nearest target, held for five minutes
POST   /api/holds/ID        the visitor is elsewhere by now
DELETE /api/holds/ID        arrived, or cancelled
"""

from typing import Any

from flask import Blueprint, Response, jsonify, request

from app import present
from app.api import refused
from app.roles import Role, requires
from app.ways.shared import TooManyWishes
from app.ways.wish import Thing, read_wish
from app.ways.wishing import Ways
from engine.model.errors import QueryError, SmartCISError

Body = dict[str, Any]
LISTED = ("room", "device")


def create_way_routes(ways: Ways) -> Blueprint:
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

    routes.register_error_handler(SmartCISError, refused)
    routes.register_error_handler(TooManyWishes, lambda error: (jsonify({"error": error.message}), 503))
    return routes


def _named(things: tuple[Thing, ...], kind: str) -> list[Body]:
    return [{"id": each.id, "name": each.name} for each in things if each.kind == kind]


def said() -> Body:
    """Return a request's body."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        message = 'the body is no JSON object; expected such as {"kind": "machine"} of type application/json'
        raise QueryError(message)
    return body
