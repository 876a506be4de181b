"""A way handed from a kiosk to a phone: a signed text in a QR code, good for a few minutes.

    {wish, start, hold, pace} ─sign→ token ─→ https://…/way/<token> ─scan→ a session that sees this way alone

The token is the whole of it: nothing is kept, and a restart does not end it. Short lists instead of named
fields, since every letter is drawn in the code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import segno
from itsdangerous import BadSignature, URLSafeSerializer

from engine.model.clock import SECOND, Clock
from engine.model.errors import QueryError

GOOD_SECONDS = 600
WALK_SECONDS = 3600
TEXTS = ("kind", "software", "equipment", "to")
PACES = ("slow", "normal", "fast")
MAX_TEXT = 200


@dataclass(frozen=True)
class Handed:
    """What a phone is given: what is looked for, from which point, for which hold, at what pace."""

    wish: Mapping[str, Any]
    start: str
    hold: str = ""
    pace: str = "normal"

    def to_session(self) -> dict[str, Any]:
        return {"wish": dict(self.wish), "start": self.start, "hold": self.hold, "pace": self.pace}


def read_handed(body: object) -> Handed:
    """Return what a request's body says, checked."""
    said = body if isinstance(body, dict) else {}
    wish, start = said.get("wish"), said.get("from")
    if not isinstance(wish, dict) or not isinstance(start, str) or not _is_text(start):
        problem = 'the body has no way; expected {"wish": {"kind": …}, "from": point, "hold"?, "pace"?}'
        raise QueryError(problem)
    hold, pace = said.get("hold") or "", said.get("pace") or "normal"
    if (hold and not _is_text(hold)) or pace not in PACES:
        problem = f"hold or pace of the way cannot be read; expected a text, and one of {', '.join(PACES)}"
        raise QueryError(problem)
    return Handed(_wish(wish), start, hold, pace)


def _wish(said: dict[str, Any]) -> dict[str, Any]:
    unknown = [name for name in said if name not in (*TEXTS, "step_free")]
    wrong = [name for name in TEXTS if said.get(name) is not None and not _is_text(said[name])]
    if unknown or wrong:
        problem = (
            f"{(unknown + wrong)[0]} of the wish cannot be read; a wish has {', '.join(TEXTS)}, step_free"
        )
        raise QueryError(problem)
    kept = {name: said[name] for name in TEXTS if said.get(name)}
    return {**kept, "step_free": True} if said.get("step_free") else kept


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_TEXT


class Handovers:
    """Signs ways, and reads them again while they are good."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._signer, self._clock = URLSafeSerializer(secret, salt="way"), clock

    def sign(self, handed: Handed) -> str:
        until = self._clock.now() // SECOND + GOOD_SECONDS
        texts = [handed.wish.get(name, 0) for name in TEXTS]
        free = int(bool(handed.wish.get("step_free")))
        return str(
            self._signer.dumps([until, *texts, free, handed.start, handed.hold, PACES.index(handed.pace)])
        )

    def read(self, token: str) -> Handed | None:
        """Return the way of a token; None where it was not signed here, or is too old."""
        try:
            until, *texts, free, start, hold, pace = self._signer.loads(token)
        except (BadSignature, ValueError):
            return None
        if until * SECOND < self._clock.now():
            return None
        wish = {name: text for name, text in zip(TEXTS, texts, strict=True) if text}
        return Handed({**wish, **({"step_free": True} if free else {})}, start, hold, PACES[pace])


def drawn(url: str) -> str:
    """Return a QR code as an address that an image takes: black on white, whatever the theme."""
    return str(segno.make(url, error="m", micro=False).svg_data_uri(border=3, dark="#000", light="#fff"))
