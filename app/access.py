"""Who may do what is asked: each request is let through, or refused with the reason.

    role of the route → way that was handed → token that reads only → another site's doing   →   the route

A refusal is a page for a reader of pages, and ``{"error": …}`` under ``/api`` and for every program.
"""

from typing import Any

from flask import Flask, Response, g, jsonify, request, session
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from app.auth import Auth, Visitor
from app.config import WebConfig
from app.pages import wants_page
from app.refusals import FROM_ELSEWHERE, OURS, problem_of, refusal
from app.roles import Access, Role, access_of
from app.security import SAFE_METHODS, comes_from_elsewhere, harden
from app.vendor import csp_hosts

CLOSED = "This address is closed: it declares nobody who may use it."
FORGED = "This request came from another site and was not carried out."
ONE_WAY = "What was scanned shows one way and nothing else; sign in for more."
READS_ONLY = "This token reads only, and this request changes something."
NOBODYS = "This token is unknown, has expired, or was taken back."
STRANGE = "You are not signed in on this browser."


def check_access(app: Flask, auth: Auth, config: WebConfig) -> None:
    """Have every request checked, every answer hardened, and every failure told in our own words."""

    @app.before_request
    def check() -> Any:
        if request.url_rule is None:
            return None
        access = access_of(app.view_functions.get(request.endpoint or ""))
        return _refuse(auth, CLOSED, 403) if access is None else _refusal(auth, config, access)

    @app.after_request
    def headers(response: Response) -> Response:
        harden(response, request.host, csp_hosts(), g.get("style_nonce"))
        if response.status_code == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> Any:
        refused = app.make_response(_refuse(auth, problem_of(error), error.code or OURS))
        if isinstance(error, MethodNotAllowed):
            refused.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
        return refused


def _refusal(auth: Auth, config: WebConfig, access: Access) -> Any:
    """Return why whoever asks may not, None where they may."""
    visitor = auth.visitor(request, session)
    if access.role is not None and (visitor is None or visitor.role < access.role):
        return _refuse_visitor(auth, visitor, access.role)
    if visitor is not None and (problem := _too_narrow(visitor, access)):
        return _refuse(auth, problem, 403)
    return _refuse(auth, FORGED, 403, FROM_ELSEWHERE) if _is_forged(visitor, config) else None


def _too_narrow(visitor: Visitor, access: Access) -> str:
    """Return why what somebody came with is not enough although their role is; empty where it is."""
    if access.role is not None and visitor.way is not None and not access.walkers:
        return ONE_WAY
    changes = not access.reads and request.method not in SAFE_METHODS
    return READS_ONLY if visitor.reads_only and changes else ""


def _is_forged(visitor: Visitor | None, config: WebConfig) -> bool:
    if request.method in SAFE_METHODS or (visitor is not None and visitor.by_token):
        return False
    return comes_from_elsewhere(request, config.public_url)


def _refuse_visitor(auth: Auth, visitor: Visitor | None, least: Role) -> Any:
    if visitor is None:
        return _refuse(auth, NOBODYS if "Authorization" in request.headers else STRANGE, 401)
    problem = f"Your role, {visitor.role.label}, does not permit this; it takes {least.label}"
    return _refuse(auth, f"{problem}." if least is Role.ADMIN else f"{problem} or higher.", 403)


def _refuse(auth: Auth, problem: str, status: int, remedy: str = "") -> Any:
    if wants_page():
        return refusal(auth, problem, status, remedy)
    return jsonify({"error": problem}), status
