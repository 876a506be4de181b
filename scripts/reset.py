"""Removes the state folder: the log, the facts, the broker's and Spark's own state, the token."""

import fcntl
import os
import shutil
import sys
from pathlib import Path

from scripts.places import ROOT, say

OURS = {"log.db", "facts.db", "token", "broker", "spark", "logs", "reservations.ics"}


def main() -> int:
    """Removes the folder, unless it holds nothing that SmartCIS writes."""
    state = Path(os.environ.get("SMARTCIS_STATE") or ROOT / ".smartcis").resolve()
    if not state.is_dir():
        say(f"Nothing to remove: {state} does not exist.")
        return 0
    if is_in_use(state):
        say(f"SmartCIS runs on {state}; stop it first (Ctrl-C where it was started).")
        return 1
    names = {entry.name for entry in state.iterdir()}
    if names and not names & OURS:
        say(f"{state} holds none of {', '.join(sorted(OURS))}: it does not look like a state folder.")
        say("Remove it yourself, or set SMARTCIS_STATE to the right folder.")
        return 1
    shutil.rmtree(state)
    say(f"Removed {state}")
    return 0


def is_in_use(state: Path) -> bool:
    """Tell whether a server holds the folder: it keeps running.json locked for as long as it lives."""
    try:
        with (state / "running.json").open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


if __name__ == "__main__":
    sys.exit(main())
