"""Hostile messages through the real decoder: each becomes what the oracle says, or a reject with a reason.

fuzz(cases, seed)         messages of ``payload_oracle.SOURCES``, each compared
fuzz_devices(cases, seed) announcements and states of devices: typed rows or rejects, whatever is sent
"""

import json
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from random import Random
from typing import Any

from engine.model.reading import Reading
from engine.model.relation import REJECTS, SITES, Relation
from engine.model.values import Type
from ingest.decoding.decoder import Decoder
from ingest.discovery.relations import DISCOVERED
from ingest.log import Record
from ingest.sources import Sources, parse_sources
from tests.payload_hostility import NUMBERS, TEXTS, Hostile
from tests.payload_oracle import KEY, PLAIN_TOPICS, REJECT, SOURCES, UNSURE, expected

NOW = 1_769_851_815_123_456
BOUND_SECONDS = 5.0
MOST_REASON = 400
HEADS = ("typed", "mapped", "many", "plain", "numbered", "packs")
KINDS = {Type.TEXT: str, Type.BIGINT: int, Type.TIMESTAMP: int, Type.DOUBLE: float, Type.BOOLEAN: bool}


class Wrong(Exception):
    """A message became what it must not."""


@dataclass
class Tally:
    """What was seen of each stream: rows and rejects."""

    rows: Counter[str] = field(default_factory=Counter)
    rejects: Counter[str] = field(default_factory=Counter)
    bytes: int = 0

    def summary(self) -> str:
        parts = (
            f"{name} {self.rows[name]}/{self.rejects[name]}" for name in sorted(self.rows | self.rejects)
        )
        return f"{self.bytes:,} bytes; rows/rejects of {', '.join(parts)}"


def sources() -> Sources:
    return replace(parse_sources(SOURCES, {}), pseudonym_key=KEY)


def messages(random: Random) -> Iterator[tuple[str, bytes]]:
    """Draw messages without end."""
    hostile = Hostile(random)
    while True:
        topic, text = _message(hostile, random)
        yield topic, hostile.broken(text.encode("utf-8", "surrogatepass"))


def _message(hostile: Hostile, random: Random) -> tuple[str, str]:
    hostile.calm = random.choice((0.8, 0.95, 0.995))
    number, text = hostile.number(), hostile.of('"a"', '"Grüße <b>"', hostile.text())
    match random.randrange(8):
        case 0:
            deep = f'[{{"b":{hostile.of("1.5", number)}}}]'
            members = {
                "n": hostile.of("1", number),
                "x": hostile.of("0.5", number),
                "ok": hostile.of("true", "false"),
            }
            members |= {"name": text, "at": hostile.of('"2026-01-31"', "17"), "a": hostile.of(deep)}
            return f"typed/{hostile.level()}", hostile.object(members)
        case 1:
            members = {
                "f": hostile.of("70.7", "-40", "140", number),
                "on": hostile.of('"on"', '"off"', "1", "0", "0.0"),
            }
            members |= {"count": hostile.of('"17"', "3"), "when": hostile.of("1769851815.5", '"1e9"', number)}
            members |= {"mode": hostile.of('"idle"', '"busy"', text), "who": hostile.of('"ann"', text)}
            return f"mapped/{hostile.level()}", hostile.object(members)
        case 2:
            several = [hostile.object({"v": hostile.number()}) for _ in range(random.randrange(4))]
            named = "{" + ",".join(f"{hostile.text()}:{each}" for each in several) + "}"
            listed = named if hostile.one(0.3) else f"[{','.join(several)}]"
            return "many/x", hostile.object({"list": hostile.of(listed), "all": hostile.of('"a"', text)})
        case 3:
            said = random.choice((*NUMBERS, *TEXTS)) if hostile.one(0.3) else None
            likely = {
                "number": hostile.number(),
                "switch": random.choice(("true", " false\n")),
                "text": "a b",
            }
            topic = random.choice(PLAIN_TOPICS)
            return topic, likely[topic.partition("/")[2]] if said is None else said
        case 4:
            whole, real = (
                random.choice(("1", "-7", " 12", hostile.level())),
                random.choice((number, hostile.level())),
            )
            return f"numbered/{whole}/{real}", hostile.of("{}", "null", "[1]")
        case 5 | 6:
            return "packs/x", "[" + ",".join(
                _record(hostile, hostile.number(), random) for _ in range(random.randrange(1, 5))
            ) + "]"
        case _:
            levels = "/".join(hostile.level() for _ in range(random.randrange(1, 5)))
            return random.choice(
                (levels, f"typed/{levels}", f"packs/{levels}", f"plain/{levels}")
            ), hostile.value()


