"""The whole of docker-compose.yml, run by its own commands: a tick is read by the worker, the map is alive,
and a killed worker costs a pause."""

import json
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import psutil
import pytest
from playwright.sync_api import Page

from tests.environment.waiting import until
from tests.integration.compose import Composition

PASSWORD = "correct horse"


@pytest.mark.integration
@pytest.mark.browser
def test_the_composed_product_reads_in_its_worker_and_survives_its_death(
    repository: Path, tmp_path: Path, page: Page
) -> None:
    with Composition(
        repository / "docker-compose.yml", tmp_path, {"SMARTCIS_ADMIN_PASSWORD": PASSWORD}
    ) as composed:
        for name in ("mosquitto", "postgres", "spark-master", "spark-worker", "app"):
            composed.start(name, within=60)
        url = f"http://127.0.0.1:{composed.port('app', 8000)}"
        until(lambda: tick_of(url) > 0, 120, "ticks to flow")
        until(lambda: reads_in_python(composed), 30, "the worker's executor to read a tick")
        see_people(page, url)
        composed.kill("spark-worker")
        composed.start("spark-worker")
        before = tick_of(url)
        until(lambda: tick_of(url) > before + 3, 120, "ticks to flow again on the new worker")
        assert reads_in_python(composed)


def tick_of(url: str) -> int:
    """The last closed tick, or 0 while none flows."""
    try:
        with build_opener(ProxyHandler({})).open(f"{url}/healthz", timeout=240) as answer:
            return int(json.load(answer)["tick"])
    except OSError:
        return 0


def reads_in_python(composed: Composition) -> bool:
    """Tell whether an executor of the worker has a Python process: it is the one that reads the log."""
    worker = psutil.Process(composed.processes["spark-worker"].pid)
    return any("pyspark" in words_of(child) for child in worker.children(recursive=True))


def words_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it ended meanwhile
        return ""


def see_people(page: Page, url: str) -> None:
    """Sign in by password, as the compose file asks, and wait for somebody on the map."""
    page.goto(f"{url}/login")
    page.fill("#name", "admin")
    page.fill("#password", PASSWORD)
    page.get_by_role("button").click()
    page.wait_for_selector("[data-desk]")
    page.wait_for_selector(".person", state="attached")
