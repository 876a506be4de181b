"""The design of the building, put together; and the files made from it.

    layout ─rooms─→ storeys ─furniture, inventory─→ desks, machines ─routing─→ points, detectors
           ─contacts─→ doors with contacts ─plans─→ building.json, floor-1.geojson … floor-3.geojson

`python -m ingest.building.design` writes the files next to this module; they are committed.
"""

import json
from functools import cache
from pathlib import Path

from ingest.building import inventory, layout, plans
from ingest.building.contacts import fit_contacts
from ingest.building.elements import Building, Desk
from ingest.building.furniture import furnish
from ingest.building.rooms import Storey, storey_floor
from ingest.building.routing import lay_routes, place_detectors

NAME = "Ada Lovelace Building"
FOLDER = Path(__file__).parent


@cache
def the_building() -> Building:
    storeys = [Storey(floor) for floor in layout.FLOORS]
    net = lay_routes(storeys)
    rooms = tuple(room for storey in storeys for room in storey.rooms)
    desks = tuple(desk for storey in storeys for desk in _desks(storey))
    return Building(
        name=NAME,
        width=layout.WIDTH,
        height=layout.HEIGHT,
        floors=tuple(storey_floor(floor) for floor in layout.FLOORS),
        rooms=rooms,
        doors=tuple(door for storey in storeys for door in storey.doors),
        shafts=tuple(shaft for storey in storeys for shaft in storey.shafts),
        corridors=tuple(corridor for storey in storeys for corridor in storey.corridors),
        desks=desks,
        machines=tuple(inventory.stand_machines(desks, rooms)),
        equipment=tuple(inventory.equip(rooms)),
        detectors=tuple(detector for floor in layout.FLOORS for detector in place_detectors(floor)),
        points=tuple(net.points.values()),
        segments=tuple(net.segments),
        entrances=tuple(net.entrances),
        contacts=tuple(fit_contacts(storeys, net)),
        kiosk=net.points["kiosk-1"],
    )


def files(building: Building) -> dict[str, str]:
    """The committed files by name."""
    made = {"building.json": json.dumps(plans.summary(building), indent=2, ensure_ascii=False) + "\n"}
    for floor in building.floors:
        made[f"floor-{floor.number}.geojson"] = _one_feature_a_line(plans.plan(building, floor.number))
    return made


def _desks(storey: Storey) -> tuple[Desk, ...]:
    return tuple(desk for room in storey.rooms for desk in furnish(room, *storey.strips[room.id]))


def _one_feature_a_line(plan: plans.Feature) -> str:
    features = ",\n".join(json.dumps(feature, ensure_ascii=False) for feature in plan["features"])
    head = json.dumps({key: value for key, value in plan.items() if key != "features"})
    return f'{head[:-1]}, "features": [\n{features}\n]}}\n'


if __name__ == "__main__":
    for name, text in files(the_building()).items():
        (FOLDER / name).write_text(text, encoding="utf-8")
