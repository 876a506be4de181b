"""What messages must become by the streams of ``SOURCES``, worked out a second time and in another way.

Every expectation is written for its stream by hand: no mapping is read, no decoder asked. What comes out is,
in order, a row of the stream or REJECT; UNSURE stands for a value on which the oracle has no opinion.
"""

import hashlib
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.payload_reader import Number, Refused, nearest, read

KEY = b"fuzz" * 8
REJECT, UNSURE = "reject", "unsure"
LEAST, MOST = -(1 << 63), (1 << 63) - 1
SOURCES = """
mqtt:
  typed:
    topic: typed/{unit}
    columns:
      unit: text
      n: bigint
      x: double
      ok: boolean
      name: text
      at: {type: timestamp, optional: true}
      deep: {type: double, path: "a[0].b", optional: true}
  mapped:
    topic: mapped/{room}
    columns:
      room: text
      celsius: {type: double, path: f, unit: °F, as: °C, min: -40, max: 60}
      "on": {type: boolean, true: [on, 1], false: [off, 0]}
      count: {type: bigint, from: text, optional: true}
      when: {type: timestamp, from: seconds, optional: true}
      mode: {type: text, one_of: [idle, busy], else: null}
      who: {type: text, pseudonym: true, optional: true}
  many:
    topic: many/+
    each: list
    columns:
      place: {type: text, path: "#", from: number}
      v: double
      all: {type: text, path: $.all, optional: true}
  number: {topic: plain/number, format: plain, columns: {x: double}}
  switch: {topic: plain/switch, format: plain, columns: {x: boolean}}
  words: {topic: plain/text, format: plain, columns: {x: text}}
  numbered: {topic: "numbered/{i}/{x}", columns: {i: bigint, x: double}}
  packs:
    topic: packs/+
    format: senml
    columns:
      n: text
      t: {type: timestamp, from: seconds}
      v: {type: double, optional: true}
      vs: {type: text, optional: true}
      vb: {type: boolean, optional: true}
      s: {type: double, optional: true}
      u: {type: text, optional: true}
"""


class Bad(Exception):
    """The row is a reject."""


def expected(topic: str, payload: bytes, received: int) -> list[Any]:
    """Return what a message must become."""
    head, *rest = topic.split("/")
    if "#" in rest:  # no broker lets a message pass under such a topic
        return [REJECT]
    if (head, len(rest)) not in SHAPES or (head == "plain" and topic not in PLAIN_TOPICS):
        return [REJECT]
    if len(payload) > 1_000_000:
        return [REJECT]
    try:
        text = payload.decode("utf-8").strip(" \t\n\r")
        return SHAPES[head, len(rest)](topic, rest, text, received)
    except (UnicodeDecodeError, Refused, Bad):
        return [REJECT]


def one(found: Any, row: Callable[[Any], tuple[Any, ...]]) -> list[Any]:
    if type(found) is not dict:
        raise Bad
    return [row(found)]


def whole(value: Any) -> int:
    if type(value) is not Number or not value.is_whole or not LEAST <= int(value) <= MOST:
        raise Bad
    return int(value)


def double(value: Any) -> float:
    if type(value) is not Number:
        raise Bad
    if value.is_whole:
        return float(whole(value)) + 0.0
    found = nearest(value)
    if math.isinf(found):
        raise Bad
    return found + 0.0


def text(value: Any) -> str:
    if type(value) is not str or len(value) > 10_000 or "\0" in value:
        raise Bad
    if any("\ud800" <= sign <= "\udfff" for sign in value):
        raise Bad
    return value


def boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise Bad
    return value


def maybe(check: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else check(value)


def moment(value: Any) -> Any:
    if type(value) is str:
        return UNSURE if re.match(r"\s*\d{4}-\d\d-\d\d", value) else _bad()
    return whole(value)


def _bad() -> Any:
    raise Bad


def written_number(value: Any) -> Any:
    """Return the number that a text writes; what is no text stays as it is."""
    if type(value) is not str:
        return value
    bare = value.strip(" \t\n\r\f\v")
    if not re.fullmatch(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,9})?", bare):
        raise Bad
    return Number(bare)


def plain_double(value: Any) -> float:
    number = written_number(value)
    if type(number) is not Number:
        raise Bad
    found = nearest(number)
    if math.isinf(found):
        raise Bad
    return found + 0.0


