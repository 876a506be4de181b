"""Accounts over HTTP: an admin's page and API, the page of whoever was invited, one's own."""

from typing import Any

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, session, url_for
from flask_limiter import Limiter
from werkzeug.wrappers import Response as PlainResponse

from app.accounts.accounts import GIVEN_ROLES, PASSWORD_LENGTHS, Account
from app.accounts.audit import Audit
from app.accounts.noting import note
from app.accounts.token_routes import NAMELESS, add_token_routes
from app.accounts.tokens import MOST_DAYS
from app.api import refused
from app.auth import Auth, Visitor
from app.bodies import asked_number, field, role_field, said
from app.refusals import refusal
from app.roles import Role, public, requires
from engine.model.errors import QueryError, SmartCISError

Page = str | Response | PlainResponse | tuple[str, int]
MOST_AUDIT = 200
LAST = 2**63 - 1  # that a database has as a number
WELCOME_LIMIT = "10 per minute"
TOO_OLD = "This invitation has been used, is too old, or another was made after it."
NOT_BY_TOKEN = "A token changes nothing of how its account signs in; sign in yourself."
ASK_AGAIN = "Ask the admin who made it for another one."


def create_account_routes(auth: Auth, audit: Audit, building_name: str, limiter: Limiter) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("accounts", __name__)
    _admin_routes(routes, auth)
    _audit_routes(routes, audit)
    _welcome_routes(routes, auth, limiter)
    _own_routes(routes, auth, building_name)
    add_token_routes(routes, auth)

    @routes.get("/accounts")
    @requires(Role.ADMIN)
    def accounts_page() -> Page:
        roles = [role.label for role in GIVEN_ROLES]
        return render_template("accounts.html", building=building_name, roles=roles)

    @routes.get("/audit")
    @requires(Role.ADMIN)
    def audit_page() -> Page:
        return render_template("audit.html", building=building_name)

    routes.register_error_handler(SmartCISError, refused)
    return routes


def _admin_routes(routes: Blueprint, auth: Auth) -> None:
    accounts = auth.accounts

    @routes.get("/api/accounts")
    @requires(Role.ADMIN)
    def listed() -> Response:
        return jsonify({"accounts": [told(account) for account in accounts.all()]})

    @routes.post("/api/accounts")
    @requires(Role.ADMIN)
    def make() -> tuple[Response, int]:
        name, role = field("name").strip(), role_field(GIVEN_ROLES)
        note("made an account", f"{name}, {role.label}")
        invitation = accounts.make(name, role)
        link = url_for("accounts.welcome_page", token=invitation)
        return jsonify({**told(accounts.get(name)), "link": link}), 201

    @routes.patch("/api/accounts/<name>")
    @requires(Role.ADMIN)
    def change(name: str) -> Response:
        body = said()
        disabled = body.get("disabled")
        if disabled not in (None, True, False) or not body.keys() & {"role", "disabled"}:
            problem = 'say what is to change: {"role": "analyst"}, or {"disabled": true}'
            raise QueryError(problem)
        note(
            "changed an account",
            f"{name}, {', '.join(f'{key} {value}'.lower() for key, value in body.items())}",
        )
        role = role_field(GIVEN_ROLES) if "role" in body else None
        return jsonify(told(accounts.change(name, role, disabled)))

    @routes.delete("/api/accounts/<name>")
    @requires(Role.ADMIN)
    def remove(name: str) -> Response:
        note("removed an account", name)
        accounts.remove(name)
        return jsonify({"removed": name})

    @routes.post("/api/accounts/<name>/invitation")
    @requires(Role.ADMIN)
    def invite(name: str) -> tuple[Response, int]:
        note("made an invitation", name)
        link = url_for("accounts.welcome_page", token=accounts.invite(name))
        return jsonify({**told(accounts.get(name)), "link": link}), 201


