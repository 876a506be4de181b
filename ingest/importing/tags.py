"""What a feature is, by its tags and the form of its geometry: a rule a line, the first that holds counts."""

from collections.abc import Callable
from typing import Literal

from ingest.importing.reading import Tags

Form = Literal["point", "line", "area"]
What = Literal["room", "corridor", "stairs", "elevator", "ramp", "door", "wall", "level"]
Test = Callable[[Tags], bool]
INDOOR = ("room", "area", "corridor")
FOOT = ("corridor", "footway", "path", "pedestrian")
NAMING = ("name", "ref", "room", "amenity", "shop", "office")
USED = (
    "indoor", "level", "repeat_on", "door", "entrance", "stairs", "highway", "elevator", "ramp", "conveying",
    "incline", "wheelchair", "access", "ref", "name", "room", "area", "barrier", "width", "level:ref",
    "building:levels", "amenity", "shop", "office", "automatic_door",
)  # fmt: skip


def _says(key: str, *values: str) -> Test:
    return lambda tags: tags.get(key) in values if values else tags.get(key, "no") != "no"


def _is_elevator(tags: Tags) -> bool:
    return (
        "elevator" in (tags.get("highway"), tags.get("room"), tags.get("indoor"))
        or tags.get("elevator") == "yes"
    )


def _is_stairs(tags: Tags) -> bool:
    told = tags.get("highway") == "steps" or tags.get("room") in ("stairs", "staircase")
    return told or tags.get("stairs", "no") != "no"


def _is_place(tags: Tags) -> bool:
    """Tell whether an area is somewhere to go to, rather than on the way."""
    return tags.get("indoor") == "area" and any(key in tags for key in NAMING)


_DOOR = (_says("indoor", "door"), _says("door"), _says("entrance"))
RULES: dict[Form, tuple[tuple[What, Test], ...]] = {
    "point": (
        ("elevator", _is_elevator),
        *(("door", each) for each in _DOOR),
    ),
    "line": (
        ("wall", _says("indoor", "wall")),
        ("wall", _says("barrier", "wall")),
        ("elevator", _is_elevator),
        ("stairs", _is_stairs),
        ("ramp", _says("ramp", "yes", "separate")),
        *(("door", each) for each in _DOOR),
        ("corridor", _says("highway", *FOOT)),
        ("corridor", _says("indoor", "corridor")),
    ),
    "area": (
        ("level", _says("indoor", "level")),
        ("wall", _says("indoor", "wall")),
        ("door", _says("indoor", "door")),
        ("elevator", _is_elevator),
        ("stairs", _is_stairs),
        ("ramp", _says("ramp", "yes")),
        ("room", _says("indoor", "room")),
        ("room", _is_place),
        ("corridor", _says("indoor", "area", "corridor")),
        ("corridor", _says("highway", *FOOT)),
    ),
}


def what_is(tags: Tags, form: Form) -> What | None:
    """Return what a feature is; nothing where it is nothing of a building's inside."""
    return next((what for what, holds in RULES[form] if holds(tags)), None)


def is_closed_line(tags: Tags) -> bool:
    """Tell whether a closed line with these tags is an area."""
    return tags.get("indoor") in (*INDOOR, "level") or tags.get("area") == "yes"


def used(tags: Tags) -> dict[str, str]:
    """Return the tags that are read here."""
    return {key: value for key, value in tags.items() if key in USED}
