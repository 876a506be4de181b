"""What the app starts around the engine is told what it needs to agree with it."""

import os
from pathlib import Path

import pytest

from app.devices import start_gateways
from app.settings import read_settings
from app.supervisor import Supervisor
from engine.model.clock import SECOND, SpedClock, SystemClock
from ingest.gateway import building_clock
from tests.gateway_parts import house


class Listed(Supervisor):
    """Lists what it is to start."""

    def __init__(self, logs: Path) -> None:
        super().__init__(logs)
        self.started: list[tuple[str, ...]] = []

    def start(self, name: str, module: str, *arguments: str, **_: object) -> None:
        self.started.append(arguments)


@pytest.mark.parametrize("speed", [0.5, 1.0, 60.0])
def test_gateways_whenever_they_start_have_the_time_of_the_log(tmp_path: Path, speed: float) -> None:
    settings = read_settings({**os.environ, "SMARTCIS_STATE": str(tmp_path), "SMARTCIS_SPEED": str(speed)})
    ahead = 3_600 * SECOND if speed != 1 else 0
    log_time = SpedClock(speed, SystemClock().now() + ahead)
    supervisor = Listed(tmp_path / "logs")
    start_gateways(settings, supervisor, house({"a": ["base"]}), "mqtt://127.0.0.1:1", log_time)
    (arguments,) = supervisor.started
    told = dict(zip(arguments[::2], arguments[1::2], strict=True))
    later = building_clock(float(told["--speed"]), int(told["--epoch"]))
    assert abs(later.now() - log_time.now()) < SECOND * max(speed, 1) / 2
