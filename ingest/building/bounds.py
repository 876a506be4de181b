"""What the operator of the building says of it: what energy costs, and when a sensor is taken for stuck.

A cushion that nobody leaves for longer than a long day, or one that is pressed for hours in the dark, has a
bag on it. Where lamps stay on for whoever comes by, that they do says nothing; who studies stays longer.
"""

from typing import Any

TARIFF: dict[str, Any] = {"currency": "EUR", "per_kwh": 0.31}
LIT_ALL_DAY = ("foyer", "cafe", "exhibition", "reception", "lounge", "library")
SELDOM_VISITED = ("archive", "plant", "server", "storage")
SENSORS: list[dict[str, Any]] = [
    {
        "view": "desk_states",
        "column": "pressed",
        "name": "seat cushion",
        "on_hours": 12,
        "off_hours": 336,
        "against": {"view": "lamp_states", "column": "lit", "hours": 3},
        "kinds": {"library": {"on_hours": 16}, "study": {"on_hours": 16}, "mail": {"off_hours": 720}},
    },
    {
        "view": "lamp_states",
        "column": "lit",
        "name": "light sensor",
        "on_hours": 30,
        "off_hours": 336,
        "kinds": {
            **{kind: {"on_hours": None} for kind in LIT_ALL_DAY},
            **{kind: {"on_hours": 24, "off_hours": None} for kind in SELDOM_VISITED},
        },
    },
]
