"""RFC 8428 a second time: each record resolved by looking back at those before it, in fractions."""

import re
from fractions import Fraction
from typing import Any

from tests.payload_reader import Number, nearest

KNOWN = {
    **dict.fromkeys(("bt", "bv", "bs", "t", "v", "s", "ut"), "number"),
    **dict.fromkeys(("bn", "bu", "n", "u", "vs", "l"), "text"),
    **{"vb": "boolean", "vd": "octets", "bver": "version"},
}
REGULAR = ("n", "u", "t", "s", "ut", "l", "v", "vs", "vb", "vd")
BEFORE = 1 << 28
LIMIT = Fraction((1 << 63) - 1)


class Broken(Exception):
    """The pack breaks a rule."""


def records(pack: Any, received: int) -> list[Any]:
    """Return a row of each record that is one: n, t, v, vs, vb, s, u; or one reject of all."""
    from tests.payload_oracle import REJECT

    try:
        if type(pack) is not list or not 1 <= len(pack) <= 10_000:
            raise Broken
        for record in pack:
            _check(record)
        if len({str(r["bver"]) for r in pack if "bver" in r}) > 1:
            raise Broken
        rows = [_row(pack[: at + 1], received) for at in range(len(pack)) if set(pack[at]) & set(REGULAR)]
    except Broken:
        return [REJECT]
    return [REJECT if row is None else row for row in rows]


def _check(record: Any) -> None:
    if type(record) is not dict:
        raise Broken
    for label, value in record.items():
        if label in KNOWN and not _fits(KNOWN[label], value):
            raise Broken
        if label not in KNOWN and label.endswith("_"):
            raise Broken


def _fits(kind: str, value: Any) -> bool:
    if kind == "number":
        return type(value) is Number and _is_finite(value)
    if kind == "version":
        return type(value) is Number and value.is_whole and 1 <= int(value) <= 10
    if kind == "boolean":
        return type(value) is bool
    if type(value) is not str:
        return False
    if kind == "octets":
        bare = re.sub(r"={1,2}$", "", value)
        return not re.search(r"[^A-Za-z0-9_-]", bare) and len(bare) % 4 != 1
    return (
        len(value) <= 10_000 and "\0" not in value and not any("\ud800" <= sign <= "\udfff" for sign in value)
    )


def _is_finite(value: Number) -> bool:
    return -(1 << 63) <= int(value) < 1 << 63 if value.is_whole else abs(nearest(value)) < float("inf")


def _exact(value: Number) -> Fraction:
    return Fraction(int(value)) if value.is_whole else Fraction(repr(nearest(value)))


def _sum(*parts: Number | None) -> Fraction | None:
    there = [_exact(each) for each in parts if each is not None]
    return sum(there, Fraction(0)) if there else None


def _double(exact: Fraction | None) -> float | None:
    if exact is None:
        return None
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        raise Broken from None


def _row(upto: list[dict[str, Any]], received: int) -> tuple[Any, ...] | None:
    own = upto[-1]

    def base(label: str) -> Any:
        return next((each[label] for each in reversed(upto) if label in each), None)

    name = (base("bn") or "") + own.get("n", "")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9:./_-]{0,999}", name):
        raise Broken
    others = [kind for kind in ("vs", "vb", "vd") if kind in own]
    has_value = "v" in own or (base("bv") is not None and not others)
    value = _double(_sum(base("bv"), own.get("v"))) if has_value else None
    total = _double(_sum(base("bs"), own.get("s")))
    if len(others) + has_value > 1 or (not others and not has_value and total is None):
        raise Broken
    time = _sum(base("bt"), own.get("t")) or Fraction(0)
    rounded = Fraction(repr(_double(time)))
    absolute = rounded if rounded >= BEFORE else rounded + Fraction(received, 1_000_000)
    near = Fraction(repr(_double(absolute)))
    if abs(near * 1_000_000) > LIMIT:
        return None
    unit = own.get("u", base("bu"))
    return (name, round(near * 1_000_000), value, own.get("vs"), own.get("vb"), total, unit)
