"""Who asks for what is dear too often is told how long to wait, before anything is computed.

    a route of ``KINDS`` → whose pace, account or session → 429 with Retry-After, or on to the route

The map, displays, kiosks and ways ask for none of it. The token of the state folder is free: whoever has
it runs the server.
"""

from collections.abc import Mapping

from flask import Flask, Response, jsonify, request, session

from app.auth import Auth, Visitor
from app.paces import Pace

KINDS: Mapping[str, str] = {
    "api.query": "queries",
    "api.statements": "queries",
    "api.explain": "questions",
    "plans.plan_of": "questions",
    "why.why": "questions",
    "console.check": "checks",
    "history.at": "past",
    "history.history": "past",
    "space.use": "past",
    "space.hours": "past",
    "space.energy": "past",
    "building.imports": "imports",
}
CALLED = {
    "queries": "queries and texts of statements",
    "questions": "questions after plans and reasons",
    "checks": "checks of a text",
    "past": "questions after the past",
    "imports": "imports",
}
AT_ONCE_SECONDS = 5
LIGHT = "no"  # of a plan that a page asks for every second, without what else could run


def keep_pace(app: Flask, auth: Auth, pace: Pace) -> None:
    """Turn away whoever goes over the pace."""

    @app.before_request
    def look() -> tuple[Response, int] | None:
        kind = None if request.args.get("weighs") == LIGHT else KINDS.get(request.endpoint or "")
        visitor = auth.visitor(request, session) if kind else None
        if kind is None or visitor is None or visitor.is_host:
            return None
        seconds = pace.wait(whose(visitor), kind)
        problem = f"over {pace.most(kind)} {CALLED[kind]} in a minute; wait {seconds} s and ask again"
        return told_to_wait(problem, seconds) if seconds else None


def whose(visitor: Visitor) -> str:
    """Name whose pace it is: the account's, or that of a session without one."""
    return f"account {visitor.name}" if visitor.name else f"session {visitor.session}"


def told_to_wait(problem: str, seconds: int) -> tuple[Response, int]:
    answer = jsonify({"error": problem})
    answer.headers["Retry-After"] = str(seconds)
    return answer, 429
