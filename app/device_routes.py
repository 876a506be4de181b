"""The page of devices and its API: what is known, and what people say of it.

A room is one of the building's, a desk one of the room's; an empty text takes back what was said.
"""

from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from app.accounts.noting import note
from app.api import refused
from app.bodies import field
from app.building import BuildingNow
from app.device_views import KNOWN, VALUES
from app.device_words import FORGOTTEN, SAYINGS, SayOfDevice, Words
from app.facade import Engine
from app.present import row_presenter
from app.roles import DEVICES_ROLE, requires
from app.vendor import vendor_tags
from engine.model.errors import QueryError, SmartCISError, nearest

MAX_NAME = 200
Named = dict[str, Any]


def create_device_routes(engine: Engine, building: BuildingNow, say: SayOfDevice) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("devices", __name__)

    @routes.get("/devices")
    @requires(DEVICES_ROLE)
    def devices_page() -> str:
        return render_template("devices.html", building=building.name, vendor=vendor_tags())

    @routes.get("/api/devices")
    @requires(DEVICES_ROLE)
    def devices() -> Response:
        return jsonify({"devices": listed(engine)})

    @routes.post("/api/devices")
    @requires(DEVICES_ROLE)
    def said() -> Response:
        device = field("device")
        known = [found["device"] for found in rows_of(engine, KNOWN)]
        if device not in known:
            problem = f"unknown device {device}; `smartcis devices` lists them all{nearest(device, known)}"
            raise QueryError(problem)
        words = checked({**request.get_json()}, building)
        note("said of a device", f"{device}: {', '.join(f'{word} {value}' for word, value in words.items())}")
        say(device, words)
        return jsonify({"device": device, **words})

    routes.register_error_handler(SmartCISError, refused)
    return routes


def listed(engine: Engine) -> list[Named]:
    """Return every device with its entities and their last values, in the order of their names."""
    values: dict[str, list[Named]] = {}
    for found in rows_of(engine, VALUES):
        values.setdefault(found.pop("device"), []).append(found)
    known = sorted(rows_of(engine, KNOWN), key=lambda each: (each["name"] or each["device"], each["device"]))
    return [_with_values(each, values.get(each["device"], [])) for each in known]


def _with_values(device: Named, values: list[Named]) -> Named:
    """Return a device with what it said last, and when that was."""
    seen = max((each["at"] for each in values if each["at"] is not None), default=None)
    return {**device, "seen": seen, "values": sorted(values, key=_entity)}


def _entity(found: Named) -> str:
    return str(found["entity"])


def rows_of(engine: Engine, view: str) -> list[Named]:
    """Return the rows of a view by the names of its columns."""
    held = engine.snapshot(view)
    cells, names = row_presenter(held.columns), [column.name for column in held.columns]
    return [dict(zip(names, cells(row), strict=True)) for row, _ in held.rows]


def checked(body: Named, building: BuildingNow) -> Words:
    """Return what a body says of its device, or raise what is wrong with it."""
    del body["device"]
    if not body or not body.keys() <= {*SAYINGS, FORGOTTEN}:
        problem = (
            f"the body says nothing of a device; expected JSON with any of {', '.join(SAYINGS)}, {FORGOTTEN}"
        )
        raise QueryError(problem)
    if FORGOTTEN in body and (len(body) > 1 or body[FORGOTTEN] is not True):
        problem = f"{FORGOTTEN} is said alone, and true; found {', '.join(body)}"
        raise QueryError(problem)
    if body.get("disabled") is not None and type(body["disabled"]) is not bool:
        problem = f"disabled is {body['disabled']!r:.40}; expected true or false"
        raise QueryError(problem)
    words = {word: _text(word, value) if word in SAYINGS[:3] else value for word, value in body.items()}
    return _placed(words, building)


def _text(word: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        problem = f"{word} is no text; expected one, or null to take it back"
        raise QueryError(problem)
    text = " ".join((value or "").split())
    if not text.isprintable():
        problem = f"{word} has characters that cannot be seen; expected letters, digits and signs"
        raise QueryError(problem)
    if len(text) > MAX_NAME:
        problem = f"{word} has {len(text)} characters; at most {MAX_NAME} are kept"
        raise QueryError(problem)
    return text or None


def _placed(words: Named, building: BuildingNow) -> Words:
    """Check the place; a desk says which room, and another room leaves the desk behind."""
    room, desk = words.get("room"), words.get("desk")
    if desk is not None:
        if desk not in building.desks:
            problem = f"unknown desk {desk}{nearest(desk, list(building.desks))}"
            raise QueryError(problem)
        if room not in (None, building.desks[desk]):
            problem = f"desk {desk} stands in {building.desks[desk]}, not in {room}"
            raise QueryError(problem)
        return {**words, "room": building.desks[desk]}
    if room is not None and room not in building.rooms:
        problem = f"unknown room {room}{nearest(room, list(building.rooms))}"
        raise QueryError(problem)
    return {**words, "desk": None} if "room" in words else words