def plain_whole(value: Any) -> int:
    number = written_number(value)
    if type(number) is not Number or not number.is_whole or len(number.lstrip("+-")) > 20:
        raise Bad
    if not LEAST <= int(number) <= MOST:
        raise Bad
    return int(number)


def typed(_topic: str, rest: list[str], said: str, _received: int) -> list[Any]:
    def row(found: dict[str, Any]) -> tuple[Any, ...]:
        first = found.get("a")
        inner = first[0] if type(first) is list and first else None
        deep = inner.get("b") if type(inner) is dict else None
        head = (text(rest[0]), whole(found.get("n")), double(found.get("x")), boolean(found.get("ok")))
        return (*head, text(found.get("name")), maybe(moment, found.get("at")), maybe(double, deep))

    return one(read(said), row)


def mapped(_topic: str, rest: list[str], said: str, _received: int) -> list[Any]:
    def row(found: dict[str, Any]) -> tuple[Any, ...]:
        fahrenheit = Fraction(repr(double(found.get("f"))))
        exact = (fahrenheit - 32) * 5 / 9
        celsius = exact.numerator / exact.denominator
        if not -40 <= celsius <= 60:
            raise Bad
        mode = found.get("mode", REJECT)
        if mode in (REJECT, None):
            raise Bad
        who = maybe(text, found.get("who"))
        return (
            text(rest[0]),
            celsius + 0.0,
            switched(found.get("on")),
            maybe(counted, found.get("count")),
            maybe(seconds, found.get("when")),
            mode if type(mode) is str and mode in ("idle", "busy") else None,
            None if who is None else "p-" + hashlib.blake2b(who.encode(), digest_size=8, key=KEY).hexdigest(),
        )

    return one(read(said), row)


def switched(value: Any) -> bool:
    if type(value) is Number:
        number = nearest(value)
        return {1.0: True, 0.0: False}[number] if number in (0.0, 1.0) else _bad()
    if type(value) is not str or value not in ("on", "off"):
        raise Bad
    return value == "on"


def counted(value: Any) -> int:
    return plain_whole(value) if type(value) is str else whole(value)


def seconds(value: Any) -> int:
    number = written_number(value)
    if type(number) is not Number:
        raise Bad
    is_whole = number.is_whole and len(number.lstrip("+-")) <= 20
    exact = Fraction(int(number)) if is_whole else None
    if is_whole and not LEAST <= int(number) <= MOST:
        raise Bad
    if exact is None:
        found = nearest(number)
        if type(value) is Number and number.is_whole:
            raise Bad
        if math.isinf(found):
            raise Bad
        exact = Fraction(repr(found))
    if abs(exact * 1_000_000) > MOST:
        raise Bad
    return round(exact * 1_000_000)


def many(_topic: str, _rest: list[str], said: str, _received: int) -> list[Any]:
    found = read(said)
    listed = found.get("list") if type(found) is dict else None
    if type(listed) not in (list, dict) or len(listed) > 10_000:
        raise Bad
    places = [(str(n), v) for n, v in enumerate(listed)] if type(listed) is list else list(listed.items())
    return [_element(place, value, found) for place, value in places]


def _element(place: str, value: Any, found: dict[str, Any]) -> Any:
    try:
        if type(value) is not dict:
            raise Bad
        return (text(place), double(value.get("v")), maybe(text, found.get("all")))
    except Bad:
        return REJECT


def plain(topic: str, _rest: list[str], said: str, _received: int) -> list[Any]:
    if not said:
        raise Bad
    if topic == "plain/switch":
        return [({"true": True, "false": False}[said],)] if said in ("true", "false") else [REJECT]
    return [(plain_double(said) if topic == "plain/number" else text(said),)]


def numbered(_topic: str, rest: list[str], said: str, _received: int) -> list[Any]:
    read(said)
    return [(plain_whole(rest[0]), plain_double(rest[1]))]


def packs(_topic: str, _rest: list[str], said: str, received: int) -> list[Any]:
    from tests.senml_oracle import records

    return records(read(said), received)


PLAIN_TOPICS = ("plain/number", "plain/switch", "plain/text")
SHAPES: dict[tuple[str, int], Callable[[str, list[str], str, int], list[Any]]] = {
    ("typed", 1): typed,
    ("mapped", 1): mapped,
    ("many", 1): many,
    ("plain", 1): plain,
    ("numbered", 2): numbered,
    ("packs", 1): packs,
}
