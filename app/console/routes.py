"""The page of the console, what its editor knows of the building, and what is wrong with a text so far."""

import secrets

from flask import Blueprint, Response, g, jsonify, render_template, request, session

from app.api import refused
from app.auth import Auth
from app.bodies import field
from app.console.examples import answerable
from app.console.schema import schema
from app.facade import Engine
from app.roles import Role, requires
from app.vendor import maybe_bundle, vendor_tags
from engine.model.errors import PlanError, QueryError, SmartCISError


def create_console_routes(engine: Engine, auth: Auth, building_name: str) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("console", __name__)

    @routes.get("/console")
    @requires(Role.ANALYST)
    def console_page() -> str:
        visitor = auth.visitor(request, session)
        g.style_nonce = secrets.token_urlsafe(16)  # CodeMirror makes a style sheet of its own
        return render_template(
            "console.html",
            building=building_name,
            vendor=vendor_tags(),
            editor=maybe_bundle("editor"),
            nonce=g.style_nonce,
            examples=list(answerable(engine)),
            role=(visitor.role if visitor else Role.ANALYST).label,
        )

    @routes.get("/api/schema")
    @requires(Role.ANALYST)
    def what_there_is() -> Response:
        return jsonify(schema(engine))

    @routes.post("/api/check")
    @requires(Role.ANALYST, reads=True)
    def check() -> Response:
        try:
            return jsonify({"use": engine.use_of(text())})
        except (QueryError, PlanError) as error:
            told, _ = refused(error)  # that a text is wrong so far is an answer, no refusal
            return jsonify({"use": None, **told.get_json()})

    routes.register_error_handler(SmartCISError, refused)
    return routes


def text() -> str:
    """Return what is typed so far, which may be nothing."""
    body = request.get_json(silent=True)
    typed = body.get("sql") if isinstance(body, dict) else None
    return "" if isinstance(typed, str) and not typed.strip() else field("sql")
