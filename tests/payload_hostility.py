"""Payloads and topics as nobody would send them who means well, drawn from a seeded source of chance.

texts of JSON built from hostile parts  →  now and then broken: cut, flipped, doubled, wrapped, grown
"""

import base64
import json
from random import Random

NUMBERS = (
    *("0", "-0", "1", "-1", "17", "0.1", "-0.0", "70.7", "1e3", "1E-3", "2.5e-324", "4.9e-324", "1e-400"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809"),
    *("1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e309", "1e999999999", "1e-999999999"),
    *("0.1000000000000000055511151231257827", "9007199254740993", "1" * 400, "1." + "3" * 500, "9" * 5_000),
    *("1769851815", "1769851815.123456", "1769851815123", "268435455", "268435456", "-5", "212", "-459.67"),
)
NO_NUMBERS = (
    "NaN",
    "Infinity",
    "-Infinity",
    "01",
    "+1",
    ".5",
    "5.",
    "1e",
    "0x1F",
    "1_000",
    "--1",
    "1,5",
    "\u0661",
)
TEXTS = (
    *(
        "",
        " ",
        "a",
        "on",
        "off",
        "idle",
        "busy",
        "true",
        "41.5",
        " 41 ",
        "+7",
        "-0",
        "41,5",
        "1e3",
        "nan",
        "inf",
    ),
    *("<script>alert(1)</script>", "'; DROP TABLE log; --", "{{7*7}}${7*7}", "../../etc/passwd", "%00", "\\"),
    *(
        "\0",
        "a\0b",
        "\x1b[31m",
        "\r\nX: y",
        "\u202egnp",
        "\u0661",
        "e\u0301" * 3,
        "\U0001f600",
        "\ufeff",
        "\uff4f\uff4e",
    ),
    *("x" * 9_999, "x" * 10_001, "é" * 10_000, "2026-01-31T09:30:15Z", "1969-12-31", "now", "2026-02-30"),
    *("1769851815", "1e999999999", "9223372036854775808", "urn:dev:ow:10e2:", "meter/1", "_x", "Cel", "%RH"),
)
LONE = (
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83d\\ude00"',
    '"\\u0000"',
    '"\\x"',
    '"\\u12"',
    '"tab\there"',
    "'a'",
    '"open',
)
KEYS = (
    *("n", "x", "ok", "name", "at", "a", "b", "f", "on", "count", "when", "mode", "who", "list", "v", "all"),
    *(
        "bn",
        "bt",
        "bu",
        "bv",
        "bs",
        "bver",
        "u",
        "vs",
        "vb",
        "vd",
        "s",
        "t",
        "ut",
        "lock_",
        "",
        "\0",
        "__class__",
    ),
)
NOT_UTF8 = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xe2\x82", b"\xf4\x90\x80\x80")
NOTHING = (b"", b" ", b"null", b"[]", b"{}", b'""', b"\0", b"\xef\xbb\xbf{}")
SPACES = ("", " ", "\n", "\t \r\n", "\u00a0", "\v", "\ufeff", "\0", "/* */", "//\n")
LEVELS = (
    "",
    "a",
    "1",
    "-7",
    "0.5",
    "1e999",
    "nan",
    " 1",
    "\u0661",
    "+",
    "#",
    "$SYS",
    "..",
    "<b>",
    "x" * 300,
    "\ufffd",
    "é",
)


class Hostile:
    """Draws payloads and topics."""

    def __init__(self, random: Random) -> None:
        self._random, self.calm = random, 0.9

    def one(self, likely: float) -> bool:
        return self._random.random() < likely

    def value(self, depth: int = 0) -> str:
        """Draw a text that is JSON, or nearly."""
        draw, pick = self._random.random(), self._random.choice
        if draw < 0.35:
            return pick(NUMBERS)
        if draw < 0.65:
            return self.text()
        if draw < 0.80 or depth > 3:
            return pick(("true", "false", "null"))
        if draw < 0.82:
            return pick(NO_NUMBERS + LONE)
        if draw < 0.91:
            return "[" + ",".join(self.value(depth + 1) for _ in range(self._random.randrange(4))) + "]"
        return self.object({}, depth + 1)

    def text(self) -> str:
        return json.dumps(self._random.choice(TEXTS), ensure_ascii=self.one(0.5))

    def object(self, members: dict[str, str], depth: int = 0) -> str:
        """Draw an object that has these members, mostly, and others."""
        pairs = [(key, value) for key, value in members.items() if self.one(self.calm)]
        others = 0 if self.one(self.calm) else self._random.randrange(1, 4)
        pairs += [(self._random.choice(KEYS), self.value(depth + 1)) for _ in range(others)]
        self._random.shuffle(pairs)
        return "{" + ",".join(f"{json.dumps(key)}:{value}" for key, value in pairs) + "}"

    def of(self, *kinds: str) -> str:
        """Draw a value that is one of these texts, or anything."""
        return self._random.choice(kinds) if self.one(self.calm) else self.value()

    def number(self) -> str:
        return self._random.choice(("1", "20", "-5", "70.7", "0.1") if self.one(self.calm) else NUMBERS)

    def broken(self, payload: bytes) -> bytes:
        """Leave most payloads as they are; break the others in one of many ways."""
        if self.one(0.7):
            return payload
        ways = (
            self._cut,
            self._inserted,
            self._wrapped,
            self._doubled,
            self._nested,
            self._noise,
            self._grown,
        )
        (way,) = self._random.choices(ways, (5, 9, 4, 3, 3, 6, 0.06))
        return way(payload)

    def _cut(self, payload: bytes) -> bytes:
        return payload[: self._random.randrange(len(payload) + 1)]

    def _inserted(self, payload: bytes) -> bytes:
        at = self._random.randrange(len(payload) + 1)
        octets = self._random.choice((*NOT_UTF8, self._random.randbytes(self._random.randrange(1, 4))))
        return payload[:at] + octets + payload[at:]

    def _wrapped(self, payload: bytes) -> bytes:
        return self._random.choice(SPACES).encode() + payload + self._random.choice(SPACES).encode()

    def _doubled(self, payload: bytes) -> bytes:
        return payload + payload

    def _nested(self, payload: bytes) -> bytes:
        deep = self._random.choice((3, 98, 99, 100, 101, 600, 20_000))
        opening, closing = self._random.choice(((b"[", b"]"), (b'{"a":', b"}")))
        return opening * deep + payload + closing * self._random.choice((deep, deep, deep - 1))

    def _noise(self, payload: bytes) -> bytes:
        noise = self._random.randbytes(self._random.randrange(60))
        return self._random.choice((*NOTHING, noise, noise + base64.b64encode(payload)))

    def _grown(self, payload: bytes) -> bytes:
        return payload + b" " * self._random.choice((1_000_000 - len(payload), 1_000_001, 10_000_000))

    def level(self) -> str:
        return self._random.choice(LEVELS)
