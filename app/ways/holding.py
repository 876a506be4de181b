"""What is kept for a visitor: the nearest target that fits, for five minutes, and nobody else is sent there.

    hold      the wish's view says where to  →  a word in the log  →  a tick has read it  →  the answer
    release   arrived, or cancelled: one more word
    move      the target was taken or is out of reach: the next nearest, or the end

A target is promised under a lock, and what was promised and is in no tick yet is remembered; who is sent to
the same waits for that tick and looks again. So two never get one target, and many who are sent to different
ones share a tick.
"""

from collections.abc import Callable, Mapping
from secrets import token_urlsafe
from threading import Lock
from typing import Any, NamedTuple

from app.waiting_list import WaitingList
from app.ways.shared import SharedWays
from app.ways.wish import DESK, MACHINE, TO, Wish, wish_of
from engine.model.clock import SECOND, Clock
from engine.model.errors import QueryError, SmartCISError
from engine.service import Engine
from ingest.holds import ARRIVED, CANCELLED, ENDED, HELD, HOLDS, LASTS, MOVED, entry_of
from ingest.log import Log

MOST = 3
ROUNDS = 200
REASONS = (ARRIVED, CANCELLED)
STANDING = (HELD, MOVED)
COLUMNS = tuple(column.name for column in HOLDS.columns)
Word = dict[str, Any]


class NothingFree(SmartCISError):
    """Nothing that fits can be promised."""


class TooManyHolds(SmartCISError):
    """A kiosk holds as many targets as it may."""


class NoSuchHold(SmartCISError):
    """The hold is unknown, or has run out."""


class Held(NamedTuple):
    """What was promised."""

    hold: str
    kind: str
    target: str
    seconds: int
    until: int


class Said(NamedTuple):
    """A word that no tick has read yet."""

    word: Word
    offset: int


