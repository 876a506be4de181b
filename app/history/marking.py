"""Which views are to be recorded, as their texts say it: CREATE VIEW … WITH (history = '30 days') AS …"""

from functools import lru_cache

from app.facade import ViewInfo
from app.history.recorded import Mark
from engine.lang.streamsql import CreateView, parse
from engine.model.errors import SmartCISError
from engine.views.history import Retention
from engine.views.history.book import shape_of


@lru_cache(maxsize=2_000)
def retention_of(sql: str) -> Retention | None:
    """Return how long the past of a view is kept; of any other text, None."""
    try:
        statement = parse(sql)
    except SmartCISError:
        return None
    return statement.history if isinstance(statement, CreateView) else None


def mark_of(view: ViewInfo) -> Mark | None:
    """Return what of a view is recorded, if anything is."""
    retention = retention_of(view.sql) if view.sql else None
    if retention is None:
        return None
    return Mark(view.name, shape_of(view.name, view.columns, retention), retention)
