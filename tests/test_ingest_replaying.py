"""Recordings: what the log got is written as it comes, and replayed at any speed it is what it was."""

import json
import math
import threading
from collections import Counter
from pathlib import Path

import pytest

from engine.lang.streamsql import parse_script
from engine.model.catalog import Catalog
from engine.model.clock import SECOND, ManualClock
from engine.model.errors import SourceError
from engine.plan.expressions import compiled
from engine.session import Session
from federated.optimizer import FederatedOptimizer
from ingest.building.facts import prepare
from ingest.log import CLOCK_ENTRY, Entry, Log, Record, StateChange
from ingest.log.writer import LogWriter
from ingest.reader import LogReader
from ingest.recordings import pacing
from ingest.recordings.file import read_recording, write_recording
from ingest.recordings.pacing import due_together, is_replayed
from ingest.recordings.recorder import record
from ingest.recordings.replaying import LogTime, replay, stand_still
from ingest.sources import parse_sources
from ingest.sources.recordings import speed_of
from ingest.wrapper import SourceState
from ingest.wrappers.replay import ReplayWrapper
from tests.environment.recompute import recompute
from tests.environment.waiting import until
from tests.recording_parts import START, log_at, made, of_section, writing

__all__ = ["writing"]

SOURCES = """
mqtt:
  seats:
    topic: seat/{desk}
    columns: {desk: text, pressed: boolean}
    key: [desk]
    window: PARTITION BY desk ROWS 1
  heard: {topic: "heard/{who}", columns: {who: text, rssi: double}, window: RANGE 3 SECONDS}
calendars:
  c: {file: c.ics, relation: reserved}
"""
VIEWS = """
CREATE VIEW taken AS SELECT s.desk FROM seats s WHERE s.pressed;
CREATE VIEW loud AS
SELECT h.who, count(*) AS n, max(h.rssi) AS most FROM heard [RANGE 3 SECONDS] h GROUP BY h.who;
CREATE VIEW free AS
SELECT count(*) AS n FROM seats s WHERE NOT s.pressed AND s.desk NOT IN (SELECT r.room FROM reserved r)
"""


def contents(log: Log) -> list[Record]:
    return log.read(0, 100_000, 1 << 30)


