"""Snapshots in the background: one that cannot be taken is told for as long as that is so."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from app import snapshotter
from app.snapshotter import Snapshotter
from engine.model.catalog import Catalog
from engine.model.clock import SystemClock
from engine.model.errors import SourceError
from engine.views.checkpoint import Image
from ingest.log import Log
from ingest.snapshots import Snapshots
from tests.environment.waiting import until
from tests.memory_log import MemoryLog
from tests.spread_leaves import KEYED


def test_a_snapshot_that_cannot_be_taken_is_told_until_one_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshotter, "PERIOD_SECONDS", 0.02)
    url = f"sqlite:///{tmp_path}/log.db"
    Log(url).close()
    log = MemoryLog()
    session = log.session(Catalog([KEYED]))
    is_lost = threading.Event()

    def image() -> Image:
        if is_lost.is_set():
            message = "its rows are lost"
            raise SourceError(message)
        log.tick(session)
        return session.image()

    snapshots = Snapshots(url)
    taking = Snapshotter(SimpleNamespace(image=image), snapshots, SystemClock())  # type: ignore[arg-type]
    taking.start(lambda: None)
    until(lambda: snapshots.latest() is not None, 10, "a snapshot")
    is_lost.set()
    until(lambda: taking.problem == "its rows are lost", 10, "the problem to be told")
    is_lost.clear()
    until(lambda: not taking.problem, 10, "it to be taken back")
    taking.stop()
