"""Accounts: each a name, a role, and a password of which only the argon2 hash is kept.

    make(name, role) → invitation, once      redeem(invitation) → account, who then chooses a password
    check(name, password) → account          an epoch that changes ends all sessions of an account

There is always an admin who can sign in: the last one is neither removed, nor disabled, nor made less.
"""

import hashlib
import secrets
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Lock

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from app.kept_file import KeptFile
from app.roles import Role
from engine.model.clock import SECOND, Clock
from engine.model.errors import QueryError, nearest

ADMIN = "admin"
MAX_NAME = 60
PASSWORD_LENGTHS = 10, 200
INVITATION_SECONDS = 3 * 24 * 3600
GIVEN_ROLES = (Role.VIEWER, Role.ANALYST, Role.OPERATOR, Role.ADMIN)


@dataclass(frozen=True)
class Account:
    """``password`` is empty until one is chosen; ``invitation`` is a digest, good until ``invited``.

    Another ``epoch`` ends its sessions, another ``lease`` its API tokens.
    """

    name: str
    role: str
    made: int
    password: str = ""
    epoch: str = ""
    lease: str = ""
    disabled: bool = False
    invitation: str = ""
    invited: int = 0
    seen: int = 0

    @property
    def rank(self) -> Role:
        return Role[self.role.upper()]

    @property
    def rules(self) -> bool:
        """Tell whether this is an admin who may sign in."""
        return self.rank is Role.ADMIN and not self.disabled


