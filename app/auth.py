"""Signing in: who is behind a request.

    name, password ─┐
    invitation     ─┼→ signed cookie {id, person, epoch, until} ─→ Visitor, with the account's role of now
    link of a name ─┘
    link of a role ───→ signed cookie {id, role, until}  ─→  Visitor without a name
    kiosk's link   ───→ the same with {kiosk}            ─→  Visitor (kiosk), while there is that kiosk
    QR of a way    ───→ the same with {way}              ─→  Visitor (kiosk) who sees that way alone
    API token of an account, as bearer                   ─→  Visitor, by the lower of both roles
    bearer token of the state folder                     ─→  Visitor (admin)

A link is good for one use within ten minutes; the runtime prints one of the account admin at each start. The
cookie is signed with a key of the state folder, so a sign-in outlives a restart, and a signed-out one is
remembered as revoked; an account that is disabled, or has another epoch, has no sessions.
"""

import hmac
import secrets
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from flask import Request

from app.accounts.accounts import Account, Accounts
from app.accounts.tokens import Token, Tokens
from app.accounts.tries import Tries
from app.keys import RevokedSessions, secret_file
from app.kiosks import Kiosk, Kiosks
from app.roles import Role
from engine.model.clock import SECOND, Clock

LINK_SECONDS = 600
SESSION_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True)
class Visitor:
    """Someone signed in: with a session, or with a bearer token (then the session is empty).

    ``name`` is that of an account; ``kiosk`` is the kiosk whose session this is; ``way`` the one way that its
    bearer may see; ``token`` the account's token by which its program comes.
    """

    role: Role
    session: str = ""
    name: str = ""
    kiosk: Kiosk | None = None
    way: Mapping[str, Any] | None = None
    token: Token | None = None

    @property
    def by_token(self) -> bool:
        return not self.session

    @property
    def is_host(self) -> bool:
        """Tell whether this comes with the state folder's token: whoever runs the server."""
        return self.by_token and self.token is None

    @property
    def reads_only(self) -> bool:
        return self.token is not None and self.token.reads_only

    def may_change(self, role: Role) -> bool:
        """Tell whether this may do what changes something and needs a role."""
        return self.role >= role and not self.reads_only

    @property
    def who(self) -> str:
        """How the audit log and the pages call whoever this is."""
        if self.token is not None:
            return f"{self.name}, by the token {self.token.name}"
        if self.name:
            return self.name
        if self.kiosk is not None:
            return f"kiosk {self.kiosk.name}"
        return "the token of the state folder" if self.by_token else f"a link of role {self.role.label}"


class Auth:
    """Issues links, opens and closes sessions, and recognises who is behind a request."""

    def __init__(self, state: Path, clock: Clock, password: str | None = None) -> None:
        self.secret_key = secret_file(state / "session.key")
        self._token = secret_file(state / "token")
        self._revoked = RevokedSessions(state / "revoked")
        self.kiosks = Kiosks(state / "kiosks.json")
        self.accounts, self.tries = Accounts(state / "accounts.json", clock, password), Tries(clock)
        self.tokens = Tokens(state / "tokens.json", self.accounts, clock)
        self._clock = clock
        self._links: dict[str, tuple[Role, str, int]] = {}
        self._lock = Lock()

    @property
    def has_password(self) -> bool:
        """Tell whether anybody can sign in by a password."""
        return any(account.password and not account.disabled for account in self.accounts.all())

    def issue_link(self, role: Role = Role.ADMIN, name: str = "") -> str:
        """Return the path of a one-time sign-in link: of an account, or of a role without a name."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._links = {t: link for t, link in self._links.items() if link[-1] > self._clock.now()}
            self._links[token] = (role, name, self._clock.now() + LINK_SECONDS * SECOND)
        return f"/enter?token={token}"

    def enter(self, token: str, session: MutableMapping[str, Any]) -> bool:
        """Use a link up and begin its session; False where it is unknown, used, or too old."""
        with self._lock:
            role, name, until = self._links.pop(token, (Role.KIOSK, "", 0))
        if until <= self._clock.now():
            return False
        account = self.accounts.find(name)
        if account is not None:
            self.sign_in_as(session, account)
        else:
            self.sign_in(session, role)
        return True

    def password_fits(self, name: str, password: str) -> bool:
        """Tell whether this is an account's password; too many wrong ones, and no more are looked at."""
        if self.tries.is_held(name):
            return False
        fits = self.accounts.check(name, password) is not None
        (self.tries.passed if fits else self.tries.failed)(name)
        return fits

    def sign_in_as(self, session: MutableMapping[str, Any], account: Account) -> None:
        """Begin a session of an account."""
        self.sign_in(session, account.rank, person=account.name, epoch=account.epoch)

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
        return self.of(request.headers.get("Authorization", ""), session)

    def of(self, authorization: str, session: MutableMapping[str, Any]) -> Visitor | None:
        """Return who comes with this header and session; a bearer token that is wrong is nobody's."""
        scheme, _, secret = authorization.partition(" ")
        return self._of_token(secret.strip()) if scheme.lower() == "bearer" else self.of_session(session)

    def _of_token(self, secret: str) -> Visitor | None:
        if hmac.compare_digest(secret.encode(), self._token.encode()):
            return Visitor(Role.ADMIN)
        found = self.tokens.redeem(secret)
        if found is None:
            return None
        token, account = found
        return Visitor(min(token.rank, account.rank), name=account.name, token=token)

    def of_session(self, session: MutableMapping[str, Any]) -> Visitor | None:
        """Return who the session belongs to while it is good."""
        known = session.get("id") and session.get("until", 0) > self._clock.now()
        if not known or session["id"] in self._revoked:
            return None
        if "person" in session:
            account = self.accounts.of_session(session["person"], session.get("epoch"))
            return Visitor(account.rank, session["id"], account.name) if account else None
        kiosk = self.kiosks.of_key(session.get("kiosk"))
        if "kiosk" in session and kiosk is None:
            return None
        try:
            role = Role[str(session["role"]).upper()]
        except KeyError:
            return None
        return Visitor(role, session["id"], "", kiosk, session.get("way"))
