"""Hostile announcements and states: what real devices send, with parts changed, doubled, cut and replaced."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.model.reading import Reading
from engine.model.relation import REJECTS
from engine.model.values import Type
from ingest.discovery.relations import DISCOVERED
from ingest.log import Record
from tests.golden_devices import blocks

GOLDEN = Path(__file__).parent / "golden" / "devices"
COLUMNS = {each.name: each.columns for each in (*DISCOVERED, REJECTS)}
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1e308, 10**400, float("nan"), "", "\ud800", "\0", "<script>alert(1)</script>",
    "{{ value_json }}", "{{ 'a' * 10 ** 9 }}", "{% for x in y %}{% endfor %}", "+/#", "~", "x" * 5000, [], {},
    [[]], [{}], {"a": {"b": [1]}}, "homeassistant/sensor/a/config", ["a", 1, None],
)  # fmt: skip
SIGNS = ("", "{{", "}}", "|", "'", "é", "\ud800", "/", "#", "+", "{%", "(", ")", ".", "[")
SAID: tuple[dict[str, Any], ...] = (
    {"room": "1.01"},
    {"disabled": True},
    {"forgotten": True},
    {"name": 7},
    {},
)


def messages(chance: random.Random, count: int) -> Iterator[Record]:
    """Yield entries of a log, offset by offset."""
    files = sorted(GOLDEN.glob("*.mqtt"))
    known = [(each.topic, each.payload) for path in files for each in blocks(path.read_text("utf-8"))]
    for offset in range(1, count + 1):
        topic, payload = chance.choice(known)
        if chance.random() < 0.03:
            body = json.dumps(chance.choice(SAID)).encode()
            yield Record(offset, offset, "registry", chance.choice(("kitchen", "d", "é")), None, body)
        else:
            yield Record(offset, offset, "mqtt", topic, None, _body(chance, payload))


def _body(chance: random.Random, payload: str) -> bytes:
    try:
        found = json.loads(payload)
    except ValueError:
        found = payload
    changed = _changed(chance, found) if chance.random() < 0.75 else found
    body = bytearray(json.dumps(changed).encode())
    for _ in range(3 if body and chance.random() < 0.1 else 0):
        body[chance.randrange(len(body))] = chance.randrange(256)
    return bytes(body[: chance.choice((len(body), len(body), len(body) // 2))])


def _changed(chance: random.Random, found: Any) -> Any:
    if chance.random() < 0.08:
        return chance.choice(ODD)
    if isinstance(found, dict):
        kept = {k: v for k, v in found.items() if chance.random() > 0.05}
        return {k: _changed(chance, v) if chance.random() < 0.25 else v for k, v in kept.items()}
    if isinstance(found, list):
        return [_changed(chance, each) for each in found] * chance.choice((0, 1, 1, 3))
    if isinstance(found, str) and found:
        at = chance.randrange(len(found))
        return found[:at] + chance.choice(SIGNS) + found[at + chance.choice((0, 1)) :]
    return chance.choice(ODD)


def is_sound(reading: Reading) -> bool:
    """Tell whether a row is one of its relation's, with values that any part downstream can hold."""
    columns = COLUMNS[reading.relation]
    cells = zip(columns, reading.row, strict=True)
    return all(column.nullable if cell is None else _fits(column.type, cell) for column, cell in cells)


def _fits(kind: Type, cell: object) -> bool:
    if isinstance(cell, str):
        return (
            kind is Type.TEXT
            and len(cell) <= 10_000
            and not any("\ud800" <= each <= "\udfff" for each in cell)
        )
    if isinstance(cell, float):
        return kind is Type.DOUBLE and cell - cell == 0
    return kind is (Type.BOOLEAN if isinstance(cell, bool) else Type.TIMESTAMP)
