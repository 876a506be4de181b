"""What of each stream is not in the log, and whether more comes than can be kept up with: for people."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ingest.acquisition import HEALTH_FILE

SAID = {1: "messages of low priority are", 2: "messages of low and normal priority are"}


class Loss(NamedTuple):
    """How many messages of a stream never came or were left out, since the log began."""

    stream: str
    cause: str
    messages: int


def losses(state: Path) -> list[Loss]:
    """Return what the acquisition last counted."""
    found = (source.get("losses", {}) for source in _sources(state).values())
    streams = [item for each in found for item in each.items()]
    return [Loss(name, cause, count) for name, counts in streams for cause, count in counts.items() if count]


def again(state: Path) -> dict[str, int]:
    """Return of each source how often something came that the log had already, since the start."""
    return {
        name: each.get("duplicates", 0) + each.get("repeated", 0) for name, each in _sources(state).items()
    }


def under_pressure(state: Path) -> str:
    """Return what is left out at the moment, or nothing."""
    level = max((source.get("pressure", 0) for source in _sources(state).values()), default=0)
    return f"more comes than can be kept up with: {SAID[level]} left out, and counted" if level else ""


def unasked(state: Path) -> Mapping[str, int]:
    """Return how many messages came that nobody asks for, are held of them, and found no room there."""
    names = ("unasked", "held", "overflowed")
    return {name: sum(source.get(name, 0) for source in _sources(state).values()) for name in names}


def _sources(state: Path) -> Mapping[str, dict[str, Any]]:
    try:
        found = json.loads((state / HEALTH_FILE).read_text("utf-8"))["sources"]
    except (OSError, ValueError, KeyError):
        return {}
    return found if isinstance(found, dict) else {}
