"""Declarations as nobody would write them: one line says what is wrong, or they decode whatever comes."""

import json
from dataclasses import replace
from random import Random
from typing import Any

from app.declared_options import body_of
from engine.lang.streamsql import CreateRelation, parse
from engine.model.errors import QueryError, SourceError
from ingest.decoding.decoder import Decoder
from ingest.log import Record
from ingest.sources import Sources, parse_sources
from ingest.sources.columns import KEYS as COLUMN_KEYS
from ingest.sources.places import line_of
from ingest.sources.streams import KEYS as STREAM_KEYS

CASES = 400
SCALARS: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        3.5,
        1e308,
        10**400,
        "",
        "x",
        "room",
        "a.b",
        "a[0].b",
        "$.x",
        "@",
        "#",
        "a[",
        "$",
    ),
    *(
        "double",
        "text",
        "bigint",
        "boolean",
        "timestamp",
        "°F",
        "°C",
        "W",
        "kW",
        "%",
        "seconds",
        "number",
        "arrival",
    ),
    *(
        "json",
        "plain",
        "senml",
        "low",
        "t/{room}/{x}",
        "t/#",
        "#/t",
        "t/{room",
        "field/+/t",
        "fragment/x",
        "10 minutes",
    ),
    *("ROWS 1", "PARTITION BY room ROWS 1", "é" * 300, "a\nb", "\0", "${HOME_OF_NOBODY}", "{a: b}", "on"),
)
GOOD: dict[str, Any] = {
    "topic": "t/{room}",
    "columns": {
        "room": {"type": "text"},
        "x": {"type": "double", "path": "v", "unit": "°F", "as": "°C"},
        "ok": {"type": "boolean", "true": ["on"], "false": ["off"], "optional": True},
        "at": {"type": "timestamp", "from": "seconds", "optional": True},
    },
    "key": ["room"],
    "measures": {"device": "room"},
}
MESSAGES = [b"", b"{}", b"[1]", b'{"v": 70, "ok": "on"}', b'[{"n": "a", "v": 1}]', b"\xff", b"17"]


def anything(random: Random, depth: int = 0) -> Any:
    draw = random.random()
    if draw < 0.75 or depth > 2:
        return random.choice(SCALARS)
    if draw < 0.87:
        return [anything(random, depth + 1) for _ in range(random.randrange(3))]
    keys = [*sorted(COLUMN_KEYS | STREAM_KEYS), "device", "values", "room", "x"]
    return {random.choice(keys): anything(random, depth + 1) for _ in range(random.randrange(3))}


def mutated(random: Random, spec: Any, depth: int = 0) -> Any:
    """A declaration with a few parts replaced, added or left out."""
    if not isinstance(spec, dict) or random.random() < 0.02:
        return anything(random) if random.random() < 0.04 else spec
    found = {key: mutated(random, value, depth + 1) for key, value in spec.items() if random.random() > 0.02}
    if random.random() < 0.15:
        keys = sorted(STREAM_KEYS if depth == 0 else COLUMN_KEYS | {"device", "values", "quantity", "value"})
        found[random.choice(keys)] = anything(random)
    return found


def test_a_declaration_is_refused_in_one_line_or_decodes_whatever_comes() -> None:
    random, refusals, taken = Random(3), [], 0
    for _ in range(CASES):
        text = json.dumps({"mqtt": {"s": mutated(random, GOOD)}}, ensure_ascii=random.random() < 0.5)
        try:
            found = parse_sources(text, {})
        except SourceError as error:
            refusals.append((text, error.message))
            continue
        taken += 1
        decode_all(replace(found, pseudonym_key=b"k" * 32))
    assert not [message for _, message in refusals if "\n" in message]
    assert {line_of(*refusal) for refusal in refusals} <= {None, 1}
    assert min(len(refusals), taken) > CASES / 10


def decode_all(found: Sources) -> None:
    decoder = Decoder(found)
    for offset, payload in enumerate(MESSAGES, 1):
        for reading in decoder.decode(Record(offset, 10**15, "mqtt", "t/1", None, payload)):
            assert reading.row is not None


def test_options_of_a_statement_are_refused_in_one_line_or_make_a_relation() -> None:
    random, refusals, taken = Random(4), [], 0
    names = [
        "topic",
        "format",
        "each",
        "window",
        "measures",
        "priority",
        "sequence",
        "column_x",
        "column_room",
        "path_x",
    ]
    for _ in range(CASES):
        options = {"topic": "t/{room}"}
        options |= {n: written(random) for n in random.sample(names, random.randrange(4))}
        listed = ", ".join(f"{name} = '{value}'" for name, value in options.items())
        sql = f"CREATE STREAM s (room text, x double, ok boolean) WITH (wrapper = 'mqtt', {listed})"
        try:
            statement = parse(sql)
            assert isinstance(statement, CreateRelation)
            body_of(statement, {})
        except QueryError as error:
            refusals.append(error.message)
            continue
        taken += 1
    assert not [message for message in refusals if "\n" in message]
    assert min(len(refusals), taken) > CASES / 10


def written(random: Random) -> str:
    value = anything(random)
    text = value if isinstance(value, str) else json.dumps(value)
    return text.replace("'", "''").replace("\0", "")
