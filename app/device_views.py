"""The views of devices that the page, the map and the API show, in every building.

known_devices    each device as it announced itself and as people say, with its state
device_values    each entity of a device with its last value
room_devices     the same of what stands in a room and is not disabled: what the map's card shows
"""

from app.wayfinding import binder
from engine.model.catalog import Catalog
from engine.session import Session

KNOWN, VALUES, IN_ROOMS = "known_devices", "device_values", "room_devices"

VIEWS = {
    KNOWN: """
SELECT d.device, d.name, d.maker, d.model, d.origin, d.via, d.room, d.desk, d.disabled, s.state, s.since
FROM devices d LEFT JOIN device_states s ON s.device = d.device""",
    VALUES: """
SELECT e.entity, e.device, e.name, e.quantity, coalesce(m.unit, e.unit) AS unit, e.expire_after,
       m.value, m.text, m.at
FROM entities e LEFT JOIN measurements [PARTITION BY entity ROWS 1] m ON m.entity = e.entity""",
    IN_ROOMS: """
SELECT e.entity, d.room, d.desk, d.device, d.name AS called, s.state, e.name, e.quantity,
       coalesce(m.unit, e.unit) AS unit, e.expire_after, m.value, m.text, m.at
FROM devices d JOIN entities e ON e.device = d.device
     LEFT JOIN device_states s ON s.device = d.device
     LEFT JOIN measurements [PARTITION BY entity ROWS 1] m ON m.entity = e.entity
WHERE d.room IS NOT NULL AND NOT d.disabled""",
}


def install_device_views(session: Session, catalog: Catalog) -> None:
    """Register the views; what they read is there in every building."""
    bind = binder(catalog, ())
    for name, sql in VIEWS.items():
        session.install(name, bind(sql))