def _record(hostile: Hostile, number: str, random: Random) -> str:
    kinds = {"v": ("1.5", "20", number), "vs": ('"on"',), "vb": ("true",), "vd": ('"aGkgCg"', '"a+"')}
    kind = random.choice(("v", "v", "v", *kinds))
    values, times = kinds[kind], ("0", "-5", "1769851815", "1769851815.25", number)
    likely = {
        **{"n": (0.97, ('"a"', '"b/c"')), "bn": (0.3, ('"x:"', '"urn:dev:1/"'))},
        **{kind: (1.0, values)},
        **{"bt": (0.2, times), "t": (0.3, times), "bv": (0.15, ("0.1", number))},
        **{"u": (0.3, ('"Cel"',)), "bu": (0.2, ('"W"',)), "s": (0.1, ("7",)), "bs": (0.05, ("0.2",))},
        "bver": (0.1, ("5",)),
    }
    return hostile.object(
        {key: hostile.of(*kinds) for key, (share, kinds) in likely.items() if hostile.one(share)}
    )


@contextmanager
def bounded(what: object) -> Iterator[None]:
    """Break off what takes longer than any payload may."""

    def over(_signal: int, _frame: object) -> None:
        message = f"not done within {BOUND_SECONDS} s: {what!r:.300}"
        raise Wrong(message)

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, BOUND_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fuzz(cases: int, seed: int) -> Tally:
    """Compare what the decoder makes of messages with what it must."""
    drawn, decoder, tally = messages(Random(seed)), Decoder(sources()), Tally()
    relations = {relation.name: relation for relation in (*sources().relations(), REJECTS)}
    for case in range(cases):
        topic, payload = next(drawn)
        with bounded((topic, payload)):
            found = decoder.decode(Record(case + 1, NOW, "mqtt", topic, None, payload))
        _check_all(found, relations, case + 1)
        wanted = expected(topic, payload, NOW) if topic else []
        outcomes = [REJECT if each.relation == REJECTS.name else each.row for each in found]
        if not all(_agree(*pair) for pair in zip_longest(outcomes, wanted)):
            said = f"seed {seed}, case {case}: {topic!r} {payload!r:.2000}"
            message = f"{said}\nbecame {found!r:.2000}\nnot {wanted!r:.2000}"
            raise Wrong(message)
        tally.bytes += len(payload)
        head = topic.partition("/")[0]
        for outcome in outcomes:
            kept = tally.rejects if outcome == REJECT else tally.rows
            kept[head if head in HEADS else "unmapped"] += 1
    return tally


def _agree(found: Any, wanted: Any) -> bool:
    if not isinstance(found, tuple) or not isinstance(wanted, tuple):
        return bool(found == wanted) or (found == REJECT and isinstance(wanted, tuple) and UNSURE in wanted)
    pairs = zip_longest(found, wanted)
    return all(each == UNSURE or (type(one) is type(each) and one == each) for one, each in pairs)


def _check_all(found: list[Reading], relations: dict[str, Relation], offset: int) -> None:
    for ordinal, reading in enumerate(found):
        if (reading.offset, reading.ordinal, reading.at) != (offset, ordinal, NOW):
            message = f"the identity of {reading!r:.500} is not {(offset, ordinal)}"
            raise Wrong(message)
        columns = relations[reading.relation].columns
        for value, column in zip(reading.row, columns, strict=True):
            if value is not None and type(value) is not KINDS[column.type]:
                message = f"{column.name} of {reading!r:.500} is no {column.type}"
                raise Wrong(message)
        if any(isinstance(value, str) and "\0" in value for value in reading.row):
            message = f"{reading!r:.500} has a NUL, which PostgreSQL has not"
            raise Wrong(message)
        if reading.relation == REJECTS.name:
            _check_reject(reading)


def _check_reject(reading: Reading) -> None:
    """A reason is there, is a line, and fits any encoding."""
    _, _, reason, sample = map(str, reading.row)
    for said in (reason, sample):
        said.encode("utf-8")
        if "\n" in said or len(said) > MOST_REASON:
            message = f"{reading!r:.500} is no short line"
            raise Wrong(message)
    if not reason or "internal" in reason:  # we failed, and not the payload; or it took too long
        message = f"{reading!r:.500} has no reason of its own"
        raise Wrong(message)


def fuzz_devices(cases: int, seed: int) -> Tally:
    """Announce and state whatever; all that is asked is that it be rows of their types, or rejects."""
    random, tally = Random(seed), Tally()
    hostile, decoder = Hostile(random), Decoder(sources())
    relations = {
        relation.name: relation for relation in (*sources().relations(), *DISCOVERED, REJECTS, SITES)
    }
    for case in range(cases):
        topic, text = _of_device(hostile, random)
        source = random.choice(OTHERS) if hostile.one(0.1) else "mqtt"
        if source != "mqtt":
            topic, text = hostile.level(), _written(hostile, random)
        payload = hostile.broken(text.encode("utf-8", "surrogatepass"))
        with bounded((source, topic, payload)):
            found = decoder.decode(Record(case + 1, NOW, source, topic, None, payload))
        _check_all(found, relations, case + 1)
        tally.bytes += len(payload)
        for reading in found:
            (tally.rejects if reading.relation == REJECTS.name else tally.rows)[reading.relation] += 1
    return tally


