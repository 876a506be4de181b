"""Whom the embedded broker refused within the last hour, as people are told."""

from pathlib import Path

from engine.model.clock import SECOND
from ingest.broker.greeting import noted

TOLD = 3_600 * SECOND
AT_MOST = 3


def refused(state: Path, now: int) -> str:
    """Return who was refused lately and why, in one line, or nothing."""
    found = [one for one in noted(state / "broker").values() if one["at"] > now - TOLD]
    said = [
        f"{one['client'] or 'a client'} at {one['address']} ({one['reason']})" for one in found[-AT_MOST:]
    ]
    more = f" and {len(found) - AT_MOST} more" if len(found) > AT_MOST else ""
    return f"refused {', '.join(said)}{more}" if said else ""
