"""How far views are, told to who receives: what it leaves out when they cannot keep up depends on it."""

import json
from contextlib import suppress
from pathlib import Path

from engine.model.clock import SECOND
from ingest.pressure import FILE

PERIOD = SECOND // 10


class Progress:
    """Writes the offset of the last closed tick to a file, ten times a second at most."""

    def __init__(self, state: Path) -> None:
        self._file = state / FILE
        self._draft = self._file.with_suffix(".draft")
        self._told = 0

    def tell(self, offset: int, now: int) -> None:
        """Say that views are current up to an offset."""
        if 0 <= now - self._told < PERIOD:
            return
        self._told = now
        with suppress(OSError):  # a full disk is told by the log; without word from us nothing is left out
            self._draft.write_text(json.dumps({"offset": offset}), "utf-8")
            self._draft.replace(self._file)