class Holding:
    """Promises targets, from any thread."""

    def __init__(self, engine: Engine, log: Log, clock: Clock, shared: SharedWays) -> None:
        self._engine, self._log, self._clock, self._shared = engine, log, clock, shared
        self._due = WaitingList(engine)
        self._lock = Lock()
        self._unread: dict[str, Said] = {}

    def hold(self, wish: Wish, point: str, kiosk: str) -> Held:
        """Promise the nearest target; return when every view knows."""
        if not self._shared.is_point(point):
            message = f"unknown routing point {point:.80}; the view landmarks has them all"
            raise QueryError(message)
        with self._shared.watching(wish):
            word = self._settled(lambda: self._promise(wish, point, kiosk))
        return Held(word["hold"], word["kind"], word["target"], word["seconds"], word["until"])

    def release(self, hold: str, reason: str) -> str:
        """End a hold; return how it ended, which may be otherwise if it did before."""
        return str(self._settled(lambda: self._end(hold, reason))["state"])

    def move_lost(self) -> bool:
        """Send whose target is lost to the next nearest; tell whether anything was said, or waited for."""
        said = []
        for row in self._shared.rows("lost_holds"):
            lost = {"hold": row[0], "turn": row[2], "seated": row[-1]}
            with self._lock:
                self._forget_read()
                found = self._move(lost)
            if isinstance(found, Said | int):
                said.append(found.offset if isinstance(found, Said) else found)
        if said:
            self._due.wait(max(said))
        return bool(said)

    # Under the lock

    def _settled(self, attempt: Callable[[], Said | int | Word]) -> Word:
        """Try until nobody's unread word is in the way; return the word once a tick has read it."""
        for _ in range(ROUNDS):
            with self._lock:
                self._forget_read()
                found = attempt()
            match found:
                case Said(word, offset):
                    self._due.wait(offset)
                    return word
                case int():
                    self._due.wait(found)
                case _:
                    return found
        message = "too many ask for the same; ask again in a moment"
        raise NothingFree(message)

    def _forget_read(self) -> None:
        stamp = self._engine.stamp().offset
        self._unread = {hold: said for hold, said in self._unread.items() if said.offset > stamp}

    def _promise(self, wish: Wish, point: str, kiosk: str) -> Said | int:
        if self._held_by(kiosk) >= MOST:
            message = f"{kiosk} holds {MOST} targets already; let one go, or wait until one has run out"
            raise TooManyHolds(message)
        found = self._nearest(wish, point)
        if isinstance(found, int):
            return found
        word = {"hold": token_urlsafe(9), "turn": 0, "kiosk": kiosk, "point": point, "wish": wish.text}
        return self._say({**word, "step_free": wish.step_free, **found, "state": HELD})

    def _end(self, hold: str, reason: str) -> Said | int | Word:
        if hold in self._unread:
            return self._unread[hold].offset
        word = self._word(hold)
        if word is None:
            message = f"there is no hold {hold:.40}; it lasts five minutes and may have run out"
            raise NoSuchHold(message)
        return self._say({**word, "turn": word["turn"] + 1, "state": reason}) if _stands(word) else word

    def _move(self, lost: Mapping[str, Any]) -> Said | int | Word:
        word = self._word(lost["hold"])
        is_known = lost["hold"] not in self._unread and word is not None and word["turn"] == lost["turn"]
        if word is None or not is_known or not _stands(word):
            return {}
        again = {**word, "turn": word["turn"] + 1}
        if lost["seated"] and self._may_be_there(word):
            return self._say({**again, "state": ARRIVED})
        try:
            found = self._nearest(wish_of(word["wish"]), word["point"])
        except SmartCISError:
            return self._say({**again, "state": ENDED})
        return found if isinstance(found, int) else self._say({**again, **found, "state": MOVED})

    def _may_be_there(self, word: Word) -> bool:
        """Tell whether whoever walks fast may have come to the target: then it is they who sit there."""
        return bool(2 * (self._clock.now() - word["said"]) >= word["seconds"] * SECOND)

    def _nearest(self, wish: Wish, point: str) -> Word | int:
        """Return the nearest target; or the offset to wait for, if it was promised a moment ago."""
        row = self._shared.row_at(wish, point)
        if row is None:
            message = (
                f"nothing that fits is free and can be reached from {point}; ask for less, or again later"
            )
            raise NothingFree(message)
        kind, target = wish.thing or wish.kind, row[2]
        rivals = [said for said in self._unread.values() if _excludes(said.word, kind, target)]
        if rivals:
            return max(said.offset for said in rivals)
        if wish.kind == TO and (kind, target) not in self._shared.rows("free_targets"):
            message = f"{target} is not free, and is held for nobody; the way there is shown all the same"
            raise NothingFree(message)
        return {"kind": kind, "target": target, "seconds": row[4]}

    def _held_by(self, kiosk: str) -> int:
        held = {word["hold"]: word for word in self._words() if word["kiosk"] == kiosk}
        held |= {hold: said.word for hold, said in self._unread.items() if said.word["kiosk"] == kiosk}
        return sum(map(_stands, held.values()))

    def _word(self, hold: str) -> Word | None:
        return next((word for word in self._words() if word["hold"] == hold), None)

    def _words(self) -> list[Word]:
        return [dict(zip(COLUMNS, row, strict=True)) for row in self._shared.rows("hold_words")]

    def _say(self, word: Word) -> Said:
        now = self._clock.now()
        word = {**word, "said": now, "until": now + LASTS if _stands(word) else now}
        said = Said(word, self._log.append([entry_of([word])]).offset)
        self._unread[word["hold"]] = said
        return said


def _stands(word: Word) -> bool:
    return word["state"] in STANDING


def _excludes(word: Word, kind: str, target: object) -> bool:
    """Tell whether what one is promised may be another's target: a machine stands on a desk."""
    return _stands(word) and (
        (word["kind"], word["target"]) == (kind, target) or {word["kind"], kind} == {MACHINE, DESK}
    )
