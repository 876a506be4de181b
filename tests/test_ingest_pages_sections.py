"""Sections of pages, and numbers in their cells: what is read, and what is refused with which words."""

import pytest

from engine.model.errors import SourceError
from ingest.decoding.cells import number_in
from ingest.sources import parse_sources


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("12.3 W", ".", ("12.3", "W")),
        ("1,234,567.5kWh", ".", ("1234567.5", "kWh")),
        ("1.234,5 kWh", ",", ("1234.5", "kWh")),
        ("1 234,5", ",", ("1234.5", "")),
        ("1\u202f234", ".", ("1234", "")),
        ("1'234.5", ".", ("1234.5", "")),
        ("\u22124 \u00b0C", ".", ("-4", "\u00b0C")),
        ("+.5", ".", ("+0.5", "")),
        ("1e3 W", ".", ("1e3", "W")),
        ("1,23", ".", None),
        ("1,2345", ".", None),
        ("1.2.3", ".", None),
        ("1,234.567,8", ".", None),
        ("W 5", ".", None),
        ("", ".", None),
        ("-", ".", None),
        ("9" * 5_000, ".", ("9" * 400, "")),
    ],
)
def test_a_number_is_read_as_people_write_it(text, decimal, number):
    assert number_in(text, decimal) == number


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("columns: {n: bigint}", "url of page p is empty; expected text"),
        ("url: 'http://h', urls: {a: 'http://h'}, columns: {n: bigint}", "page p has both url and urls"),
        ("urls: {}, columns: {n: bigint}", "urls of page p is empty; expected names, each with a url"),
        ("url: 'ftp://h', columns: {n: bigint}", "url of page p is ftp://h; expected http"),
        (
            "url: 'http://h', table: 0, columns: {n: bigint}",
            "table of page p is int 0; expected a number from 1",
        ),
        ("url: 'http://h', table: {cap: x}, columns: {n: bigint}", "table of page p is dict"),
        (
            "url: 'http://h', as: rows, columns: {n: bigint}",
            "as of page p is str rows; expected table or stream",
        ),
        ("url: 'http://h', as: table, columns: {n: bigint}", "page p is as: table and has no key"),
        ("url: 'http://h', key: [m], columns: {n: bigint}", "key of page p names m, which is no column"),
        ("url: 'http://h', each: a, table: 1, columns: {n: bigint}", "page p is json and has table"),
        (
            "url: 'http://h', each: a, columns: {n: {type: text, header: N}}",
            "column n of page p has a header",
        ),
        (
            "url: 'http://h', columns: {n: {type: text, header: N, value: 1}}",
            "column n of page p has header and value; expected one of them",
        ),
        (
            "url: 'http://h', columns: {n: {type: bigint, from: page}}",
            "column n of page p is from: page and a bigint; expected type: text",
        ),
        (
            "url: 'http://h', columns: {n: text, w: double}, measures: {device: n, expire_after: 1 hour}",
            "measures of page p has expire_after; leave it out",
        ),
        (
            "url: 'http://h', columns: {n: text}, measures: {device: m}",
            "device of measures of page p names m",
        ),
        ("url: 'http://h', columns: {n: {type: text, heder: N}}", "unknown key heder in column n of page p"),
    ],
)
def test_a_section_that_makes_no_sense_is_refused(section, message):
    with pytest.raises(SourceError) as refused:
        parse_sources(f"pages: {{p: {{{section}}}}}", {})
    assert refused.value.message.startswith(message)


def test_a_name_that_is_not_set_may_have_a_default():
    text = 'pages: {p: {url: "${PAGE:-http://h/x}", columns: {n: bigint}}}'
    for environment, url in (({}, "http://h/x"), ({"PAGE": "http://i"}, "http://i")):
        assert parse_sources(text, environment).pages[0].pages[0].address.url == url
