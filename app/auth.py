"""Signing in: who is behind a request.

    one-time link  ─┐
    password       ─┴→ signed cookie {id, role, until}  ─→  Visitor
    kiosk's link   ───→ the same with {kiosk}            ─→  Visitor (kiosk), while there is that kiosk
    QR of a way    ───→ the same with {way}              ─→  Visitor (kiosk) who sees that way alone
    bearer token of the state folder                     ─→  Visitor (admin)

A link is good for one use within ten minutes; the runtime prints one at each start. The cookie is
signed with a key of the state folder, so a sign-in outlives a restart, and a signed-out one is
remembered as revoked. There are no accounts by name yet: a person is their role.
"""

import hmac
import secrets
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from flask import Request

from app.keys import RevokedSessions, secret_file
from app.kiosks import Kiosk, Kiosks
from app.roles import Role
from engine.model.clock import SECOND, Clock

LINK_SECONDS = 600
SESSION_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True)
class Visitor:
    """Someone signed in: with a session, or with the bearer token (then the session is empty).

    ``kiosk`` is the kiosk whose session this is; ``way`` the one way that its bearer may see.
    """

    role: Role
    session: str = ""
    kiosk: Kiosk | None = None
    way: Mapping[str, Any] | None = None

    @property
    def by_token(self) -> bool:
        return not self.session


class Auth:
    """Issues links, opens and closes sessions, and recognises who is behind a request."""

    def __init__(self, state: Path, clock: Clock, password: str | None = None) -> None:
        self.secret_key = secret_file(state / "session.key")
        self._token = secret_file(state / "token")
        self._revoked = RevokedSessions(state / "revoked")
        self.kiosks = Kiosks(state / "kiosks.json")
        self._clock = clock
        self._hasher = PasswordHasher()
        self._password_hash = self._hasher.hash(password) if password else None
        self._links: dict[str, tuple[Role, int]] = {}
        self._lock = Lock()

    @property
    def has_password(self) -> bool:
        return self._password_hash is not None

    def issue_link(self, role: Role = Role.ADMIN) -> str:
        """Return the path of a one-time sign-in link."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._links = {t: link for t, link in self._links.items() if link[1] > self._clock.now()}
            self._links[token] = (role, self._clock.now() + LINK_SECONDS * SECOND)
        return f"/enter?token={token}"

    def redeem(self, token: str) -> Role | None:
        """Use a link up; None where it is unknown, used, or too old."""
        with self._lock:
            role, until = self._links.pop(token, (None, 0))
        return role if until > self._clock.now() else None

    def password_matches(self, password: str) -> bool:
        if self._password_hash is None:
            return False
        try:
            return self._hasher.verify(self._password_hash, password)
        except VerifyMismatchError:
            return False

    def sign_in(
        self,
        session: MutableMapping[str, Any],
        role: Role,
        seconds: int = SESSION_SECONDS,
        **marks: object,
    ) -> None:
        """Begin a session; ``marks`` are what it is bound to, a kiosk's key or a way."""
        session.clear()
        session["id"] = secrets.token_urlsafe(16)
        session["role"] = role.label
        session["until"] = self._clock.now() + seconds * SECOND
        session.update(marks)

    def renew(self, session: MutableMapping[str, Any]) -> None:
        """Let a session that is good last as long as a fresh one."""
        session["until"] = self._clock.now() + SESSION_SECONDS * SECOND

    def sign_out(self, session: MutableMapping[str, Any]) -> None:
        if "id" in session:
            self._revoked.add(session["id"])
        session.clear()

    def visitor(self, request: Request, session: MutableMapping[str, Any]) -> Visitor | None:
        """Return who is behind the request, or None for a stranger."""
        header = request.headers.get("Authorization", "")
        if header.startswith("Bearer "):
            matches = hmac.compare_digest(header.removeprefix("Bearer ").encode(), self._token.encode())
            return Visitor(Role.ADMIN) if matches else None
        return self.of_session(session)

    def of_session(self, session: MutableMapping[str, Any]) -> Visitor | None:
        """Return who the session belongs to while it is good."""
        known = session.get("id") and session.get("until", 0) > self._clock.now()
        if not known or session["id"] in self._revoked:
            return None
        kiosk = self.kiosks.of_key(session.get("kiosk"))
        if "kiosk" in session and kiosk is None:
            return None
        try:
            return Visitor(Role[str(session["role"]).upper()], session["id"], kiosk, session.get("way"))
        except KeyError:
            return None
