"""Sensor Measurement Lists: a pack's records, each resolved, so that it stands by itself.

    [{"bn": "dev:ow:10e2:", "bt": 1276020076, "n": "voltage", "v": 120.1}, {"n": "current", "t": -5, "v": 1}]
      →  n dev:ow:10e2:voltage, t 1276020076, v 120.1     n dev:ow:10e2:current, t 1276020071, v 1

A base field holds from its record on. A time before 1978-07-04 is relative to the arrival (section 4.5.3); a
record of base fields alone is no row. Sums are taken as decimals, as they are written. Whatever breaks a rule
rejects the whole pack, since later records stand on earlier ones. Besides the fields of the RFC a record has
``base``, the base name without its last separator, which is the device, and ``name``, its own part.

References:
    Jennings, Shelby, Arkko, Keränen, Bormann. RFC 8428: Sensor Measurement Lists. 2018, sections 4, 5.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from engine.model.clock import SECOND
from ingest.decoding.payload import kind_of
from ingest.decoding.values import FieldError, is_finite, is_text, shown

RELATIVE = 1 << 28
VERSION = 10
MOST_RECORDS = 10_000
BASE = {"n": "bn", "u": "bu", "t": "bt", "v": "bv", "s": "bs"}
KINDS = ("v", "vs", "vb", "vd")
REGULAR = (*KINDS, "n", "u", "t", "s", "ut", "l")
SEPARATORS = ":/._-"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9:./_-]{0,999}")
_OCTETS = re.compile(r"(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?={0,2}")

Resolved = dict[str, Any]


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and is_finite(value)


def _is_octets(value: Any) -> bool:
    return type(value) is str and _OCTETS.fullmatch(value) is not None


FITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("bt", "bv", "bs", "t", "v", "s", "ut"), (_is_number, "a finite number")),
    **dict.fromkeys(("bn", "bu", "n", "u", "vs", "l"), (is_text, "text")),
    "vb": (lambda value: type(value) is bool, "true or false"),
    "vd": (_is_octets, "base64 in the alphabet for URLs"),
    "bver": (lambda value: type(value) is int and 0 < value <= VERSION, f"a version up to {VERSION}"),
}


def resolved(pack: Any, received: int) -> list[Resolved]:
    """Return a pack's records, resolved, in their order; or raise FieldError."""
    if type(pack) is not list or not pack or len(pack) > MOST_RECORDS:
        found = f"{len(pack)} records" if type(pack) is list else kind_of(pack)
        msg = f"payload is {found}; expected a SenML pack, an array of 1 to {MOST_RECORDS} records"
        raise FieldError(msg)
    return list(_resolved(pack, received))


def _resolved(pack: list[Any], received: int) -> Iterator[Resolved]:
    base: Resolved = {}
    for number, record in enumerate(pack, 1):
        try:
            _check(record, base)
            base |= {label: record[label] for label in (*BASE.values(), "bver") if label in record}
            if any(label in record for label in REGULAR):
                yield _record(record, base, received)
        except FieldError as error:
            msg = f"SenML record {number}: {error}"
            raise FieldError(msg) from error


def _check(record: Any, base: Resolved) -> None:
    if type(record) is not dict:
        msg = f"is {kind_of(record)}; expected an object"
        raise FieldError(msg)
    for label, value in record.items():
        fits, expected = FITS.get(label, (None, ""))
        if fits is None and label.endswith("_"):
            msg = f"has {shown(label)}, which must be understood and is not"
            raise FieldError(msg)
        if fits is not None and not fits(value):
            msg = f"{label} is {shown(value)}; expected {expected}"
            raise FieldError(msg)
    if record.get("bver", base.get("bver")) != base.get("bver", record.get("bver")):
        msg = "its version is not that of the records before; a pack has one"
        raise FieldError(msg)


def _record(record: Resolved, base: Resolved, received: int) -> Resolved:
    name = base.get("bn", "") + record.get("n", "")
    if _NAME.fullmatch(name) is None:
        msg = f"the name is {shown(name)}; expected letters, digits and - : . / _, at most 1000"
        raise FieldError(msg)
    found: Resolved = {"n": name, "t": _time(_sum(base.get("bt"), record.get("t")) or 0, received)}
    found |= {label: record[label] for label in ("vs", "vb", "vd", "ut", "l") if label in record}
    unit = record.get("u", base.get("bu"))
    if "v" in record or ("bv" in base and not any(kind in record for kind in KINDS)):
        found["v"] = _sum(base.get("bv"), record.get("v"))
    if (total := _sum(base.get("bs"), record.get("s"))) is not None:
        found["s"] = total
    kinds = [kind for kind in KINDS if kind in found]
    if len(kinds) > 1 or (not kinds and "s" not in found):
        msg = f"has {' and '.join(kinds) or 'no value'}; expected one of {', '.join(KINDS)}"
        raise FieldError(msg)
    found |= {} if unit is None else {"u": unit}
    device = (base.get("bn") or name).rstrip(SEPARATORS) or name
    return found | {"base": device} | ({"name": record["n"]} if "bn" in base and record.get("n") else {})


def _time(written: float, received: int) -> float:
    """Return seconds since 1970; what is not long after 1970 is seconds since the arrival."""
    return written if written >= RELATIVE else _rounded(Fraction(repr(written)) + Fraction(received, SECOND))


def _sum(base: float | None, own: float | None) -> float | None:
    """Return the sum of what is there, as it is written, rounded once."""
    if base is None or own is None:
        return own if base is None else base
    return _rounded(Fraction(repr(base)) + Fraction(repr(own)))


def _rounded(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError as error:
        msg = "a sum is beyond a double; expected less"
        raise FieldError(msg) from error