OTHERS = (
    "registry",
    "written",
    "db:facts",
    "device_states",
    "page:x",
    "calendar:c",
    "clock",
    "declared",
    "nobody",
)


def _written(hostile: Hostile, random: Random) -> str:
    """Draw what people say of a device, or changes of keyed rows."""
    if hostile.one(0.5):
        said = {
            "name": hostile.text(),
            "room": hostile.of('"1.01"'),
            "disabled": hostile.of("true", "1", "0"),
        }
        return hostile.object(said | ({"forgotten": hostile.value()} if hostile.one(0.2) else {}))
    row = hostile.object(
        {"device": hostile.of('"d1"'), "state": hostile.of('"online"'), "since": hostile.value()}
    )
    table = hostile.of('"device_states"', '"typed"', '"fragment:0123456789abcdef@7"')
    changes = [f"[{hostile.of('1', '-1', '0')},{table},{row}]" for _ in range(random.randrange(3))]
    return hostile.object(
        {"changes": hostile.of(f"[{','.join(changes)}]"), "removed": hostile.of('["a"]', "[]")}
    )


TEMPLATES = (
    *("{{ " + "1" * 5_000 + " }}", "{% set a=[1,1] %}" + "{% set a=[a,a] %}" * 40 + "{{ a }}"),
    *(
        "{% set a=[value] %}" + "{% set a=a+a %}" * 15 + f"{{{{ a | {how} }}}}"
        for how in ("join", "to_json", "string")
    ),
    *(
        "{{ value }}",
        "{{ value_json.v }}",
        "{{ value_json['v'] | float(0) | round(1) }}",
        "{{ value_json.v.v.v }}",
    ),
    *(
        "{% if value_json.v > 3 %}on{% else %}off{% endif %}",
        "{{ value * 10000000000 }}",
        "{{ 9 ** 9 ** 9 ** 9 }}",
    ),
    *(
        "{% for i in range(10**9) %}x{% endfor %}",
        "{{ ''.__class__.__mro__ }}",
        "{{ value | replace('', 'x' * 999) }}",
    ),
    *("{{ 'x' * 10 ** 9 }}", "{{ value_json | tojson }}", "{{", "{{ " + "(" * 500 + "1" + ")" * 500 + " }}"),
    *(
        "{{ value.split('a') | last }}",
        "{{ '%0999999999d' | format(1) }}",
        "{{ (value | int) // 0 }}",
        "x" * 5_000,
    ),
)


def _of_device(hostile: Hostile, random: Random) -> tuple[str, str]:
    name = random.choice(("a", "b", "c", hostile.level()))
    hostile.calm = random.choice((0.8, 0.95, 0.995))
    if hostile.one(0.4):
        return f"state/{name}", random.choice((hostile.value(), hostile.object({"v": hostile.value()})))
    if hostile.one(0.1):
        topic = random.choice(
            ("gateway/a/state", f"gateway/{name}/state", f"fragment/{name}/a", "mesh/a/b", "field/a")
        )
        members = {
            "state": hostile.of('"up"'),
            "devices": hostile.value(),
            "fragments": hostile.value(),
            "links": hostile.value(),
        }
        return topic, hostile.object(members)
    if hostile.one(0.1):
        return random.choice(
            (f"tasmota/discovery/{name}/config", f"tele/{name}/SENSOR", f"shellies/{name}/announce")
        ), (hostile.object({"sn": hostile.value(), "id": hostile.text(), "mac": hostile.text()}))
    entity = {
        **{"uniq_id": f'"{name}"', "stat_t": hostile.of(f'"state/{name}"', f'"~/{name}"'), "~": '"state"'},
        **{
            "val_tpl": json.dumps(random.choice(TEMPLATES)),
            "unit_of_meas": hostile.of('"°C"', hostile.text()),
        },
        **{
            "dev_cla": hostile.of('"temperature"', hostile.text()),
            "exp_aft": hostile.of("60", *NUMBERS[:20]),
        },
        **{
            "dev": hostile.of('{"ids": ["d1"], "name": "D"}'),
            "avty": hostile.of('[{"t": "up"}]'),
            "name": hostile.text(),
        },
    }
    if hostile.one(0.3):
        return f"homeassistant/device/{name}/config", hostile.object(
            {
                "dev": '{"ids": "d2"}',
                "o": '{"name": "x"}',
                "cmps": hostile.of(f'{{"c": {hostile.object(entity)}}}'),
            }
        )
    component = random.choice(("sensor", "binary_sensor", "switch", hostile.level()))
    return f"homeassistant/{component}/{name}/config", hostile.object(entity)
