"""Kiosks: each a name, the routing point where it stands, and a link of its own that can be taken back.

    make(name, point) → token, once        redeem(token) → Kiosk        remove(name): nobody is it any more

Kept in a file of the state folder that only its owner can read; of a token only its digest. A kiosk that is
made again gets another link, and the one before ends.
"""

import hashlib
import secrets
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from app.kept_file import KeptFile

MAX_NAME = 60


@dataclass(frozen=True)
class Kiosk:
    """``key`` is what its sessions say; ``digest`` is of its token."""

    name: str
    point: str
    key: str
    digest: str


class Kiosks:
    """Thread-safe; what is changed is on the disk before it is said."""

    def __init__(self, path: Path) -> None:
        self._file, self._lock = (
            KeptFile(path, Kiosk, "kiosks", "remove it and make the kiosks again"),
            Lock(),
        )
        self._known = {kiosk.name: kiosk for kiosk in self._file.read()}

    def all(self) -> list[Kiosk]:
        return sorted(self._known.values(), key=lambda kiosk: kiosk.name)

    def of_key(self, key: object) -> Kiosk | None:
        return next((kiosk for kiosk in self._known.values() if kiosk.key == key), None)

    def make(self, name: str, point: str) -> str:
        """Return the token of a kiosk that stands at a point; an earlier one of that name is no more."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._keep({**self._known, name: Kiosk(name, point, secrets.token_urlsafe(12), _digest(token))})
        return token

    def remove(self, name: str) -> bool:
        """Take a kiosk's link and its sessions back; False where there is none of that name."""
        with self._lock:
            if name not in self._known:
                return False
            self._keep({other: kiosk for other, kiosk in self._known.items() if other != name})
            return True

    def redeem(self, token: str) -> Kiosk | None:
        """Return whose token this is."""
        digest = _digest(token)
        return next((kiosk for kiosk in self._known.values() if kiosk.digest == digest), None)

    def _keep(self, known: dict[str, Kiosk]) -> None:
        self._file.keep(known.values())
        self._known = known


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
