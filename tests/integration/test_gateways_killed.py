"""A gateway is killed while a query runs: the query says who is missing, and is right again by itself."""

import signal
from collections.abc import Iterator

import psutil
import pytest

from tests.environment.product import Demo, demo
from tests.environment.waiting import until

pytestmark = [pytest.mark.integration, pytest.mark.slow]

BATTERIES = "SELECT room, battery FROM radiators"
VIEW = f"CREATE VIEW batteries AS {BATTERIES}"


@pytest.fixture
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("gateways") / "state") as product:
        until(lambda: len(rows(product)) > 100, 60, "all radiators to be heard")
        yield product


def asked(product: Demo) -> dict[str, object]:
    """Ask once; who asks waits for the gateways that are up."""
    return dict(product.get("/api/statements", {"sql": BATTERIES})["outcomes"][0])


def rows(product: Demo) -> list[tuple[object, ...]]:
    found = asked(product)["rows"]
    assert isinstance(found, list)
    return sorted(tuple(row) for row in found)


def told(product: Demo) -> tuple[int, list[str]]:
    """How many rows the view has, and which sites it is without."""
    (view,) = [each for each in product.get("/api/views") if each["name"] == "batteries"]
    return view["rows"], view["missing"]


def gateway(product: Demo, name: str) -> psutil.Process:
    return next(
        process
        for process in product.processes()
        if "ingest.gateway" in process.cmdline() and name in process.cmdline()
    )


def test_a_view_names_the_gateway_that_was_killed_and_is_right_again_without_a_restart(running: Demo) -> None:
    before = rows(running)
    running.get("/api/statements", {"sql": VIEW})
    until(lambda: told(running) == (len(before), []), 20, "the view to be whole")
    for name in ("floor-2", "floor-1"):
        gateway(running, name).send_signal(signal.SIGKILL)
        until(lambda name=name: told(running)[1] == [name], 10, f"the view to miss {name}")
        assert told(running)[0] == len(before), "what it said last stands"
        until(lambda: told(running) == (len(before), []), 60, "the view to be whole again")
        assert sorted(tuple(row) for row in running.rows("batteries")) == before
    found = asked(running)
    assert "missing" not in found
    assert rows(running) == before
    running.stop()
    with demo(running.state) as again:
        until(
            lambda: told(again) == (len(before), []), 60, "the view to be whole after a restart of everything"
        )
        assert sorted(tuple(row) for row in again.rows("batteries")) == before
