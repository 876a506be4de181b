"""Tables of HTML as devices write them: spans, headers in two rows, tags that are never closed."""

import random

import pytest

from ingest.wrappers.pages.tables import MOST_CELLS, TooLargeError, tables_of

PDU = """<!doctype html><title>PDU</title><script>document.write("<table><tr><td>no</table>")</script>
<table id=menu><tr><td><a href="/">Home</a><td>Log</table>
<table id="out"><caption>Outlets of <b>PDU&nbsp;1</b></caption>
 <thead><tr><th rowspan=2>Bank<th rowspan=2>Outlet<th colspan=2>Load<th rowspan=2>State</tr>
        <tr><th>Power</th><th>Energy</th></tr></thead>
 <tbody><tr><td rowspan=2>A<td>1<td>12.3&nbsp;W<td>1,234.56 kWh<td>ON
        <tr><th>2</th><td>0 W</td><td>7<br>kWh</td>
        <tr><td>B<td>3<td colspan=2>failed<td><span>OFF</span></tr>
 <tfoot><tr><td colspan=2>Total<td>12.3 W<td>1,241.56 kWh<td></tfoot>
</table>"""


def test_a_table_is_laid_out():
    menu, outlets = tables_of(PDU)
    assert (menu.name, menu.headers, menu.rows) == ("menu", ("", ""), (("Home", "Log"),))
    assert (outlets.name, outlets.caption) == ("out", "Outlets of PDU 1")
    assert outlets.headers == ("Bank", "Outlet", "Load Power", "Load Energy", "State")
    assert outlets.rows == (
        ("A", "1", "12.3 W", "1,234.56 kWh", "ON"),
        ("A", "2", "0 W", "7 kWh", ""),
        ("B", "3", "failed", "failed", "OFF"),
    )


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        ("<table><tr><th>a<th>b<tr><td>1<td>2", (("1", "2"),)),
        ("<table><td>1<td>2</table>", (("1", "2"),)),
        ("<table><tr><th>a</tr><tr><td>1</tr><tr><th>a</tr><tr><td>2</tr></table>", (("1",), ("2",))),
        ("<table><tr><td>1<td rowspan=0>x<tr><td>2</table>", (("1", "x"), ("2", "x"))),
        ("<table><tr><td rowspan=-1 colspan=1e9>1</table>", (("1",),)),
        ("<table></table>", ()),
        ("<table><tr></tr><tr><td>&lt;b&gt; &#956;A</table>", (("<b> \u03bcA",),)),
        ("<table><tr><td>1<style>td{}</style><td><template>no</template>2</table>", (("1", "2"),)),
    ],
)
def test_what_is_left_out_is_meant(page, rows):
    assert tables_of(page)[0].rows == rows


def test_a_table_in_a_cell_is_a_table_of_its_own():
    outer, inner = tables_of("<table><tr><td>a<table id=i><tr><td>b</table>c<td>d</table>")
    assert outer.rows == (("ac", "d"),)
    assert (inner.name, inner.rows) == ("i", (("b",),))


def test_spans_cannot_fill_memory():
    wide = "<td colspan=1000 rowspan=1000>x" * 100
    with pytest.raises(TooLargeError, match=f"more than {MOST_CELLS} cells"):
        tables_of(f"<table><tr>{wide}{'<tr>' * 900}</table>")


@pytest.mark.parametrize("seed", range(30))
def test_any_page_is_read_to_its_end(seed):
    draw = random.Random(seed)
    tags = [
        "table",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "caption",
        "br",
        "p",
        "script",
        "/table",
        "/tr",
        "/td",
        "/caption",
        "/script",
        "/tfoot",
    ]
    attributes = (" rowspan=3", " colspan=2", " id=t", " rowspan='", "", "", "")
    pieces = [f"<{draw.choice(tags)}{draw.choice(attributes)}>{draw.choice('ab<&;')}" for _ in range(120)]
    for table in tables_of("".join(pieces)):
        assert {len(row) for row in table.rows} <= {len(table.headers)}


UNENDING = [
    "<!--",
    "<![",
    "<a ",
    "<",
    "</",
    "<a x='",
    "<?",
    "&",
    "&#",
    "<script>",
    "<a a=a ",
    "</a ",
    "<style>",
    "<td a='b\" ",
]


@pytest.mark.parametrize("piece", UNENDING)
def test_what_never_ends_takes_no_longer_than_what_does(piece):
    """A parser that looks again for each end would take minutes."""
    found = tables_of("<table><tr><td>1<td>2" + piece * 200_000)
    assert found[0].rows[0][0] == "1"


def test_cells_without_end_are_refused():
    with pytest.raises(TooLargeError):
        tables_of("<table><tr>" + "<td>" * (MOST_CELLS + 1))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<TD CLASS=x>a</TD>", "a"),
        ("<td title='a > b' x=\"</td>\">c", "c"),
        ("<td>a < b &amp; c<!-- </table> -->d", "a < b & cd"),
        ("<td>a<!doctype x>b<?php c ?>d", "abd"),
        ("<td>a<textarea><td>no</textarea>b", "ab"),
        ("<td>a<script>x = '</td>'</SCRIPT >b", "ab"),
        ("<td>a</ >b", "ab"),
        ("<td rowspan=2 rowspan=3>a", "a"),
    ],
)
def test_a_tag_is_read_as_browsers_do(written, text):
    assert tables_of(f"<table><tr>{written}</table>")[0].rows == ((text,),)
