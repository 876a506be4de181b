"""How the sources do, as the acquisition wrote it last.

ok        it delivers          ok, but …        it delivers, and people should know something
anything else                  why it does not
"""

import json
from collections.abc import Mapping
from pathlib import Path

from ingest.wrapper import SourceState

OK = "ok"


def sources_in(file: Path) -> Mapping[str, str]:
    """Return how each source does, by its name."""
    try:
        health = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {"acquisition": "has not reported yet"}
    return {
        name.partition("@")[0]: told_of(found["state"], found["problem"])
        for name, found in health["sources"].items()
    }


def since_in(file: Path) -> Mapping[str, int]:
    """Return since when each source does as it does, in microseconds, as far as that is told."""
    try:
        sources = json.loads(file.read_text("utf-8"))["sources"]
    except (OSError, ValueError, KeyError):
        return {}
    return {name.partition("@")[0]: found["since"] for name, found in sources.items() if "since" in found}


def told_of(state: str, problem: str) -> str:
    if state == SourceState.LIVE:
        return f"{OK}, but {problem}" if problem else OK
    return problem or state


def delivers(told: str) -> bool:
    """Tell whether a source that is told of so delivers."""
    return told == OK or told.startswith(f"{OK},")
