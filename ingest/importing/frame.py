"""Where things are, in metres: x to the right, y up.

    x = (longitude - longitude₀) · cos(latitude₀) · r_prime      y = (latitude - latitude₀) · r_meridian

That is the equirectangular projection with the two radii of the ellipsoid at the middle: over a building of
a kilometre it errs by millimetres. A file that is in metres already stays as it is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from engine.model.errors import SourceError

Unit = Literal["auto", "degrees", "metres"]
WIDEST = 5_000.0  # metres
WIDEST_DEGREES = 0.1
AXIS, FLATNESS = 6_378_137.0, 0.006694379990141  # WGS 84: semi-major axis, first eccentricity squared
PLACES = 3  # millimetres


@dataclass(frozen=True)
class Frame:
    """``degrees`` is where the zero is, (longitude, latitude), if anywhere; ``size`` is in metres."""

    size: tuple[float, float]
    degrees: tuple[float, float] | None = None

    @property
    def scale(self) -> tuple[float, float]:
        """Metres in a degree."""
        if self.degrees is None:
            return (1.0, 1.0)
        latitude = math.radians(self.degrees[1])
        bent = 1 - FLATNESS * math.sin(latitude) ** 2
        across = math.radians(AXIS / math.sqrt(bent) * math.cos(latitude))
        return (across, math.radians(AXIS * (1 - FLATNESS) / bent**1.5))

    def to_metres(self, shape: BaseGeometry) -> BaseGeometry:
        """Return a shape of the file in the building's frame."""
        zero = self.degrees or (0.0, 0.0)
        return shapely.transform(shape, lambda places: np.round((places - zero) * self.scale, PLACES))

    def to_file(self, shape: BaseGeometry) -> BaseGeometry:
        """Return a shape of the building as the file has it."""
        zero = self.degrees or (0.0, 0.0)
        digits = PLACES if self.degrees is None else 9
        return shapely.transform(shape, lambda places: np.round(places / self.scale + zero, digits))

    def as_document(self) -> dict[str, Any]:
        """Return the frame as building.json has it."""
        found: dict[str, Any] = {"unit": "metre", "x": "right", "y": "up"}
        found |= {"width": round(self.size[0], 2), "height": round(self.size[1], 2)}
        if self.degrees is not None:
            found["origin"] = {"longitude": self.degrees[0], "latitude": self.degrees[1]}
        return found


def frame_of(shapes: Sequence[BaseGeometry], unit: Unit = "auto") -> Frame:
    """Return the frame of a building's shapes, or raise that they are of no building."""
    left, low, right, high = (float(edge) for edge in shapely.total_bounds(list(shapes)))
    wide, tall = right - left, high - low
    if unit == "metres" or (unit == "auto" and max(wide, tall) > WIDEST_DEGREES):
        _check(max(wide, tall), WIDEST, "metres")
        return Frame((right, high))
    _check(max(wide, tall), WIDEST_DEGREES, "degrees")
    if not (max(abs(left), abs(right)) <= 180 and max(abs(low), abs(high)) <= 89):
        message = (
            f"places from ({left:g}, {low:g}) to ({right:g}, {high:g}) are no degrees; try --frame metres"
        )
        raise SourceError(message)
    frame = Frame((0.0, 0.0), (round(left, 9), round(low, 9)))
    across, up = frame.scale
    return Frame((wide * across, tall * up), frame.degrees)


def _check(span: float, widest: float, unit: str) -> None:
    if not span <= widest:
        message = (
            f"what is to be imported spans {span:,.6g} {unit}; at most {widest:,.6g} are a building: "
            "cut out one building, or say --frame degrees or metres"
        )
        raise SourceError(message)


def frame_from(document: dict[str, Any]) -> Frame:
    """Return the frame that a building.json says."""
    origin = document.get("origin")
    degrees = (float(origin["longitude"]), float(origin["latitude"])) if isinstance(origin, dict) else None
    return Frame((float(document.get("width", 0)), float(document.get("height", 0))), degrees)
