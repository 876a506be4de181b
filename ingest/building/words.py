"""What people told the doors of a floor, kept in a file so that a door started anew still knows it.

    {"door-1.09": {"until": 1700035100000000, "open": false}, …}

A word holds until the schedule's day in which it was said ends. That end is kept as a time, not as the number
of a day: the next start counts its days anew. A file that cannot be read or written costs one line, no door.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Word(NamedTuple):
    """What a person told a door, and until when it holds, in the building's time."""

    until: int
    is_open: bool


class Words:
    """The words said to a floor's doors; without a file they last as long as the process."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._said: dict[str, Word] = {}

    def at(self, door: str, now: int) -> bool | None:
        """Return whether a door was told to be open, or nothing where no word holds."""
        word = self._said.get(door)
        return word.is_open if word is not None and now < word.until else None

    def say(self, door: str, word: Word) -> None:
        """Keep a word, before anybody hears that the door obeyed."""
        self._said[door] = word
        if self._file is None:
            return
        try:
            _write(self._file, self._said)
        except OSError as error:
            _complain(f"cannot keep what the doors were told: {error}")

    def recall(self, now: int) -> None:
        """Take up what was said before this process began, and still holds."""
        if self._file is None or not self._file.exists():
            return
        try:
            found = _read(self._file)
        except (OSError, ValueError, OverflowError, TypeError, KeyError, AttributeError) as error:
            _complain(f"{self._file} does not say what the doors were told, so they go by the day: {error!r}")
            return
        self._said = {door: word for door, word in found.items() if now < word.until}


def _read(file: Path) -> dict[str, Word]:
    found = json.loads(file.read_bytes())
    return {str(door): Word(int(said["until"]), said["open"] is True) for door, said in found.items()}


def _write(file: Path, said: Mapping[str, Word]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps({door: {"until": w.until, "open": w.is_open} for door, w in said.items()}))
    draft.replace(file)


def _complain(problem: str) -> None:
    sys.stderr.write(f"doors: {' '.join(problem.split())[:300]}\n")
