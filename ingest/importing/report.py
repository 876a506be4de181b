"""What an import read, what it left out and why, and what no way leads to; as JSON and as text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ingest.importing.laying import Laid
from ingest.importing.levels import written
from ingest.importing.reaching import Reach, Unreached, has_no_steps, rooms_of
from ingest.importing.reading import Unread
from ingest.importing.sorting import Sorted
from ingest.importing.walking import door_point

SHOWN = 30  # lines of a kind in the text; the JSON has all


@dataclass(frozen=True)
class WayIn:
    """An entrance that visitors come in by."""

    id: str
    name: str
    level: str
    step_free: bool


@dataclass(frozen=True)
class Report:
    """Everything that an importer wants to know."""

    name: str
    metres: tuple[float, float]
    levels: tuple[str, ...]
    counts: dict[str, int]
    entrances: tuple[WayIn, ...]
    skipped: tuple[Unread, ...]
    notes: tuple[Unread, ...]
    unreachable: tuple[Unreached, ...]
    not_step_free: tuple[Unreached, ...]

    def as_document(self) -> dict[str, Any]:
        return asdict(self)

    def as_text(self) -> str:
        """Return it for people, the most important last, where a terminal shows it."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        counted = ", ".join(f"{count} {what}" for what, count in self.counts.items() if count)
        yield f"{self.name}: {self.metres[0]:g} x {self.metres[1]:g} m, levels {', '.join(self.levels)}"
        yield f"read: {counted}"
        for way in self.entrances:
            yield f"entrance {way.name}, level {way.level}{'' if way.step_free else ', with steps'}"
        yield from _section("used in spite of", [f"{each.source}: {each.reason}" for each in self.notes])
        yield from _section("skipped", [f"{each.source}: {each.reason}" for each in self.skipped])
        yield from _section("without steps not reachable", [_room(each) for each in self.not_step_free])
        yield from _section("not reachable", [_room(each) for each in self.unreachable])
        rooms = self.counts["rooms"]
        yield f"{rooms - len(self.unreachable)} of {rooms} rooms can be reached, " + (
            f"{rooms - len(self.unreachable) - len(self.not_step_free)} of them without steps"
        )


def report_of(
    name: str, metres: tuple[float, float], sorted_: Sorted, read: Sequence[Unread], laid: Laid
) -> Report:
    """Return the report of an import."""
    lost = list(Reach(laid, step_free=False).unreached())
    gone = {each.room for each in lost}
    steps = [each for each in Reach(laid, step_free=True).unreached() if each.room not in gone]
    doors = [Unread(door.source, f"door {reason}") for door, reason in laid.loose]
    return Report(
        name,
        metres,
        tuple(written(level) for level in laid.storeys),
        _counts(laid),
        tuple(_ways_in(laid)),
        (*read, *sorted_.skipped, *doors),
        (*sorted_.notes, *laid.notes, *_remarks(laid)),
        tuple(lost),
        tuple(steps),
    )


def _counts(laid: Laid) -> dict[str, int]:
    kinds = Counter(
        cell.space.kind for s in laid.storeys.values() for cell in s.cells if cell.id == cell.space.id
    )
    return {
        "rooms": len(rooms_of(laid)),
        "corridors": kinds["corridor"],
        "storeys of stairs": kinds["stairs"],
        "storeys of elevators": kinds["elevator"],
        "ramps": kinds["ramp"],
        "doors": len(laid.fitted),
        "entrances": len(laid.entrances),
        "routing points": len(laid.net.points),
        "segments": len(laid.net.segments),
    }


def _ways_in(laid: Laid) -> Iterator[WayIn]:
    for each in laid.entrances:
        assert each.door.level is not None
        name = each.door.tags.get("name") or each.door.tags.get("ref") or door_point(each.door.id)
        yield WayIn(each.door.id, name, written(each.door.level), has_no_steps(each.door))


def _remarks(laid: Laid) -> Iterator[Unread]:
    for each in laid.fitted:
        if each.leads_out and "wheelchair" not in each.door.tags:
            yield Unread(
                each.door.source, "the entrance does not say wheelchair=*: taken for one without steps"
            )
        if each.door.is_entrance and not each.leads_out:
            yield Unread(each.door.source, "an entrance between two areas of the file: taken for a door")
        if not each.door.is_entrance and len(each.sides) == 1:
            leads = each.sides[0][0].space.name
            yield Unread(
                each.door.source, f"a door to {leads} only: nothing is at its other side, and no entrance=*"
            )


def _room(each: Unreached) -> str:
    called = each.room if each.name == each.room else f"{each.room} {each.name}"
    return f"{called}, level {each.level}: {each.reason}"


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}: {len(lines)}"
        yield from (f"  {line}" for line in lines[:SHOWN])
        if len(lines) > SHOWN:
            yield f"  and {len(lines) - SHOWN} more, in report.json"