def _audit_routes(routes: Blueprint, audit: Audit) -> None:
    @routes.get("/api/audit")
    @requires(Role.ADMIN)
    def rows() -> Response:
        most, before = asked_number("most", 50, 1, MOST_AUDIT), asked_number("before", LAST, 0, LAST)
        return jsonify({"rows": audit.listed(most, before, request.args.get("words", "")[:200])})


def _welcome_routes(routes: Blueprint, auth: Auth, limiter: Limiter) -> None:
    @routes.get("/welcome")
    @public("shows who was invited that a password is to be chosen; the token is the proof")
    def welcome_page() -> Page:
        account = auth.accounts.redeem(request.args.get("token", ""))
        return refusal(auth, TOO_OLD, 403, ASK_AGAIN) if account is None else _welcome(account)

    @routes.post("/welcome")
    @public("takes the password that whoever was invited chose; the token is the proof")
    @limiter.limit(WELCOME_LIMIT)
    def welcome() -> Page:
        token = request.args.get("token", "")
        account = auth.accounts.redeem(token)
        if account is None:
            return refusal(auth, TOO_OLD, 403, ASK_AGAIN)
        note("chose a password", account.name)
        try:
            if request.form.get("password") != request.form.get("again"):
                problem = "the two passwords are not the same"
                raise QueryError(problem)
            accepted = auth.accounts.accept(token, request.form.get("password", ""))
        except QueryError as error:
            return _welcome(account, error.message), 400
        if accepted is None:
            return refusal(auth, TOO_OLD, 403, ASK_AGAIN)
        auth.sign_in_as(session, accepted)
        return redirect(url_for("pages.map_page"), 303)


def _welcome(account: Account, problem: str = "") -> str:
    return render_template("welcome.html", account=account, problem=problem, least=PASSWORD_LENGTHS[0])


def _own_routes(routes: Blueprint, auth: Auth, building_name: str) -> None:
    @routes.get("/me")
    @requires(Role.VIEWER)
    def own_page() -> Page:
        visitor = _visitor(auth)
        account = auth.accounts.find(visitor.name) if visitor.name else None
        return render_template(
            "me.html",
            building=building_name,
            visitor=visitor,
            account=account,
            least=PASSWORD_LENGTHS[0],
            roles=[role.label for role in GIVEN_ROLES if role <= visitor.role],
            most_days=MOST_DAYS,
        )

    @routes.post("/api/me/password")
    @requires(Role.VIEWER)
    def choose() -> Response:
        account = _own_account(auth)
        note("changed the own password", account.name)
        if account.password and not auth.password_fits(account.name, _text("old")):
            problem = "the old password is not right"
            raise QueryError(problem)
        auth.sign_in_as(session, auth.accounts.choose(account.name, _text("new")))
        return jsonify({"done": "the password is changed, and every other session of yours has ended"})

    @routes.delete("/api/me/sessions")
    @requires(Role.VIEWER)
    def end() -> Response:
        account = _own_account(auth)
        note("ended the own sessions", account.name)
        auth.sign_in_as(session, auth.accounts.end_sessions(account.name))
        return jsonify({"done": "every other session of yours has ended"})


def _visitor(auth: Auth) -> Visitor:
    visitor = auth.visitor(request, session)
    assert visitor is not None  # the access check let the request through
    return visitor


def _own_account(auth: Auth) -> Account:
    visitor = _visitor(auth)
    if visitor.token is not None:
        abort(403, NOT_BY_TOKEN)
    if not visitor.name:
        raise QueryError(NAMELESS)
    return auth.accounts.get(visitor.name)


def _text(name: str) -> str:
    value = said().get(name, "")
    return value if isinstance(value, str) else ""


def told(account: Account) -> dict[str, Any]:
    """Return an account as JSON, without its secrets."""
    state = "disabled" if account.disabled else "active" if account.password else "invited"
    return {
        "name": account.name,
        "role": account.role,
        "state": state,
        "made": account.made,
        "seen": account.seen or None,
    }
