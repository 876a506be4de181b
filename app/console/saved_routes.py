"""Saved queries over HTTP."""

from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, jsonify, request, session

from app.api import refused
from app.auth import Auth, Visitor
from app.bodies import field, said
from app.console.saved import Saved, SavedQueries
from app.roles import Role, requires
from engine.model.errors import QueryError, SmartCISError

NAMELESS = "you are signed in by a link, which keeps nothing; an admin makes you an account"


def create_saved_routes(auth: Auth, saved: SavedQueries) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("saved", __name__)

    @routes.get("/api/saved")
    @requires(Role.ANALYST)
    def listed() -> Response:
        by = _visitor(auth)
        return jsonify({"saved": [told(each, by) for each in saved.for_whom(by.name)]})

    @routes.post("/api/saved")
    @requires(Role.ANALYST)
    def keep() -> tuple[Response, int]:
        by, body = _named(auth), said()
        shared, language = body.get("shared"), body.get("language", "streamsql")
        if not isinstance(shared, bool | None) or not isinstance(language, str):
            problem = "shared is true or false, and language a text"
            raise QueryError(problem)
        kept = saved.keep(by.name, field("name").strip(), field("text"), language, shared)
        return jsonify(told(kept, by)), 201

    @routes.patch("/api/saved/<identity>")
    @requires(Role.ANALYST)
    def share(identity: str) -> Response:
        by, shared = _named(auth), said().get("shared")
        if not isinstance(shared, bool):
            problem = 'say whether it is shared: {"shared": true}'
            raise QueryError(problem)
        return jsonify(told(saved.share(identity, by.name, by.role is Role.ADMIN, shared), by))

    @routes.delete("/api/saved/<identity>")
    @requires(Role.ANALYST)
    def remove(identity: str) -> Response:
        by = _named(auth)
        saved.remove(identity, by.name, by.role is Role.ADMIN)
        return jsonify({"removed": identity})

    routes.register_error_handler(SmartCISError, refused)
    return routes


def _visitor(auth: Auth) -> Visitor:
    visitor = auth.visitor(request, session)
    assert visitor is not None  # the access check let the request through
    return visitor


def _named(auth: Auth) -> Visitor:
    visitor = _visitor(auth)
    if not visitor.name:
        raise QueryError(NAMELESS)
    return visitor


def told(saved: Saved, to: Visitor) -> dict[str, Any]:
    """Return a saved query as JSON, and whether its reader may change it."""
    return {
        **asdict(saved),
        "mine": saved.of == to.name,
        "changes": saved.of == to.name or to.role is Role.ADMIN,
    }
