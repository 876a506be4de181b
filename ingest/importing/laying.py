"""From elements to the graph that people walk on; visitors get through no door that is closed to them.

A door, a room or a staircase with ``access=private``, ``no``, ``staff`` or ``employees`` is drawn, and no way
leads through it. Which doors lead where is kept for the report.
"""

from dataclasses import dataclass, field, replace

from ingest.importing.cells import Storey, storeys_of
from ingest.importing.climbing import Lines, join_shafts
from ingest.importing.elements import Door, Elements
from ingest.importing.levels import Level
from ingest.importing.meeting import Crossing, Fitted, crossings, fit_doors
from ingest.importing.net import Net
from ingest.importing.reading import Unread
from ingest.importing.walking import Walks, lay_walks


@dataclass
class Laid:
    """The graph, and what it was laid from."""

    storeys: dict[Level, Storey]
    fitted: list[Fitted]
    loose: list[tuple[Door, str]]
    borders: list[Crossing]
    net: Net = field(default_factory=Net)
    notes: list[Unread] = field(default_factory=list)

    @property
    def entrances(self) -> list[Fitted]:
        return [each for each in self.fitted if each.leads_out and not each.door.is_private]


def lay(elements: Elements) -> Laid:
    """Return the graph of a building."""
    storeys = storeys_of(elements)
    fitted, loose = fit_doors(elements.doors, storeys)
    fitted = _each_once(fitted)
    laid = Laid(storeys, fitted, loose, [])
    led_to = {cell.space.id for each in fitted for cell, _ in each.sides}
    for storey in storeys.values():
        laid.borders += crossings(storey, led_to, laid.notes)
    walks = Walks(laid.net)
    lay_walks(walks, storeys.values(), _open_doors(fitted), _open_borders(laid.borders))
    lines = Lines(laid.net, walks, storeys, fitted)
    lines.lay_all(elements.lines)
    walks.finish()
    join_shafts(laid.net, storeys)
    laid.notes += lines.notes
    return laid


def _each_once(fitted: list[Fitted]) -> list[Fitted]:
    """Keep of doors at one place of a level the first."""
    places: dict[tuple[object, float, float], Fitted] = {}
    for each in fitted:
        places.setdefault((each.door.level, round(each.door.place.x, 1), round(each.door.place.y, 1)), each)
    return list(places.values())


def _open_doors(fitted: list[Fitted]) -> list[Fitted]:
    """Return the doors a visitor may use, each with the sides that a visitor may enter."""
    found = []
    for each in fitted:
        sides = tuple((cell, across) for cell, across in each.sides if not cell.space.is_private)
        if not each.door.is_private and sides:
            found.append(replace(each, sides=sides))
    return found


def _open_borders(borders: list[Crossing]) -> list[Crossing]:
    return [each for each in borders if not any(cell.space.is_private for cell in each.sides)]
