"""Is it ready? Views flow and are caught up, and what they stand on answers.

    views      the last tick is young, and what the log held at the start has been read
    log, facts, past      the databases answer
    broker     the acquisition is connected to it

``/healthz`` says that ticks flow, which is all that a restart could mend; ``/readyz`` says that it is worth
while to send somebody here. It names what is missing, and nothing of where that is: anyone may ask.
"""

from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock

import sqlalchemy as sa

from app.config import WebConfig
from app.health import MQTT, Health
from app.source_health import delivers
from engine.model.clock import SECOND
from engine.model.errors import SmartCISError

CONNECT_SECONDS = 2
LOOKED_FOR = SECOND  # so long an answer is good: asking often costs the databases nothing
CATCHING_UP = "what the log held at the start is still being read"
NO_BROKER = "the acquisition is not connected to it; GET /api/sources says why"

Probe = Callable[[], str]


class Readiness:
    """Answers /readyz; one look at a time, however many ask."""

    def __init__(self, health: Health, config: WebConfig) -> None:
        self._health, self._config, self._lock = health, config, Lock()
        self._probes = {"views": self._views, **_databases(config), "broker": self._broker}
        self._missing: Mapping[str, str] = {}
        self._looked_at: int | None = None

    def missing(self) -> Mapping[str, str]:
        """Return what is missing, each with why, in one line; empty where nothing is."""
        with self._lock:
            now = self._config.wall.now()
            if self._looked_at is None or not 0 <= now - self._looked_at < LOOKED_FOR:
                found = {part: probe() for part, probe in self._probes.items()}
                self._missing = {part: problem for part, problem in found.items() if problem}
                self._looked_at = now
            return self._missing

    def _views(self) -> str:
        report, _ = self._health.report()
        return str(report.get("reason", "")) or ("" if self._config.is_current() else CATCHING_UP)

    def _broker(self) -> str:
        state = self._config.sources().get(MQTT)
        return "" if state is None or delivers(state) else NO_BROKER


def _databases(config: WebConfig) -> Mapping[str, Probe]:
    past = None if config.past is None else config.past.database.url
    urls = {"log": config.database_url, "facts": config.facts_url, "past": past}
    return {part: partial(_silence, sa.make_url(url)) for part, url in urls.items() if url is not None}


def _silence(url: sa.URL) -> str:
    """Return why a database does not answer, empty where it does."""
    try:
        engine = _engine(url)
        with engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1" if _is_file(url) else "SELECT 1")
    except (sa.exc.SQLAlchemyError, SmartCISError, ImportError, OSError) as error:
        return f"the database does not answer ({type(error).__name__})"
    return ""


def _engine(url: sa.URL) -> sa.Engine:
    """Return an engine that makes no file, waits for nobody long, and keeps no connection."""
    if _is_file(url):
        url = url.set(database=f"file:{url.database}", query={**url.query, "mode": "ro", "uri": "true"})
    how = {"connect_timeout": CONNECT_SECONDS} if url.get_backend_name() == "postgresql" else {}
    return sa.create_engine(url, poolclass=sa.NullPool, connect_args=how)


def _is_file(url: sa.URL) -> bool:
    return url.get_backend_name() == "sqlite"
