"""What one query may use, by the settings."""

import time

from app.settings import Settings
from engine.operators.budget import Budget, Meter


def budget_of(settings: Settings) -> Budget:
    """Return what one query may use; time is the engine thread's computing, not the wall's."""
    return Budget(
        settings.query_rows,
        settings.query_rounds,
        int(settings.query_megabytes * 1_000_000),
        settings.query_seconds,
        Meter(time.thread_time),
        settings.query_start_seconds,
    )
