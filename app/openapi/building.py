"""The building, what people put onto its plan, its doors, devices and displays."""

from app.importing.routes import FRAMES
from app.openapi.operation import Asked, Operation, Operations, answers
from app.openapi.shapes import (
    ANYTHING,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    WRITTEN_MOMENT,
    Schema,
    array,
    body,
    by_name,
    maybe,
    one_of,
    part,
    record,
    text,
)

FEATURE: Schema = {"type": "object", "description": "a feature of GeoJSON, in metres"}
BUILDING: Schema = {
    "type": "object",
    "description": "what building.json says, and the plan of each floor",
    "properties": {"name": TEXT, "plans": array(record(floor=WHOLE, features=array(FEATURE)))},
    "required": ["plans"],
}
SEEN: Schema = maybe(WRITTEN_MOMENT)
VALUE = record(
    entity=TEXT,
    name=maybe(TEXT),
    quantity=maybe(TEXT),
    unit=maybe(TEXT),
    expire_after=maybe(NUMBER),
    value=maybe({"type": ["number", "string"]}),
    text=maybe(TEXT),
    at=SEEN,
)
DEVICE = record(
    device=TEXT,
    name=maybe(TEXT),
    maker=maybe(TEXT),
    model=maybe(TEXT),
    origin=maybe(TEXT),
    via=maybe(TEXT),
    room=maybe(TEXT),
    desk=maybe(TEXT),
    disabled=maybe(FLAG),
    state=maybe(TEXT),
    since=SEEN,
    seen=SEEN,
    values=array(VALUE),
)
SAID: dict[str, Schema] = {
    "name": maybe(TEXT),
    "room": maybe(TEXT),
    "desk": maybe(TEXT),
    "disabled": maybe(FLAG),
    "forgotten": {"const": True},
}
THING = record(kind=one_of("desk", "detector"), id=TEXT, floor=WHOLE, x=NUMBER, y=NUMBER, machine=maybe(TEXT))
PUT = body(
    {"machine": maybe(TEXT)}, kind=one_of("desk", "detector"), id=text(60), floor=WHOLE, x=NUMBER, y=NUMBER
)
PLACED = record(things=array(part("Thing")), fixed=TEXT)

PARTS: dict[str, Schema] = {"Device": DEVICE, "Thing": THING}

OPERATIONS: Operations = {
    "GET /api/building": Operation(
        "Name, floors and plans.", answers(BUILDING), refuses={304: "it is as it was"}
    ),
    "POST /api/building/imports": Operation(
        "Import a building from a file of GeoJSON, of at most 20 MB.",
        answers(
            record(folder=TEXT, report=by_name(ANYTHING)), "a building folder, and what became of it", 201
        ),
        asks=(
            Asked("name", "what the building is called", {"type": "string", "maxLength": 100}),
            Asked("frame", "what its coordinates are", one_of(*FRAMES)),
        ),
        body=by_name(ANYTHING),
        sends="application/geo+json",
    ),
    "GET /api/building/placed": Operation(
        "What people put onto the plan; fixed says why nothing can be, and is empty where it can.",
        answers(PLACED),
    ),
    "POST /api/building/placed": Operation(
        "Say all that is to be on the plan.", answers(PLACED), body=body(things=array(PUT))
    ),
    "POST /api/doors/<door>": Operation(
        "Tell a door to open or close; answers once the engine has heard from it.",
        answers(record(door=TEXT, state=one_of("open", "closed"))),
        body=body(state=one_of("open", "closed")),
        refuses={504: "the door did not answer"},
    ),
    "GET /api/devices": Operation(
        "The known devices, with what each said last.", answers(record(devices=array(part("Device"))))
    ),
    "POST /api/devices": Operation(
        "Say something of a device: null takes it back; forgotten is said alone.",
        answers(record(SAID, device=TEXT), "what is said of it, once the engine has read it"),
        body={**body(SAID, device=text(20_000)), "minProperties": 2},
    ),
    "GET /api/displays": Operation(
        "Each display with the names of its views.", answers(by_name(array(TEXT)))
    ),
}
