"""Hostile pages: whatever a server answers becomes rows with values of their types, or a reason."""

import json
from random import Random
from typing import Any

import pytest

from engine.model.values import Type
from ingest.decoding.pages import PageRows
from ingest.decoding.values import FieldError
from ingest.sources import parse_sources
from ingest.wrappers.fetching import NOTHING_KNOWN, Fetched
from ingest.wrappers.pages.rows import PageError, rows_of

COLUMNS = """columns: {n: bigint, w: {type: double, unit: W}, t: text,
    on: {type: boolean, "true": [ON], "false": [OFF]}, at: {type: timestamp, optional: true}}"""
HTML, JSON = (
    parse_sources(f"pages: {{p: {{url: 'http://h', {how}, {COLUMNS}}}}}", {}).pages[0]
    for how in ("table: 1", "each: rows")
)
HEAD = "<table><tr><th>N<th>W<th>T<th>On<th>At<tr>"
SCALARS: list[Any] = [None, True, 0, -1, 1.5, 1e308, 10**30, "", "x", "12", "ON", "\ud800", "\x00", [], {}]
TEXTS = [
    *(
        "1",
        "12.3 W",
        "1,234.5 kW",
        "ON",
        "OFF",
        "-",
        "9" * 400,
        "1e999",
        "NaN",
        "Infinity",
        "0x10",
        "1_000",
        "\u00b2",
    ),
    *(
        "\u2212 5",
        "\u0661",
        "1 K",
        "--1",
        "+ 5 W",
        "1,2,3",
        "<script>",
        "&#x110000;",
        "&#0;",
        "\x00",
        "<td rowspan=9>",
    ),
    *("2026-01-31T09:30:15Z", "99999999999999999999", "W", "1 W W", "</td>", "<!--", "'"),
]
CHARSETS = [
    "",
    "utf-8",
    "latin-1",
    "utf-16",
    "nope",
    "idna",
    "punycode",
    "rot13",
    "hex",
    "undefined",
    "unicode_escape",
]
PYTHON = {Type.BIGINT: int, Type.DOUBLE: float, Type.BOOLEAN: bool, Type.TEXT: str, Type.TIMESTAMP: int}


def html(draw: Random) -> Fetched:
    lines = ("".join(f"<td>{draw.choice(TEXTS)}" for _ in range(draw.randint(0, 6))) for _ in range(6))
    good = "<td>1<td>5 W<td>x<td>ON" if draw.random() < 0.5 else ""
    body = (HEAD + good + "<tr>".join(["", *lines])).encode("utf-8", "surrogatepass")
    body = draw.randbytes(100) if draw.random() < 0.05 else body
    return Fetched(body, f"text/html; charset={draw.choice(CHARSETS)}", NOTHING_KNOWN)


def document(draw: Random) -> Fetched:
    good = {"n": 1, "w": 2, "on": "ON", "t": "x"}
    rows = [{**good, draw.choice("nwot"): draw.choice(SCALARS)} for _ in range(4)]
    found: Any = {"rows": draw.choice([rows, dict(enumerate(rows)), draw.choice(SCALARS)])}
    body = json.dumps(draw.choice([found, found, found, draw.choice(SCALARS)])).encode()
    return Fetched(body[: draw.randint(0, len(body))] if draw.random() < 0.1 else body, "", NOTHING_KNOWN)


@pytest.mark.parametrize("seed", range(4))
def test_a_hostile_page_becomes_rows_or_reasons(seed):
    draw, good, reasons = Random(seed), 0, 0
    for _ in range(500):
        source, fetched = (HTML, html(draw)) if draw.random() < 0.5 else (JSON, document(draw))
        try:
            found = rows_of(source, source.pages[0], fetched)
        except PageError as error:
            reasons += "\n" not in str(error)
            continue
        decoder = PageRows(source)
        for raw in found:
            assert json.loads(json.dumps(raw)) == raw
            try:
                row = decoder.decode(raw, 1)
            except FieldError:
                reasons += 1
                continue
            good += 1
            for column, value in zip(decoder.relation.columns, row, strict=True):
                assert (value is None and column.nullable) or type(value) is PYTHON[column.type]
    assert good > 100
    assert reasons > 500
