"""Ready is more than alive: it names what is missing, and is ready again when that is back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.history.past import Past
from app.readiness import CATCHING_UP, LOOKED_FOR, NO_BROKER
from engine.model.clock import SECOND, ManualClock
from ingest.log import Log
from tests.environment.postgres import Postgres
from tests.memory_engine import MemoryEngine
from tests.web_parts import client_of, web_over


class Asked:
    """A web side whose parts a test takes away, and what it says of them."""

    def __init__(self, folder: Path, log_url: str, **settings: Any) -> None:
        self.clock, self.engine = ManualClock(5 * SECOND), MemoryEngine()
        self.sources, self.is_current = {"mqtt": "ok", "calendar": "gone"}, True
        self.engine.close_tick(self.clock.now())
        self.client = client_of(
            web_over(
                self.engine, folder, feed=self.clock, wall=self.clock, database_url=log_url,
                sources=lambda: self.sources, is_current=lambda: self.is_current, **settings,
            )
        )  # fmt: skip

    def missing(self) -> dict[str, str]:
        self.clock.advance(LOOKED_FOR)
        self.engine.close_tick(self.clock.now())
        return self.look()

    def look(self) -> dict[str, str]:
        answer = self.client.get("/readyz")
        missing = answer.json.get("missing", {})
        assert answer.status_code == (503 if missing else 200)
        assert answer.json["status"] == ("missing" if missing else "ready")
        return dict(missing)


@pytest.fixture
def log_url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    with Log(url):
        return url


def test_it_is_ready_while_views_flow_and_what_they_stand_on_answers(tmp_path: Path, log_url: str) -> None:
    facts = tmp_path / "facts.db"
    past = Past(sa.create_engine(log_url), lambda: "ok")
    with Log(f"sqlite:///{facts}"):
        asked = Asked(tmp_path, log_url, facts_url=f"sqlite:///{facts}", past=past)
    assert asked.missing() == {}
    facts.rename(tmp_path / "elsewhere.db")
    assert asked.missing() == {"facts": "the database does not answer (OperationalError)"}
    assert not facts.exists()
    (tmp_path / "elsewhere.db").rename(facts)
    assert asked.missing() == {}


def test_it_is_not_ready_before_it_has_read_what_the_log_held(tmp_path: Path, log_url: str) -> None:
    asked = Asked(tmp_path, log_url)
    asked.is_current = False
    assert asked.missing() == {"views": CATCHING_UP}
    asked.is_current = True
    assert asked.missing() == {}


def test_it_is_not_ready_while_ticks_do_not_flow_or_the_broker_is_away(tmp_path: Path, log_url: str) -> None:
    asked = Asked(tmp_path, log_url)
    asked.sources["mqtt"] = "no broker at mqtts://broker:8883"
    asked.clock.advance(10 * SECOND)
    assert asked.look() == {"views": "the last tick is 10 s old", "broker": NO_BROKER}
    asked.sources["mqtt"] = "ok, but 3 messages were left out"
    assert asked.missing() == {}


def test_however_many_ask_it_looks_once_a_second(tmp_path: Path, log_url: str) -> None:
    asked = Asked(tmp_path, log_url)
    assert asked.missing() == {}
    asked.sources["mqtt"] = "gone"
    assert asked.look() == {}
    asked.clock.advance(LOOKED_FOR)
    assert asked.look() == {"broker": NO_BROKER}


@pytest.fixture
def server() -> Iterator[Postgres]:
    made = Postgres()
    made.start()
    yield made
    made.remove()


def test_it_says_so_when_the_log_database_is_away_and_back(tmp_path: Path, server: Postgres) -> None:
    asked = Asked(tmp_path, server.create_database())
    assert asked.missing() == {}
    server.stop()
    assert asked.missing() == {"log": "the database does not answer (OperationalError)"}
    server.start()
    assert asked.missing() == {}
