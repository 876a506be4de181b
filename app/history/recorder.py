"""Records the views that are marked, behind the engine thread.

    engine thread ─put→ inbox ─→ turns ─once a second→ flush ─→ seal, when a segment is full ─→ trim

What is recorded is true to the log, and in it once. The head, written with every flush, is the offset up to
which all is told. After a crash the engine goes on from its snapshot, which is older, and runs ticks again,
perhaps cut otherwise: they are passed over up to the head, and of the first tick that reaches it only what
differs from the rows that were recorded last is written. One remedy serves for all that interrupts, a view
that was suspended, changes that were dropped while the disk was full: the view is begun again, and the
difference is written, and the gap. A snapshot of the engine waits for the head (``settle``), or it would be
the newer one.
"""

import threading
import time
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app.facade import Delta, Stamp
from app.history.breath import Breath
from app.history.following import Following, Source
from app.history.inbox import Begun, Ended, Item, Lost, RecorderInbox
from app.history.recorded import Recorded
from app.history.store import Head, Store
from app.history.trimming import trim
from engine.model.clock import SECOND
from engine.model.errors import SmartCISError
from engine.views.history import Gap
from engine.views.history.pieces import FOREVER

LOOK_SECONDS, FLUSH_SECONDS, RETRY_SECONDS, TRIM_SECONDS = 0.25, 1.0, 2.0, 30.0
MAX_TAIL = 40_000  # turns of an open segment: what a read of now has to go through
MAX_UNWRITTEN = 100_000  # turns in memory while the database takes none; then the inbox fills
FLUSH_AT = 5_000
GAP_SECONDS = 60
FIRST_PAUSE, LAST_PAUSE = 0.5, 10.0

log = structlog.get_logger(__name__)


