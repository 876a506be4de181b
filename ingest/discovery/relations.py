"""The relations that discovery fills, whatever kinds of devices there are.

    announced  → devices, entities        − and + as devices come, change and go
    said       → measurements             one row a value: number, text or both
    acquired   → device_states            online, offline, stale, unknown

An *entity* is one thing that a device measures or is: a temperature, a contact, a relay. ``value`` holds
numbers, and 1 and 0 of what is on or off; ``text`` what is no number, and the word for what is on or off.
"""

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type

ONLINE, OFFLINE, STALE, UNKNOWN = "online", "offline", "stale", "unknown"


def _texts(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name, Type.TEXT) for name in names)


def _key(name: str) -> Column:
    return Column(name, Type.TEXT, nullable=False)


DEVICES = Relation(
    name="devices",
    kind=RelationKind.TABLE,
    columns=(
        _key("device"),
        *_texts("name", "maker", "model", "room", "desk", "via", "origin"),
        Column("disabled", Type.BOOLEAN, nullable=False),
    ),
    key=("device",),
    source="log",
)

ENTITIES = Relation(
    name="entities",
    kind=RelationKind.TABLE,
    columns=(
        _key("entity"),
        _key("device"),
        *_texts("name", "component", "quantity", "unit", "topic"),
        Column("expire_after", Type.DOUBLE),
    ),
    key=("entity",),
    source="log",
)

MEASUREMENTS = Relation(
    name="measurements",
    kind=RelationKind.STREAM,
    columns=(
        _key("entity"),
        _key("device"),
        *_texts("quantity"),
        Column("value", Type.DOUBLE),
        *_texts("text", "unit"),
        Column("at", Type.TIMESTAMP, nullable=False),
    ),
    key=("entity",),
    window="PARTITION BY entity ROWS 1",
    source="log",
)

DEVICE_STATES = Relation(
    name="device_states",
    kind=RelationKind.TABLE,
    columns=(_key("device"), _key("state"), Column("since", Type.TIMESTAMP)),
    key=("device",),
    source="log",
)

DISCOVERED = (DEVICES, ENTITIES, MEASUREMENTS, DEVICE_STATES)
