"""Secrets that outlive a start: files of the state folder that only their owner can read."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path


def secret_file(path: Path) -> str:
    """Return the secret in the file; a file that is missing is written first, mode 0600."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        path.chmod(0o600)
        kept = path.read_text(encoding="ascii").strip()
        return kept or _rewritten(path)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        return _written(file.write)


def _rewritten(path: Path) -> str:
    """A start that died between creating and writing left the file empty."""
    return _written(lambda text: path.write_text(text, encoding="ascii"))


def _written(write: Callable[[str], int]) -> str:
    secret = secrets.token_urlsafe(32)
    write(secret)
    return secret


class RevokedSessions:
    """Sessions that were signed out before they ran out; kept over a restart, one a line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ids = set(path.read_text(encoding="ascii").split()) if path.exists() else set()

    def add(self, session_id: str) -> None:
        self._ids.add(session_id)
        with os.fdopen(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as file:
            file.write(session_id + "\n")

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._ids
