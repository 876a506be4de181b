"""API tokens: what a program of a person's signs in with, of which only the digest is kept.

    make(account, …) → secret, once        redeem(secret) → Token, while it is good
    a token acts as its account, by the lower of its own role and the account's of now

It ends by its day, by being taken back, and for good with its account's being disabled or removed: it names
the account's lease, of which there is another from then on.
"""

import hashlib
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from app.accounts.accounts import Account, Accounts
from app.kept_file import KeptFile
from app.roles import Role
from engine.model.clock import SECOND, Clock
from engine.model.errors import QueryError

PREFIX = "smartcis_"
MAX_NAME, MOST_OF_ONE = 60, 50
MOST_DAYS = 365
DAY = 24 * 3600 * SECOND
SEEN_EVERY = 60 * SECOND  # a busy program would otherwise write the file with each request


@dataclass(frozen=True)
class Token:
    """``of`` is the account, ``lease`` the account's when it was made; good until ``until``."""

    id: str
    of: str
    name: str
    role: str
    reads_only: bool
    digest: str
    lease: str
    made: int
    until: int
    seen: int = 0

    @property
    def rank(self) -> Role:
        return Role[self.role.upper()]


class Tokens:
    """Thread-safe; what is changed is on the disk before it is said, but for when a token was used last."""

    def __init__(self, path: Path, accounts: Accounts, clock: Clock) -> None:
        self._file = KeptFile(path, Token, "API tokens", "remove it and make the tokens again")
        self._accounts, self._clock, self._lock = accounts, clock, Lock()
        self._known = {token.digest: token for token in self._file.read()}

    def all(self) -> list[Token]:
        """Return those whose account still holds them, also when their day is over."""
        held = (token for token in self._known.values() if self._account_of(token) is not None)
        return sorted(held, key=lambda token: (token.of.casefold(), token.name.casefold(), token.made))

    def make(self, account: Account, name: str, role: Role, reads_only: bool, days: int) -> tuple[Token, str]:
        """Return a token of an account, and its secret."""
        _check(account, name, role, days)
        secret, now = PREFIX + secrets.token_urlsafe(32), self._clock.now()
        identity = secrets.token_hex(6)
        token = Token(
            id=identity, of=account.name, name=name, role=role.label, reads_only=reads_only,
            digest=_digest(secret), lease=account.lease, made=now, until=now + days * DAY,
        )  # fmt: skip
        with self._lock:
            mine = [each for each in self.all() if each.of == account.name]
            if any(each.name == name for each in mine):
                message = f"{account.name} has a token {name} already; take that back, or take another name"
                raise QueryError(message)
            if len(mine) >= MOST_OF_ONE:
                message = f"{account.name} has {MOST_OF_ONE} tokens already; take one back first"
                raise QueryError(message)
            self._keep({**self._known, token.digest: token})
        return token, secret

    def redeem(self, secret: str) -> tuple[Token, Account] | None:
        """Return the token with this secret and whose it is, while it is good; it counts as used."""
        token, now = self._known.get(_digest(secret)), self._clock.now()
        account = self._account_of(token) if token is not None and now < token.until else None
        if token is None or account is None:
            return None
        if now - token.seen >= SEEN_EVERY:
            self._saw(replace(token, seen=now))
        return token, account

    def find(self, identity: str) -> Token | None:
        return next((token for token in self.all() if token.id == identity), None)

    def remove(self, identity: str) -> None:
        """Take a token back."""
        with self._lock:
            self._keep({digest: each for digest, each in self._known.items() if each.id != identity})

    def _account_of(self, token: Token) -> Account | None:
        account = self._accounts.find(token.of)
        is_held = account is not None and not account.disabled and account.lease == token.lease
        return account if is_held else None

    def _saw(self, token: Token) -> None:
        with self._lock:
            if token.digest not in self._known:
                return
            try:
                self._keep({**self._known, token.digest: token})
            except OSError:  # a full disk must not refuse who only reads
                self._known = {**self._known, token.digest: token}

    def _keep(self, known: dict[str, Token]) -> None:
        held = {digest: token for digest, token in known.items() if self._account_of(token) is not None}
        self._file.keep(held.values())
        self._known = held


def _check(account: Account, name: str, role: Role, days: int) -> None:
    if not name or len(name) > MAX_NAME or not name.isprintable():
        message = f"a token is named by 1 to {MAX_NAME} signs that can be seen, found {name[:MAX_NAME]!r}"
        raise QueryError(message)
    if not Role.VIEWER <= role <= account.rank:
        message = f"{account.name} is {account.role}, so no token of this account can be {role.label}"
        raise QueryError(message)
    if not 1 <= days <= MOST_DAYS:
        message = f"days is {days}; a token is good for 1 to {MOST_DAYS} days"
        raise QueryError(message)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