class Hurried:
    """A clock whose waits are over at once, and that remembers how long they were."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = 0.0
        monkeypatch.setattr(pacing.time, "monotonic", lambda: self.at)

    def wait(self, seconds: float) -> bool:
        self.at += seconds
        return False


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Hurried:
    return Hurried(monkeypatch)


def views_at(url: str, ends: list[int]) -> list[dict[str, Counter[object]]]:
    """The views of a log at some offsets, each the end of a tick."""
    sources = parse_sources(SOURCES, {})
    session = Session(Catalog(sources.relations()), FederatedOptimizer())
    for statement in parse_script(VIEWS):
        session.replace(statement)
    reader = LogReader(url, sources, max_rows=100_000)
    batch = reader.read(0)
    found, start = [], 0
    stamps = {r.offset: r.received for r in Log(url).read(0, 100_000)}
    for end in ends:
        taken = {}
        for fragment in session.fragments():
            takes = compiled(fragment.predicate) if fragment.predicate is not None else lambda _: True
            taken[fragment] = [
                r
                for r in batch.readings
                if start < r.offset <= end and r.relation == fragment.relation and takes(r.row) is True
            ]
        session.advance(end, stamps[end], taken)
        start = end
        found.append({view.name: Counter(dict(session.snapshot(view.name).rows)) for view in session.views()})
    return found


def test_at_any_speed_the_log_is_the_one_that_was_recorded(tmp_path: Path, hurried: Hurried) -> None:
    file = made(tmp_path)
    recorded = [(each.received, *each[2:]) for each in read_recording(file)]
    lasted = {}
    for speed in (1.0, 60.0, math.inf):
        begun, log = hurried.at, log_at(tmp_path, f"at-{speed}")
        assert replay(log, file, speed, hurried.wait) == len(recorded)
        assert [(each.received, *each[2:]) for each in contents(log)] == recorded
        lasted[speed] = hurried.at - begun
        assert LogTime(log).now() == recorded[-1][0]
    whole = (recorded[-1][0] - recorded[0][0]) / SECOND
    assert lasted[1.0] == pytest.approx(whole, abs=0.1)
    assert lasted[60.0] == pytest.approx(whole / 60, abs=0.1)
    assert lasted[math.inf] == 0


@pytest.mark.parametrize("seed", range(3))
def test_views_are_equal_at_the_end_and_wherever_ticks_of_two_speeds_end_together(
    tmp_path: Path, hurried: Hurried, seed: int
) -> None:
    file, ends = made(tmp_path, seed), []
    for speed in (1.0, 60.0, math.inf):
        log, ticks = log_at(tmp_path, f"at-{speed}"), []
        replay(log, file, speed, hurried.wait, ticks.append)
        ends.append(ticks)
    often, seldom, once = ends
    assert len(often) > len(seldom) > len(once) == 1
    url = f"sqlite:///{tmp_path}/at-1.0.db"
    by_end = dict(zip(often, views_at(url, often), strict=True))
    for ticks, speed in ((seldom, 60.0), (once, math.inf)):
        shared = [end for end in ticks if end in by_end]
        assert often[-1] in shared
        found = dict(zip(ticks, views_at(f"sqlite:///{tmp_path}/at-{speed}.db", ticks), strict=True))
        assert [found[end] for end in shared] == [by_end[end] for end in shared]
    assert any(by_end[often[-1]].values())


def test_a_replay_that_is_killed_goes_on_where_it_was(tmp_path: Path, hurried: Hurried) -> None:
    file, log = made(tmp_path), log_at(tmp_path, "log")
    left = iter(range(7))
    while next(left, None) is not None:
        replay(log, file, 1.0, lambda seconds: hurried.at > 100 or hurried.wait(seconds) or True)
    assert 0 < log.last().offset < 300
    replay(log, file, math.inf, hurried.wait)
    assert [each[1:] for each in contents(log)] == [each[1:] for each in read_recording(file)]


def test_what_is_made_anew_or_answers_nobody_is_not_replayed() -> None:
    def of(source: str, topic: str, payload: bytes = b"{}") -> bool:
        return is_replayed(Record(1, 1, source, topic, None, payload))

    assert of("mqtt", "seat/d1")
    assert not of("mqtt", "fragment/0123/floor-1")
    assert not of("mqtt", "", b"marked"), "what the log notes for itself"
    assert not of("self", "changes")
    assert of("declared", "mine", b'{"name": "mine", "drops": true}')
    assert not of("declared", "fragment:01", b'{"name": "fragment:01", "drops": true}')


def test_a_recording_begins_with_what_stands(tmp_path: Path) -> None:
    log = log_at(tmp_path, "log")
    rows = [(json.dumps(["reserved", [n]]), json.dumps({"event": str(n)})) for n in range(1_200)]
    state = [StateChange("calendar:c", item, body) for item, body in rows]
    declared = Entry("declared", "mine", b'{"name": "mine", "drops": true}')
    log.append([declared, Entry("mqtt", "before", b"1")], [*state, StateChange("calendar:c", "looked", "5")])
    is_first = iter((True,))

    def goes_on(_: float) -> bool:
        log.append([Entry("mqtt", "after", b"\xff"), CLOCK_ENTRY])
        return next(is_first, False)

    found = list(record(log, 0, (), goes_on))
    assert [(each.source, each.topic) for each in found] == [
        ("declared", "mine"),
        ("calendar:c", "changes"),
        ("calendar:c", "changes"),
        ("mqtt", "after"),
        ("clock", ""),
    ]
    stands = [change for each in found[1:3] for change in json.loads(each.payload)["changes"]]
    assert sorted(int(row["event"]) for sign, _, row in stands if sign == 1) == list(range(1_200))
    file = tmp_path / "r.jsonl.gz"
    write_recording(file, found)
    assert list(read_recording(file)) == found
    assert [each.topic for each in record(log, 0, {"mqtt"}, lambda _: False)] == ["mine"]


def test_a_recording_may_reach_back_and_to_the_beginning_nothing_stands_before_it(tmp_path: Path) -> None:
    clock = ManualClock(START)
    log = Log(f"sqlite:///{tmp_path}/log.db", clock)
    for second in range(10):
        clock.advance(SECOND)
        log.append([Entry("mqtt", str(second), b"1")], [StateChange("db:x", '["t", [1]]', "{}")])
    past = list(record(log, 3 * SECOND, {"mqtt"}, lambda _: False))
    assert [each.topic for each in past] == ["7", "8", "9"]
    whole = list(record(log, 3_600 * SECOND, (), lambda _: False))
    assert [each.topic for each in whole] == [str(second) for second in range(10)]


def test_a_recording_beside_live_sources_is_received_like_any_other(
    tmp_path: Path, writing: tuple[Log, LogWriter]
) -> None:
    file, (log, writer) = made(tmp_path), writing
    (tape,) = of_section({"file": str(file), "speed": "max", "of": ["mqtt"]}).recordings
    wanted = [(e.source, e.topic, e.payload) for e in read_recording(file) if e.source == "mqtt"]
    wrapper = ReplayWrapper(tape)
    wrapper.open(writer, log)
    until(lambda: wrapper.health().accepted == len(wanted), 10, "all entries to be replayed")
    wrapper.close()
    writer.close()
    found = [each for each in contents(log) if each.source == "mqtt"]
    assert [(each.source, each.topic, each.payload) for each in found] == wanted
    assert found[0].received > START
    again, second = LogWriter(log), ReplayWrapper(tape)
    again.start()
    second.open(again, log)
    second._thread.join(120)
    again.close()
    assert second.health().accepted == 0


def test_a_recording_may_begin_anew_and_one_that_is_not_there_is_said(
    tmp_path: Path, writing: tuple[Log, LogWriter]
) -> None:
    file, (log, writer) = made(tmp_path, entries=20), writing
    (tape,) = of_section({"file": str(file), "speed": "max", "loop": True}).recordings
    wrapper = ReplayWrapper(tape)
    wrapper.open(writer, log)
    until(lambda: wrapper.health().accepted > 100, 10, "the recording to begin anew")
    wrapper.close()
    missing = ReplayWrapper(of_section({"file": "/no/where"}).recordings[0])
    missing.open(writer, log)
    until(lambda: missing.health().state is SourceState.FAILING, 10, "the missing file to be said")
    assert missing.health().problem == "cannot open /no/where: No such file or directory"
    missing.close()


def test_entries_fall_due_together_where_nobody_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "MOST", 3)
    records = [Record(n, START, "mqtt", str(n), None, b"") for n in range(8)]
    sizes = [len(group) for group in due_together(iter(records), 1.0, threading.Event().wait)]
    assert sizes == [3, 3, 2]
    assert list(due_together(iter(()), 1.0, threading.Event().wait)) == []


@pytest.mark.parametrize("text", ["0", "-1", "fast", "nan", ""])
def test_a_wrong_speed_is_one_line(text: str) -> None:
    with pytest.raises(SourceError, match=r"expected a number above 0, such as 10, or max"):
        speed_of(text)
    with pytest.raises(SourceError, match=r"recording tape: speed is"):
        of_section({"file": "x", "speed": text})


DEMO = Path(__file__).parent / "recordings" / "demo.jsonl.gz"


def test_the_recording_of_the_demo_is_the_building_as_it_was(tmp_path: Path) -> None:
    """Its views are those of a building in which people sit, walk, and have rooms reserved."""
    log = log_at(tmp_path, "log")
    entries = replay(log, DEMO, math.inf, threading.Event().wait)
    assert log.last().offset == entries > 10_000
    facts = f"sqlite:///{tmp_path}/facts.db"
    prepare(facts)
    found = recompute(f"sqlite:///{tmp_path}/log.db", facts, tmp_path)
    busy = ("taken_desks", "people", "reserved_rooms", "doors_now", "machine_power", "free_word_machines")
    assert all(len(found[view]) > 2 for view in busy)
    assert not found["rejected"]


def test_at_its_end_ticks_go_on_and_time_stands(tmp_path: Path, hurried: Hurried) -> None:
    log = log_at(tmp_path, "log")
    end = replay(log, made(tmp_path), math.inf, hurried.wait)
    last, turns = log.last().received, iter((False, False, True))
    stand_still(log, lambda _: next(turns))
    assert log.last() == (end + 2, last)
