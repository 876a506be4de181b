"""Which rooms no way leads to, and why: from every entrance, and without steps.

A room's *island* is what is connected with it. An island without an entrance is so for one of these reasons,
the first that holds: there is no entrance; the room is closed; it has no door; its doors are closed; what it
leads to is closed off; its level is joined with no other; it is joined with nothing that has an entrance.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.importing.cells import Cell
from ingest.importing.elements import Door, Space
from ingest.importing.laying import Laid
from ingest.importing.levels import written
from ingest.importing.meeting import Fitted
from ingest.importing.net import NetSegment
from ingest.importing.walking import door_point

NEAR = 2.5  # metres within which a door that is in no wall may have been meant for a room
MOST_NAMED = 4
STEPS = ("stairs",)


@dataclass(frozen=True)
class Unreached:
    """A room, and why no way leads there."""

    room: str
    name: str
    level: str
    reason: str


class Islands:
    """What is connected by some of the segments: each point's island."""

    def __init__(self, points: Iterable[str], segments: Iterable[NetSegment]) -> None:
        self._root = {point: point for point in points}
        for segment in segments:
            self._root[self.of(segment.a)] = self.of(segment.b)

    def of(self, point: str) -> str:
        root = self._root
        while root[point] != point:
            root[point] = point = root[root[point]]
        return point


class Reach:
    """Answers which rooms are reached, over all segments or over those without steps."""

    def __init__(self, laid: Laid, step_free: bool) -> None:
        self._laid, self._step_free = laid, step_free
        taken = [s for s in laid.net.segments.values() if not (step_free and s.way in STEPS)]
        self._islands = Islands(laid.net.points, taken)
        self.entrances = [e for e in laid.entrances if not step_free or has_no_steps(e.door)]
        self._reached = {self._islands.of(door_point(e.door.id)) for e in self.entrances}
        self._doors: dict[str, list[Fitted]] = {}
        for fitted in laid.fitted:
            for cell, _ in fitted.sides:
                self._doors.setdefault(cell.space.id, []).append(fitted)
        self._borders: dict[str, list[Cell]] = {}
        for crossing in laid.borders:
            one, other = crossing.sides
            self._borders.setdefault(one.space.id, []).append(other)
            self._borders.setdefault(other.space.id, []).append(one)
        self._spaces: dict[str, list[Space]] = {}
        for point in laid.net.points.values():
            if point.space is not None:
                self._spaces.setdefault(self._islands.of(point.id), []).append(point.space)

    def is_reached(self, space: Space) -> bool:
        return self._islands.of(f"r{space.id}") in self._reached

    def unreached(self) -> Iterator[Unreached]:
        """Yield the rooms that are not reached, from below."""
        for space in rooms_of(self._laid):
            if not self.is_reached(space):
                yield Unreached(space.id, space.name, written(space.level), self._why(space))

    def _why(self, space: Space) -> str:
        if not self.entrances:
            wanted = "entrance without steps" if self._step_free else "entrance"
            return f"the building has no {wanted}: none with entrance=* is in an outer wall{self._unused()}"
        if space.is_private:
            return f"closed to visitors: access={space.tags['access']}"
        if self._step_free:
            return self._cut_off(space)
        doors, borders = self._doors.get(space.id, []), self._borders.get(space.id, [])
        if not doors and not borders and self._is_alone(space):
            return self._no_door(space)
        if doors and not borders and all(each.door.is_private for each in doors):
            shut = _named(f"{each.door.source} (access={each.door.tags['access']})" for each in doors)
            return f"all its doors are closed to visitors: {shut}"
        beyond = {cell.space.id for each in doors for cell, _ in each.sides} | {
            cell.space.id for cell in borders
        }
        if beyond == {space.id} and self._is_alone(space):
            return f"its doors lead to nothing that is in the file: {_named(e.door.source for e in doors)}"
        return self._cut_off(space)

    def _is_alone(self, space: Space) -> bool:
        """Tell whether nothing but the room itself is on its island, no line outside either."""
        island = self._islands.of(f"r{space.id}")
        points = self._laid.net.points.values()
        return all(
            point.space is not None and point.space.id == space.id
            for point in points
            if self._islands.of(point.id) == island and point.kind != "door"
        )

    def _unused(self) -> str:
        found = [
            each.door.source for each in self._laid.fitted if each.door.is_entrance and not each.leads_out
        ]
        return f"; inside walls stand {_named(found)}" if found and not self._step_free else ""

    def _no_door(self, space: Space) -> str:
        meant = [
            f"{door.source} is {reason}"
            for door, reason in self._laid.loose
            if (door.level in (None, space.level)) and space.shape.distance(door.place) <= NEAR
        ]
        return "it has no door" + (f" in its walls; near it {_named(meant)}" if meant else "")

    def _cut_off(self, space: Space) -> str:
        """Say why a whole island has no entrance on it."""
        island = self._islands.of(f"r{space.id}")
        spaces = {each.id: each for each in (*self._spaces.get(island, ()), space)}
        closed = sorted({f.door.source for f in self._closed_doors(spaces)})
        if closed:
            return f"the only way leads through what is closed to visitors: {_named(closed)}"
        levels = {each.level for each in spaces.values()}
        joined = self._levels_joined()
        if len(levels) == 1 and not levels & joined and not levels & {e.door.level for e in self.entrances}:
            kinds = "ramp or elevator" if self._step_free else "stairs, elevator or ramp"
            level = written(space.level)
            return f"its level {level} is not connected: no {kinds} leads there from another level"
        steps = "without steps " if self._step_free else ""
        others = [each.name for name, each in sorted(spaces.items()) if name != space.id]
        with_others = f"it is joined only with {_named(others)}, and " if others else ""
        return f"{with_others}no way leads there {steps}from an entrance"

    def _closed_doors(self, spaces: dict[str, Space]) -> Iterator[Fitted]:
        """Yield the closed doors, and doors of closed rooms, between an island and what is reached."""
        for name in spaces:
            for fitted in self._doors.get(name, []):
                others = [cell.space for cell, _ in fitted.sides if cell.space.id not in spaces]
                if fitted.door.is_private or any(other.is_private for other in others):
                    yield fitted

    def _levels_joined(self) -> set[object]:
        points = self._laid.net.points
        return {
            points[end].level
            for s in self._laid.net.segments.values()
            if points[s.a].level != points[s.b].level and not (self._step_free and s.way in STEPS)
            for end in (s.a, s.b)
        }


def rooms_of(laid: Laid) -> list[Space]:
    """Return the rooms that can be stood in, in the order of levels and names."""
    found = [
        cell.space
        for storey in laid.storeys.values()
        for cell in storey.cells
        if cell.space.kind == "room" and cell.id == cell.space.id
    ]
    return sorted(found, key=lambda space: (space.level, space.id))


def has_no_steps(door: Door) -> bool:
    """Tell whether an entrance is without steps; one that does not say is taken for that."""
    return door.tags.get("wheelchair") != "no" and door.tags.get("stairs", "no") == "no"


def _named(found: Iterable[str]) -> str:
    each = list(dict.fromkeys(found))
    more = f" and {len(each) - MOST_NAMED} more" if len(each) > MOST_NAMED else ""
    return ", ".join(each[:MOST_NAMED]) + more
