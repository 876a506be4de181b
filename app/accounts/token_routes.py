"""API tokens over HTTP: one's own, and for an admin all.

A token is made by whoever is signed in as an account, or by whoever runs the server, for any account. No
token makes another, so that what leaks ends by its day.
"""

from typing import Any

from flask import Blueprint, Response, abort, jsonify, request, session

from app.accounts.accounts import ADMIN, GIVEN_ROLES, Account
from app.accounts.noting import note
from app.accounts.tokens import MOST_DAYS, Token
from app.auth import Auth, Visitor
from app.bodies import field, role_field, said
from app.roles import Role, requires
from engine.model.errors import QueryError

BY_TOKEN = "A token makes no other one; sign in, or use `smartcis token` where the server runs."
NOT_YOURS = "This token takes back itself alone; sign in to take back others of the account."
NAMELESS = "you are signed in by a link, which is no account; an admin makes you one"
DEFAULT_DAYS = 90


def add_token_routes(routes: Blueprint, auth: Auth) -> None:
    """Add what lists, makes and takes back."""
    tokens = auth.tokens

    @routes.get("/api/tokens")
    @requires(Role.VIEWER)
    def all_tokens() -> Response:
        by = _visitor(auth)
        return jsonify({"tokens": [told(token, by) for token in tokens.all() if _sees(by, token)]})

    @routes.post("/api/tokens")
    @requires(Role.VIEWER)
    def make_token() -> tuple[Response, int]:
        by = _visitor(auth)
        account, name = _account(auth, by), field("name").strip()
        role = role_field(GIVEN_ROLES) if "role" in said() else account.rank
        note("made a token", f"{name} of {account.name}, {role.label}")
        token, secret = tokens.make(account, name, role, _reads_only(), _days())
        return jsonify({**told(token, by), "token": secret}), 201

    @routes.delete("/api/tokens/<identity>")
    @requires(Role.VIEWER)
    def remove_token(identity: str) -> Response:
        by, token = _visitor(auth), tokens.find(identity)
        if token is None or not _sees(by, token):
            abort(404, "There is no such token; it may have been taken back.")
        if by.token is not None and by.token.id != identity and by.role < Role.ADMIN:
            abort(403, NOT_YOURS)
        note("took a token back", f"{token.name} of {token.of}")
        tokens.remove(identity)
        return jsonify({"removed": identity})


def _visitor(auth: Auth) -> Visitor:
    visitor = auth.visitor(request, session)
    assert visitor is not None  # the access check let the request through
    return visitor


def _sees(by: Visitor, token: Token) -> bool:
    return by.role is Role.ADMIN or by.name == token.of


def _account(auth: Auth, by: Visitor) -> Account:
    """Return whose token is to be made: one's own account, or any by whoever runs the server."""
    if by.token is not None:
        abort(403, BY_TOKEN)
    if by.is_host:
        account = auth.accounts.get(field("of") if "of" in said() else ADMIN)
        if account.disabled:
            problem = f"{account.name} may not sign in, so no token of it is good; let the account in first"
            raise QueryError(problem)
        return account
    if not by.name:
        raise QueryError(NAMELESS)
    if said().get("of", by.name) != by.name:
        abort(403, "A token is made by whoever is the account; nobody else's can be made here.")
    return auth.accounts.get(by.name)


def _reads_only() -> bool:
    value = said().get("reads_only", False)
    if type(value) is not bool:
        problem = f"reads_only is {value!r:.40}; expected true or false"
        raise QueryError(problem)
    return value


def _days() -> int:
    value = said().get("days", DEFAULT_DAYS)
    if type(value) is not int:
        problem = f"days is {value!r:.40}; expected for how many days it is good, from 1 to {MOST_DAYS}"
        raise QueryError(problem)
    return value


def told(token: Token, to: Visitor) -> dict[str, Any]:
    """Return a token as JSON, without what it is known by."""
    return {
        "id": token.id,
        "of": token.of,
        "name": token.name,
        "role": token.role,
        "reads_only": token.reads_only,
        "made": token.made,
        "until": token.until,
        "seen": token.seen or None,
        "mine": token.of == to.name,
    }
