"""Recordings that a building replays beside its live sources.

file       what ``smartcis record`` wrote
speed      recorded seconds in a second, 1 unless said, or max
loop       whether it begins anew at its end
of         only what these sources said: [mqtt], ["db:facts"]; all unless said
"""

import math
from dataclasses import dataclass
from pathlib import Path

from engine.model.errors import SourceError
from ingest.checked_yaml import mapping, names, shown, text

MAX = "max"


@dataclass(frozen=True, slots=True)
class RecordingSource:
    """A recording, and how it is replayed."""

    name: str
    file: Path
    speed: float = 1.0
    loop: bool = False
    of: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Its name in the log and in health."""
        return f"recording:{self.name}"


def recording_of(name: str, spec: object) -> RecordingSource:
    """Return what a section under ``recordings`` declares."""
    where = f"recording {name}"
    found = mapping(spec, where, {"file", "speed", "loop", "of"})
    loop = found.get("loop", False)
    if not isinstance(loop, bool):
        msg = f"loop of {where} is {shown(loop)}; expected true or false"
        raise SourceError(msg)
    try:
        speed = speed_of(str(found.get("speed", 1)))
    except SourceError as error:
        msg = f"{where}: {error.message}"
        raise SourceError(msg) from error
    return RecordingSource(name, Path(text(found, "file", where)), speed, loop, names(found, "of", where))


def speed_of(text: str) -> float:
    """Return how many recorded seconds go by in one; as fast as possible is infinity."""
    try:
        speed = math.inf if text == MAX else float(text)
    except ValueError:
        speed = math.nan
    if not speed > 0:
        msg = f"speed is {text}; expected a number above 0, such as 10, or {MAX}"
        raise SourceError(msg)
    return speed