class Recorder:
    """A thread that writes; ``speed`` is how fast the time of the log goes."""

    def __init__(
        self, engine: Source, store: Store, speed: float = 1.0, inbox: RecorderInbox | None = None
    ) -> None:
        self._engine, self._store = engine, store
        self._gap_after = int(GAP_SECONDS * SECOND * max(speed, 1.0))
        self._inbox = inbox or RecorderInbox()
        self._head = self._told = store.head()
        self._following = Following(engine, self._inbox, self._head.offset)
        self._views: dict[str, Recorded] = {}
        self._over: list[Recorded] = []
        self._items: list[Item] = []
        self._waits: set[str] = set()
        self._problem, self._pause, self._not_before = "", FIRST_PAUSE, 0.0
        self._flushed = self._retried = self._trimmed = time.monotonic()
        self._wanted = 0
        self._written = threading.Condition()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="history", daemon=True)

    # From any thread

    def start(self) -> None:
        self._engine.ask(self._following.start)
        self._thread.start()

    def sync(self) -> None:
        """Record the views that are marked by now."""
        self._engine.ask(self._following.sync)

    def settle(self, offset: int, seconds: float = 5.0) -> bool:
        """Wait until everything up to an offset is written; False where it is not in time."""
        with self._written:
            self._wanted = max(self._wanted, offset)
            return self._written.wait_for(lambda: self._is_settled(offset), seconds)

    def _is_settled(self, offset: int) -> bool:
        return self._head.offset >= offset or not self._following.is_recording

    def health(self) -> str:
        """Return "ok", or what keeps the past from being written, and what is lost of it."""
        dropped = self._inbox.dropped
        lost = f"{dropped} changes since the start were not recorded, and show as gaps" if dropped else ""
        return "; ".join(part for part in (self._problem, lost) if part) or "ok"

    def stop(self) -> None:
        """Write what waits, as far as it goes, and end."""
        self._engine.ask(self._following.stop)
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)
        self._store.close()

    # On the recorder's thread

    def _work(self) -> None:
        while not self._stopping.is_set():
            if not self._items and self._unwritten() < MAX_UNWRITTEN:
                self._items = self._inbox.take(LOOK_SECONDS)
            else:
                self._stopping.wait(LOOK_SECONDS)
            self._look()
        self._items += self._inbox.take(0)
        self._not_before = 0.0
        self._look()

    def _look(self) -> None:
        if time.monotonic() < self._not_before:
            return
        try:
            self._take_items()
            self._maybe_flush()
            self._maybe_seal()
            self._maybe_trim()
        except SQLAlchemyError as error:
            self._failed(" ".join(str(getattr(error, "orig", None) or error).split())[:300])
        except Exception as error:  # whatever it is, the past is late and not gone: the items are still there
            log.exception("the past could not be recorded")
            self._failed(f"{type(error).__name__}: {error}")
        else:
            self._problem, self._pause = "", FIRST_PAUSE
        self._maybe_follow_again()

    def _failed(self, reason: str) -> None:
        if not self._problem:
            log.warning("the past cannot be written; retrying", reason=reason)
        self._problem = f"the past cannot be written: {reason}"
        self._not_before = time.monotonic() + self._pause
        self._pause = min(self._pause * 2, LAST_PAUSE)

    def _unwritten(self) -> int:
        return sum(len(view.pending) for view in self._views.values())

    def _take_items(self) -> None:
        """Take item by item; one that fails is the first again."""
        done = 0
        try:
            for item in self._items:
                self._take(item)
                done += 1
        finally:
            del self._items[:done]

    def _take(self, item: Item) -> None:
        match item:
            case Stamp():
                self._stamped(item)
            case Delta():
                self._changed(item)
            case Begun():
                self._begun(item)
            case Lost():
                self._lost(item.view, self._told.at)
            case Ended():
                self._ended(item.view)

    def _stamped(self, stamp: Stamp) -> None:
        before = self._told.at
        if before and stamp.at - before > self._gap_after:
            for view in self._views.values():
                if view.start <= before:
                    view.tell(Gap(before, stamp.at))
        self._told = Head(stamp.offset, max(stamp.at, before))

    def _begun(self, begun: Begun) -> None:
        mark, at = begun.mark, max(begun.stamp.at, self._told.at)
        view = self._views.get(mark.name)
        if view is None or view.mark.shape != mark.shape:
            self._over += [view] if view else []
            view = self._views[mark.name] = self._store.open(mark, at)
        elif view.mark != mark:
            self._store.keep(view.id, mark.retention)
            view.mark = mark
        if not begun.is_whole and view.start < at:
            view.tell(Gap(self._told.at, at))
        view.hold(at, begun.snapshot.rows)
        self._waits.discard(mark.name)

    def _changed(self, delta: Delta) -> None:
        view = self._views.get(delta.view)
        if view is None or view.is_lost:
            return
        if delta.after == delta.tick and not delta.changes:
            self._lost(delta.view, max(delta.at, self._told.at))
        else:
            view.take(max(delta.at, self._told.at), delta.changes)

    def _lost(self, name: str, since: int) -> None:
        if (view := self._views.get(name)) is not None:
            view.tell(Gap(since, FOREVER))
        self._waits.add(name)

    def _ended(self, name: str) -> None:
        if (view := self._views.pop(name, None)) is not None:
            view.tell(Gap(self._told.at, FOREVER))
            self._over.append(view)
        self._waits.discard(name)

    def _maybe_follow_again(self) -> None:
        if self._waits and time.monotonic() - self._retried >= RETRY_SECONDS and not self._problem:
            self._retried = time.monotonic()
            for name in sorted(self._waits):
                try:
                    self._engine.ask(partial(self._following.follow, name))
                except SmartCISError:
                    return  # the engine has stopped

    def _maybe_flush(self) -> None:
        is_dirty = bool(self._over) or any(view.is_dirty for view in self._views.values())
        is_due = time.monotonic() - self._flushed >= FLUSH_SECONDS or self._unwritten() >= FLUSH_AT
        is_wanted = self._told.offset >= self._wanted > self._head.offset
        is_last = self._stopping.is_set() and self._told != self._head
        if is_wanted or is_last or (is_dirty and is_due):
            self._flush()

    def _flush(self) -> None:
        self._store.flush([*self._views.values(), *self._over], self._told)
        for view in self._over:
            if view.tail:
                self._store.seal(view, self._told.at)
        self._over = []
        self._flushed = time.monotonic()
        with self._written:
            self._head = self._told
            self._written.notify_all()

    def _maybe_seal(self) -> None:
        for view in self._views.values():
            is_old = self._head.at - view.start >= view.mark.retention.keyframe
            if not view.is_dirty and view.tail and (is_old or len(view.tail) >= MAX_TAIL):
                self._store.seal(view, self._head.at, Breath(self._stopping.wait))

    def _maybe_trim(self) -> None:
        if time.monotonic() - self._trimmed < TRIM_SECONDS:
            return
        if not trim(self._store, self._views.values(), self._head.at):
            self._trimmed = time.monotonic()
