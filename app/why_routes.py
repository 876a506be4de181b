"""Why a row is there, over HTTP."""

from typing import Any

from flask import Blueprint, Response, jsonify

from app.api import refused
from app.bodies import field, said
from app.facade import Engine
from app.roles import Role, requires
from app.why import LookBack, answer
from app.why_asked import asked
from engine.model.errors import QueryError, SmartCISError


def create_why_routes(engine: Engine, look_back: LookBack) -> Blueprint:
    """Return the route."""
    routes = Blueprint("why", __name__)

    @routes.post("/api/why")
    @requires(Role.ANALYST, reads=True)
    def why() -> Response:
        return jsonify(answer(engine, field("view"), _conditions(), asked(), look_back))

    routes.register_error_handler(SmartCISError, refused)
    return routes


def _conditions() -> dict[str, Any]:
    where = said().get("where", {})
    if not isinstance(where, dict):
        problem = 'where must say column by column what the row has: {"column": value, …}'
        raise QueryError(problem)
    return where
