"""Calendars of awkward kinds, each as its golden file says, which names the class of bug and who met it.

NAME.ics         as it came
NAME.expected    class, threads, zone, from, to; then what is in that time, in UTC, and what could not be read

SMARTCIS_GOLDEN=write records anew, for the diff to be read.
"""

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from engine.model.clock import ManualClock
from engine.model.errors import SourceError
from ingest.calendars.occurrences import EPOCH, MICROSECOND, Occurrence, occurrences
from ingest.sources import CalendarSource
from ingest.wrappers.calendar import CalendarWrapper

FOLDER = Path(__file__).parent / "golden" / "calendars"
FILES = sorted(FOLDER.glob("*.ics"))
THREAD = re.compile(r"[\w.-]+/[\w.-]+#\d+|RFC \d+ [\d.]+")


def moment(text: str) -> int:
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - EPOCH) // MICROSECOND


def shown(one: Occurrence) -> str:
    starts, ends = (EPOCH + at * MICROSECOND for at in (one.starts, one.ends))
    said = [f"{starts:%Y-%m-%d %H:%M:%S}", f"{ends:%Y-%m-%d %H:%M:%S}", one.uid, one.title or "-"]
    return " | ".join((*said, ", ".join(one.places) or "-", *(["tentative"] if one.is_tentative else [])))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_a_calendar_is_resolved_as_its_golden_file_says(file: Path) -> None:
    expected = file.with_suffix(".expected")
    head, _, recorded = expected.read_text("utf-8").partition("---\n")
    said = dict(line.split(": ", 1) for line in head.splitlines())
    try:
        found = occurrences(
            file.read_bytes(), moment(said["from"]), moment(said["to"]), ZoneInfo(said["zone"])
        )
        lines = [*map(shown, found.occurrences), *(f"problem: {one}" for one in found.problems)]
    except ValueError as error:
        lines = [f"no calendar: {' '.join(str(error).split())}"]
    answer = "".join(f"{line}\n" for line in lines)
    if os.environ.get("SMARTCIS_GOLDEN") == "write":
        expected.write_text(f"{head}---\n{answer}", "utf-8")
    else:
        assert answer == recorded


def test_every_awkward_kind_has_a_name_and_a_place_where_people_met_it() -> None:
    heads = [file.with_suffix(".expected").read_text("utf-8").partition("---\n")[0] for file in FILES]
    classes = [re.search(r"^class: (.+)$", head, re.MULTILINE) for head in heads]
    assert len(FILES) >= 40
    assert len({found[1] for found in classes if found}) == len(FILES)
    assert all(THREAD.search(head) for head in heads)


def test_a_calendar_of_many_old_series_is_worked_out_whole() -> None:
    series = "".join(
        f"BEGIN:VEVENT\r\nUID:{n}\r\nDTSTART:20100101T{n % 24:02d}0000Z\r\nDURATION:PT1H\r\n"
        "RRULE:FREQ=DAILY\r\nEND:VEVENT\r\n"
        for n in range(20)
    )
    content = f"BEGIN:VCALENDAR\r\n{series}END:VCALENDAR\r\n".encode()
    found = occurrences(content, moment("2024-07-01 00:30"), moment("2024-07-02 00:15"), ZoneInfo("UTC"))
    assert (len(found.occurrences), found.problems) == (21, ())


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_calendar_is_read_or_refused_in_one_line(tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    cheap = [file for file in FILES if "without-end" not in file.name]
    file, clock = tmp_path / "c.ics", ManualClock(moment("2024-07-01 10:30"))
    refused: list[str] = []
    for _ in range(60):
        content = bytearray(draw.choice(cheap).read_bytes())
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(content))
            other = draw.choice(cheap).read_bytes()
            begin = draw.randrange(len(other))
            content[at : at + draw.randrange(40)] = other[begin : begin + draw.randrange(40)]
        file.write_bytes(content)
        try:
            CalendarWrapper(CalendarSource("c", file, "reserved"), clock).poll()
        except SourceError as error:
            refused.append(error.message)
    assert 0 < len(refused) < 60
    assert not any("\n" in message for message in refused)
