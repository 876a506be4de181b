"""Numbers of incarnations: microseconds, each greater than all before, whatever the machine's clock does.

The last one is on the gateway's disk.
"""

from contextlib import suppress
from pathlib import Path

from engine.model.clock import Clock


class Incarnations:
    """The numbers of one gateway."""

    def __init__(self, file: Path, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        self._last = _read(file)

    def next(self) -> int:
        """Return a number that was never returned before."""
        self._last = max(self._last + 1, self._clock.now())
        draft = self._file.with_suffix(".draft")
        with suppress(OSError):  # the clock alone tells lives apart then, unless it is set back
            draft.write_text(str(self._last), "utf-8")
            draft.replace(self._file)
        return self._last


def _read(file: Path) -> int:
    try:
        return int(file.read_text("utf-8"))
    except (OSError, ValueError):
        return 0
