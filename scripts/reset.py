"""Removes the state folder: the log, the facts, the broker's and Spark's own state, the token."""

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
    names = {entry.name for entry in state.iterdir()}
    if names and not names & OURS:
        say(f"{state} holds none of {', '.join(sorted(OURS))}: it does not look like a state folder.")
        say("Remove it yourself, or set SMARTCIS_STATE to the right folder.")
        return 1
    shutil.rmtree(state)
    say(f"Removed {state}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
