"""When messages are left out: from how much on, until when, and for whom not."""

import json
from pathlib import Path

from app.losses import Loss, again, losses, under_pressure
from app.progress import Progress as Telling
from engine.model.clock import SECOND
from ingest.acquisition import HEALTH_FILE
from ingest.pressure import AWAY, BEHIND, FILE, LOOK_PERIOD, QUEUED, Pressure, Progress


class Load:
    """How far views are behind, and what waits to be logged."""

    behind = queued = 0

    def pressure(self) -> Pressure:
        return Pressure(lambda: self.behind, lambda: self.queued)


def test_the_level_rises_at_once_and_falls_when_most_is_caught_up() -> None:
    load = Load()
    pressure = load.pressure()
    levels = []
    for load.behind in (0, BEHIND[1] - 1, BEHIND[1], BEHIND[1] // 2, BEHIND[2], BEHIND[1], 1_000, 0):
        levels.append(pressure.look())
    assert levels == [0, 0, 1, 1, 2, 2, 0, 0]


def test_what_waits_to_be_logged_counts_as_what_views_are_behind() -> None:
    load = Load()
    pressure = load.pressure()
    levels = []
    for load.queued in (QUEUED[1], QUEUED[2], QUEUED[1], 0):
        levels.append(pressure.look())
    assert levels == [1, 2, 2, 0]


def test_where_nobody_computes_views_nothing_is_left_out_for_them(tmp_path: Path) -> None:
    now = [0.0]
    (tmp_path / FILE).write_text('{"offset": 5}')
    progress = Progress(tmp_path / FILE, lambda: now[0])
    assert progress.behind(100_000) == 0, "what an engine of an earlier life said"
    telling = Telling(tmp_path)
    telling.tell(10, SECOND)
    now[0] += 2 * LOOK_PERIOD
    assert progress.behind(100_000) == 99_990
    telling.tell(20, SECOND + 1)
    now[0] += 2 * LOOK_PERIOD
    assert progress.behind(100_000) == 99_990, "it tells ten times a second"
    now[0] += AWAY
    assert progress.behind(100_000) == 0, "it has said nothing new for long"
    telling.tell(30, 2 * SECOND)
    now[0] += 2 * LOOK_PERIOD
    assert progress.behind(100_000) == 99_970


def test_a_file_that_is_not_there_or_is_torn_says_nothing(tmp_path: Path) -> None:
    now = [0.0]
    progress = Progress(tmp_path / FILE, lambda: now[0])
    for text in ('{"offs', "[]", "{}"):
        (tmp_path / FILE).write_text(text)
        now[0] += 2 * LOOK_PERIOD
        assert progress.behind(100_000) == 0


def test_people_are_told_what_is_left_out(tmp_path: Path) -> None:
    assert losses(tmp_path) == []
    assert under_pressure(tmp_path) == ""
    source = {"losses": {"energy": {"shed": 12, "gap": 0}}, "pressure": 1, "duplicates": 3, "repeated": 2}
    (tmp_path / HEALTH_FILE).write_text(json.dumps({"sources": {"mqtt": source, "db:facts": {}}}))
    assert losses(tmp_path) == [Loss("energy", "shed", 12)]
    assert again(tmp_path) == {"mqtt": 5, "db:facts": 0}
    assert under_pressure(tmp_path) == (
        "more comes than can be kept up with: messages of low priority are left out, and counted"
    )
