"""The real parts that tests ask for by name, and the list, at the end, of what did not run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Page

from tests.environment import absence, bdd, chromium
from tests.environment.mosquitto import Mosquitto
from tests.environment.postgres import Postgres

# How fast a busy machine draws or runs an example says nothing of what is right.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_report_header() -> str:
    return f"BDD back end: {bdd.back_end()}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    absence.write_absences(terminalreporter)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped") if reporter else None
    if skipped and exitstatus == pytest.ExitCode.OK and absence.in_ci():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def mosquitto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A running broker of the test's own: `.url`, `.port`, `.stop()`, `.kill()`, `.start()`."""
    broker = Mosquitto(tmp_path_factory.mktemp("mosquitto"))
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """One PostgreSQL for the session."""
    server = Postgres()
    server.start()
    yield server
    server.remove()


@pytest.fixture
def postgres(postgres_server: Postgres) -> str:
    """The SQLAlchemy URL of an empty database of the test's own."""
    return postgres_server.create_database()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One chromium for the session."""
    with chromium.launched() as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own, at 1440x900."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parent.parent