class Accounts:
    """Thread-safe; what is changed is on the disk before it is said. A name is found in any case."""

    def __init__(self, path: Path, clock: Clock, admin_password: str | None = None) -> None:
        self._file = KeptFile(
            path, Account, "accounts", "restore it from a backup, or remove it to begin anew"
        )
        self._clock, self._lock, self._hasher = clock, Lock(), PasswordHasher()
        self._known = {_key(account.name): account for account in self._file.read()}
        if not any(account.rules for account in self._known.values()):
            self._keep(
                self.find(ADMIN) or self._fresh(ADMIN, Role.ADMIN), disabled=False, role=Role.ADMIN.label
            )
        if admin_password:
            self._let_in(admin_password)

    def _let_in(self, password: str) -> None:
        """Have the account admin sign in with the password of the settings."""
        admin = self.find(ADMIN) or self._fresh(ADMIN, Role.ADMIN)
        if not self._matches(admin.password, password):
            self._keep(admin, password=self._hasher.hash(password), epoch=_anew())

    # Who there is

    def all(self) -> list[Account]:
        return sorted(self._known.values(), key=lambda account: _key(account.name))

    def find(self, name: str) -> Account | None:
        return self._known.get(_key(name))

    def of_session(self, name: object, epoch: object) -> Account | None:
        """Return the account that a session names, while the session is one of its present ones."""
        account = self.find(name) if isinstance(name, str) else None
        return account if account and not account.disabled and account.epoch == epoch else None

    # Getting in

    def check(self, name: str, password: str) -> Account | None:
        """Return the account whose password this is; an unknown name takes as long as a wrong password."""
        account = self.find(name)
        held = account.password if account and not account.disabled else ""
        if not self._matches(held or self._nobodys, password) or account is None or not held:
            return None
        if self._hasher.check_needs_rehash(held):
            self._keep(account, password=self._hasher.hash(password))
        return self._keep(account, seen=self._clock.now())

    def redeem(self, token: str) -> Account | None:
        """Return whom an invitation is for, while it is good; it is used up when a password is chosen."""
        digest, now = _digest(token), self._clock.now()
        fits = (
            a for a in self._known.values() if a.invitation == digest and a.invited > now and not a.disabled
        )
        return next(fits, None)

    def accept(self, token: str, password: str) -> Account | None:
        """Use an invitation up by a first password; None where it is no good, or somebody was faster."""
        account = self.redeem(token)
        if account is None:
            return None
        first = self._with_password(account, password)
        with self._lock:
            return self._put(first) if self.redeem(token) == account else None

    # What an admin does

    def make(self, name: str, role: Role) -> str:
        """Make an account and return the invitation of whom it is for."""
        name = name.strip()
        if not name or len(name) > MAX_NAME or not name.isprintable():
            message = f"a name has 1 to {MAX_NAME} signs that can be seen, found {name[:MAX_NAME]!r}"
            raise QueryError(message)
        _check_role(role)
        with self._lock:
            if self.find(name) is not None:
                message = f"there is an account {name} already; take another name, or change that one"
                raise QueryError(message)
            account = self._put(self._fresh(name, role))
        return self.invite(account.name)

    def invite(self, name: str) -> str:
        """Return a new invitation, with which a password is chosen; one before it is no more."""
        token = secrets.token_urlsafe(24)
        until = self._clock.now() + INVITATION_SECONDS * SECOND
        self._keep(self.get(name), invitation=_digest(token), invited=until)
        return token

    def change(self, name: str, role: Role | None = None, disabled: bool | None = None) -> Account:
        """Give an account another role, or let it in no more; its sessions follow at once.

        Those of a role that may less are over, since what they opened may be no more for them.
        """
        with self._lock:
            account = self.get(name)
            if role is not None:
                _check_role(role)
                epoch = _anew() if role < account.rank else account.epoch
                account = replace(account, role=role.label, epoch=epoch)
            if disabled is not None:
                account = replace(account, disabled=disabled, epoch=_anew(), lease=_anew())
            self._check_ruled(account)
            return self._put(account)

    def remove(self, name: str) -> None:
        with self._lock:
            account = self.get(name)
            self._check_ruled(replace(account, disabled=True))
            self._write({key: each for key, each in self._known.items() if key != _key(account.name)})

    def get(self, name: str) -> Account:
        account = self.find(name)
        if account is None:
            known = [each.name for each in self.all()]
            message = f"unknown account {name:.60}; /accounts has them all{nearest(name, known)}"
            raise QueryError(message)
        return account

    # What somebody does with an account of theirs

    def choose(self, name: str, password: str) -> Account:
        """Set a password; every session of the account but the one that is begun now is over."""
        changed = self._with_password(self.get(name), password)
        return self._keep(changed, password=changed.password, epoch=changed.epoch, invitation="", invited=0)

    def end_sessions(self, name: str) -> Account:
        return self._keep(self.get(name), epoch=_anew())

    def _with_password(self, account: Account, password: str) -> Account:
        check_password(account.name, password)
        hashed, epoch = self._hasher.hash(password), _anew()
        return replace(account, password=hashed, epoch=epoch, invitation="", invited=0)

    def _fresh(self, name: str, role: Role) -> Account:
        return Account(name, role.label, self._clock.now(), epoch=_anew(), lease=_anew())

    @cached_property
    def _nobodys(self) -> str:
        """A hash that no password has."""
        return self._hasher.hash(secrets.token_urlsafe(12))

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerifyMismatchError, InvalidHashError):
            return False

    def _check_ruled(self, changed: Account) -> None:
        others = (each for each in self._known.values() if _key(each.name) != _key(changed.name))
        if not changed.rules and not any(other.rules for other in others):
            message = f"{changed.name} is the last admin who can sign in; make another one first"
            raise QueryError(message)

    def _keep(self, account: Account, **values: object) -> Account:
        with self._lock:
            held = self._known.get(_key(account.name), account)
            return self._put(replace(held, **values))  # type: ignore[arg-type]

    def _put(self, account: Account) -> Account:
        self._write({**self._known, _key(account.name): account})
        return account

    def _write(self, known: dict[str, Account]) -> None:
        self._file.keep(known.values())
        self._known = known


def check_password(name: str, password: str) -> None:
    """Refuse what is quickly guessed."""
    least, most = PASSWORD_LENGTHS
    if not least <= len(password) <= most:
        message = f"a password has {least} to {most} signs, this one has {len(password)}"
        raise QueryError(message)
    if password.casefold() in (_key(name) * 4)[: len(password)] or len(set(password)) < 4:
        message = "this password is quickly guessed; four words that have nothing in common are good"
        raise QueryError(message)


def _check_role(role: Role) -> None:
    if role not in GIVEN_ROLES:
        roles = ", ".join(each.label for each in GIVEN_ROLES)
        message = f"an account is {roles}; a kiosk has a link of its own, /kiosks"
        raise QueryError(message)


def _anew() -> str:
    return secrets.token_urlsafe(8)


def _key(name: str) -> str:
    return name.strip().casefold()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
