"""From features to elements: what each is, on which levels, and why one is left out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import cast

import shapely
from shapely import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from ingest.importing.elements import SHAFTS, Door, Elements, Line, Slab, Space, SpaceKind, Wall, Way
from ingest.importing.frame import Frame
from ingest.importing.levels import Level, LevelError, levels_of, written
from ingest.importing.reading import Feature, Tags, Unread
from ingest.importing.tags import Form, What, is_closed_line, used, what_is

LEAST_AREA = 0.05  # square metres
LETTERS = {"node": "n", "way": "w", "relation": "r"}
LONGEST = 80  # signs of a name
ONE_WAY = ("forward", "backward")


@dataclass
class Sorted:
    """What becomes of features; ``notes`` are about those that are used in spite of something."""

    skipped: list[Unread] = field(default_factory=list)
    notes: list[Unread] = field(default_factory=list)
    spaces: list[Space] = field(default_factory=list)
    doors: list[Door] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    walls: list[Wall] = field(default_factory=list)
    slabs: list[Slab] = field(default_factory=list)

    def elements(self) -> Elements:
        return Elements(
            tuple(named(self.spaces)),
            tuple(self.doors),
            tuple(self.lines),
            tuple(self.walls),
            tuple(self.slabs),
        )


def sort(features: Iterable[Feature], frame: Frame) -> Sorted:
    """Return what the features are."""
    found = Sorted()
    for feature in features:
        try:
            for shape, suffix in _parts(feature, found):
                _take(found, feature, frame.to_metres(shape), suffix)
        except (_LeftOutError, LevelError) as reason:
            found.skipped.append(Unread(feature.source, str(reason)))
    return found


class _LeftOutError(Exception):
    """Why a feature is left out."""


def _parts(feature: Feature, found: Sorted) -> Iterator[tuple[BaseGeometry, str]]:
    """Yield the shapes of a feature, sound ones, each with what tells it from the first."""
    shape = feature.shape
    if (
        isinstance(shape, LineString)
        and shape.is_closed
        and len(shape.coords) > 3
        and is_closed_line(feature.tags)
    ):
        shape = Polygon(shape)
    if not shape.is_valid:
        mended = shapely.make_valid(shape)
        areas = [part for part in shapely.get_parts(mended) if part.geom_type in ("Polygon", "MultiPolygon")]
        if not areas:
            message = f"broken geometry: {shapely.is_valid_reason(shape)[:80]}"
            raise _LeftOutError(message)
        found.notes.append(
            Unread(feature.source, f"its outline crosses itself and was mended: {len(areas)} parts")
        )
        shape = shapely.union_all(areas)
    if shape.is_empty:
        message = "broken geometry: it is empty"
        raise _LeftOutError(message)
    parts = [part for each in shapely.get_parts(shape) for part in shapely.get_parts(each)]
    for number, part in enumerate(parts, start=1):
        yield part, "" if number == 1 else f".{number}"


def _take(found: Sorted, feature: Feature, shape: BaseGeometry, suffix: str) -> None:
    form = _form(shape)
    what = what_is(feature.tags, form)
    if what is None:
        raise _LeftOutError(_unknown(feature.tags, form))
    if feature.tags.get("conveying") in ONE_WAY:
        message = (
            f"conveying={feature.tags['conveying']}: it goes one way, and ways here go both; take stairs"
        )
        raise _LeftOutError(message)
    if what in ("ramp", "elevator") and feature.tags.get("wheelchair") == "no":
        note = f"wheelchair=no: this {what} counts as stairs, and is in no way without steps"
        found.notes.append(Unread(feature.source, note))
        what = "stairs"
    levels, repeated = _levels(feature.tags, what)
    name, tags = slug(feature.source) + suffix, used(feature.tags)
    if what == "door":
        _take_doors(found, feature, name, levels + repeated, shape)
    elif what == "wall":
        for level in levels + repeated:
            found.walls.append(Wall(feature.source, level, shape, tags))
    elif what == "level":
        found.slabs.extend(Slab(feature.source, level, shape, tags) for level in levels + repeated)
    elif form == "area":
        _take_spaces(found, feature, what, name, (levels, repeated), shape)
    else:
        _take_line(found, feature, what, name, (levels, repeated), shape)


def _form(shape: BaseGeometry) -> Form:
    if isinstance(shape, Point):
        return "point"
    return "line" if isinstance(shape, LineString) else "area"


def _unknown(tags: Tags, form: Form) -> str:
    said = ", ".join(f"{key}={value}" for key, value in list(used(tags).items())[:4])
    return f"no tag that says what it is inside a building, for a {form}: {said or 'none that is used here'}"


def _levels(tags: Tags, what: What) -> tuple[tuple[Level, ...], tuple[Level, ...]]:
    """Return the levels a thing is on, and those on which it is repeated."""
    repeated = levels_of(tags["repeat_on"]) if tags.get("repeat_on") else ()
    levels = levels_of(tags["level"]) if tags.get("level") else ()
    if not levels and not repeated and what != "door":
        message = "no level: it has neither level=* nor repeat_on=*"
        raise _LeftOutError(message)
    return levels, tuple(level for level in repeated if level not in levels)


def _take_doors(
    found: Sorted, feature: Feature, name: str, levels: tuple[Level, ...], shape: BaseGeometry
) -> None:
    middle = shape.interpolate(0.5, normalized=True) if isinstance(shape, LineString) else shape.centroid
    for level in levels or (None,):
        ident = f"door-{name}" if level is None or len(levels) == 1 else f"door-{name}@{written(level)}"
        found.doors.append(Door(ident, feature.source, level, middle, used(feature.tags)))


Levels = tuple[tuple[Level, ...], tuple[Level, ...]]


def _take_spaces(
    found: Sorted, feature: Feature, what: What, name: str, levels: Levels, shape: BaseGeometry
) -> None:
    assert isinstance(shape, Polygon)
    if shape.area < LEAST_AREA:
        message = f"broken geometry: an area of {shape.area:.3f} m²"
        raise _LeftOutError(message)
    everywhere = (*levels[0], *levels[1])
    walled = feature.tags.get("indoor") == "room" or what == "elevator"
    well = name if what in SHAFTS else ""
    for level in everywhere:
        ident = name if len(everywhere) == 1 else f"{name}@{written(level)}"
        tags = used(feature.tags)
        kind = cast("SpaceKind", what)
        found.spaces.append(Space(ident, feature.source, kind, level, shape, tags, walled, well))
    if len(levels[0]) > 1 and what in ("room", "corridor"):
        spans = f"{written(levels[0][0])} to {written(levels[0][-1])}"
        note = f"it spans levels {spans}: drawn on each, and nobody walks from one to the other inside it"
        found.notes.append(Unread(feature.source, note))


def _take_line(
    found: Sorted, feature: Feature, what: What, name: str, levels: Levels, shape: BaseGeometry
) -> None:
    assert isinstance(shape, LineString | Point)
    everywhere = tuple(sorted({*levels[0], *levels[1]}))
    if what != "elevator" and len(everywhere) > 2:
        everywhere = (everywhere[0], everywhere[-1])
    if what == "stairs" and len(everywhere) == 1:
        found.notes.append(Unread(feature.source, "stairs on one level: they join what is at their two ends"))
    if what == "corridor" and len(everywhere) > 1:
        what = "ramp"
    goes_up = _goes_up(feature.tags)
    found.lines.append(
        Line(name, feature.source, cast("Way", what), everywhere, shape, goes_up, used(feature.tags))
    )


def _goes_up(tags: Tags) -> bool | None:
    said = tags.get("incline", "")
    if said == "down" or said.startswith("-"):
        return False
    return True if said == "up" or re.match(r"\d", said) else None


def slug(source: str) -> str:
    """Return a name that may stand in a topic, an address and a file."""
    kind, _, number = source.rpartition("/")
    short = LETTERS.get(kind.rpartition("/")[2], "") + number if number.isdigit() else source
    return re.sub(r"[^\w.~-]+", "-", short).lstrip(".")[:LONGEST] or "x"


def named(spaces: list[Space]) -> Iterator[Space]:
    """Call rooms by their numbers where these tell them apart; else with the level, else as the file."""
    numbers = [_number(space) for space in spaces]
    storeys = [None if n is None else f"{n}@{written(s.level)}" for n, s in zip(numbers, spaces, strict=True)]
    own = {space.id for space in spaces}
    counts: dict[str, int] = {}
    for name in (*numbers, *storeys):
        if name is not None:
            counts[name] = counts.get(name, 0) + 1
    for space, number, storey in zip(spaces, numbers, storeys, strict=True):
        fit = (
            name for name in (number, storey) if name is not None and counts[name] == 1 and name not in own
        )
        yield replace(space, id=next(fit, space.id))


def _number(space: Space) -> str | None:
    """Return the number of a room, with what tells the parts of one feature apart."""
    if space.kind != "room" or not space.tags.get("ref"):
        return None
    return slug(space.tags["ref"]) + space.id.removeprefix(slug(space.source)).partition("@")[0]
