"""What a request does that the audit log is to have: its handler says what, its end says how it went.

note("turned a door", "door-1.09 closed")    …the handler…    →   one row, with who, from where, the outcome
"""

from flask import Flask, Response, g, request, session

from app.accounts.audit import Audit
from app.auth import Auth
from app.security import SAFE_METHODS

REFUSED = frozenset({401, 403, 429})


def note(what: str, object: str = "") -> None:
    """Say what this request is about to do, in the past tense."""
    g.audit_note = what, object


def write_audit(app: Flask, auth: Auth, audit: Audit) -> None:
    """Have every request that said what it does, or was refused to do something, written down at its end."""

    @app.before_request
    def look() -> None:
        g.audit_who = who_asks(auth)  # whoever signs out is somebody until then

    @app.after_request
    def write(response: Response) -> Response:
        noted: tuple[str, str] | None = g.get("audit_note")
        if noted is None and request.method not in SAFE_METHODS and response.status_code in REFUSED:
            noted = "was refused", f"{request.method} {request.path}"
        if noted is not None:
            what, to = noted
            audit.say(g.get("audit_who") or "nobody", what, to, outcome_of(response))
        return response


def who_asks(auth: Auth) -> str:
    """Name who is behind a request."""
    visitor = auth.visitor(request, session)
    return visitor.who if visitor else "nobody"


def outcome_of(response: Response) -> str:
    if response.status_code < 400:
        return "done"
    said = response.get_json(silent=True) if response.is_json else None
    reason = said.get("error") if isinstance(said, dict) else None
    return f"refused: {reason or response.status}"
