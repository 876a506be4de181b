"""Queries that people keep: each its maker's own until it is shared, and then for everybody who may ask.

mine ∪ shared   →   what the console lists            only its maker, or an admin, changes or removes one
"""

import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from app.kept_file import KeptFile
from engine.model.clock import Clock
from engine.model.errors import QueryError

LANGUAGES = ("streamsql", "datalog")
MAX_NAME, MAX_TEXT, MAX_OF_ONE = 80, 20_000, 500


@dataclass(frozen=True)
class Saved:
    """A text under a name; ``of`` is the account that keeps it."""

    id: str
    of: str
    name: str
    text: str
    language: str
    shared: bool
    at: int


class SavedQueries:
    """Thread-safe; what is saved is on the disk before it is said."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = KeptFile(path, Saved, "saved queries", "restore it from a backup, or remove it")
        self._clock, self._lock = clock, Lock()
        self._known = {saved.id: saved for saved in self._file.read()}

    def for_whom(self, name: str) -> list[Saved]:
        """Return what somebody may take: their own first, then what others share, by name."""
        seen = [each for each in self._known.values() if each.of == name or each.shared]
        return sorted(seen, key=lambda each: (each.of != name, each.name.casefold(), each.id))

    def keep(self, of: str, name: str, text: str, language: str, shared: bool | None) -> Saved:
        """Keep a text in place of its maker's of that name; unless said, that one's sharing stays."""
        check(name, text, language)
        with self._lock:
            mine = [each for each in self._known.values() if each.of == of]
            before = next((each for each in mine if each.name == name), None)
            if before is None and len(mine) >= MAX_OF_ONE:
                message = f"{of} keeps {MAX_OF_ONE} queries already; remove one first"
                raise QueryError(message)
            identity = before.id if before else secrets.token_urlsafe(9)
            is_shared = (before is not None and before.shared) if shared is None else shared
            saved = Saved(identity, of, name, text, language, is_shared, self._clock.now())
            self._write({**self._known, identity: saved})
            return saved

    def share(self, identity: str, by: str, is_admin: bool, shared: bool) -> Saved:
        with self._lock:
            saved = replace(self._owned(identity, by, is_admin), shared=shared)
            self._write({**self._known, identity: saved})
            return saved

    def remove(self, identity: str, by: str, is_admin: bool) -> None:
        with self._lock:
            self._owned(identity, by, is_admin)
            self._write({key: each for key, each in self._known.items() if key != identity})

    def _owned(self, identity: str, by: str, is_admin: bool) -> Saved:
        saved = self._known.get(identity)
        if saved is None or (saved.of != by and not saved.shared and not is_admin):
            message = "there is no such saved query; it may have been removed"
            raise QueryError(message)
        if saved.of != by and not is_admin:
            message = f"{saved.name} is kept by {saved.of}; save it under a name of yours to change it"
            raise QueryError(message)
        return saved

    def _write(self, known: dict[str, Saved]) -> None:
        self._file.keep(known.values())
        self._known = known


def check(name: str, text: str, language: str) -> None:
    """Refuse what could not be listed or asked."""
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        message = (
            f"a saved query's name has 1 to {MAX_NAME} signs that can be seen, found {name[:MAX_NAME]!r}"
        )
        raise QueryError(message)
    if not text.strip() or len(text) > MAX_TEXT:
        message = f"a saved query has 1 to {MAX_TEXT} signs, found {len(text)}"
        raise QueryError(message)
    if language not in LANGUAGES:
        message = f"unknown language {language:.40}; there are {' and '.join(LANGUAGES)}"
        raise QueryError(message)
