"""The book: texts become pages that can be pointed into and searched, for whoever asks."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.book.chapters import CHAPTERS, FILES, ORDER, neighbours
from app.book.highlight import LANGUAGES, highlighted
from app.book.rendering import FOLDER, chapter, rendered
from app.book.search import search
from tests.memory_engine import MemoryEngine
from tests.web_parts import client_of, web_over

LINK = re.compile(r'<a href="([^"]+)"')


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    return client_of(web_over(MemoryEngine(), tmp_path))


@pytest.mark.parametrize("name", [entry.name for entry in FILES])
def test_a_chapter_is_shown_to_whoever_asks(name: str, client: FlaskClient) -> None:
    page = client.get(f"/docs/{name}")
    assert page.status_code == 200
    assert page.text.count("<h1>") == 1
    assert all(f'id="{heading.anchor}"' in page.text for heading in chapter(name).contents)
    assert f'aria-current="page">{CHAPTERS[name].title}<' in page.text


def test_every_file_of_the_folder_is_a_chapter() -> None:
    assert {file.stem for file in FOLDER.glob("*.md")} == {entry.name for entry in FILES}


def test_the_book_begins_with_its_contents(client: FlaskClient) -> None:
    page = client.get("/docs").text
    assert [name for name in re.findall(r'href="/docs/(\w+)"', page)] == [entry.name for entry in ORDER]


def test_chapters_lead_to_each_other_in_order() -> None:
    for before, after in pairwise(ORDER):
        assert neighbours(before.name)[1] == after
        assert neighbours(after.name)[0] == before
    assert (neighbours(ORDER[0].name)[0], neighbours(ORDER[-1].name)[1]) == (None, None)


def test_an_unknown_chapter_names_those_there_are(client: FlaskClient) -> None:
    found = client.get("/docs/sql")
    assert found.status_code == 404
    assert "streamsql, datalog" in found.text


def test_headings_of_the_same_words_are_told_apart() -> None:
    found = rendered("x", "## A window\n\n## A `window`\n")
    assert [heading.anchor for heading in found.contents] == ["a-window", "a-window-2"]


def test_raw_html_is_shown_and_not_obeyed() -> None:
    text = "<script>alert(1)</script>\n\n## <b>x</b>\n\n```sql <i>.x\n<u>'<u>' -- <u>\n```\n\n`docs/<a>.md`\n"
    html = rendered("x", text).html
    assert re.findall(r"<(?:script|b|i|u)\b", html) == []
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize("name", [entry.name for entry in FILES])
def test_every_link_to_another_chapter_leads_to_a_heading_that_is_there(name: str) -> None:
    for address in LINK.findall(chapter(name).html):
        if address.startswith(("http:", "https:")):
            continue
        other, _, anchor = address.partition("#")
        there = chapter(other or name)
        assert not anchor or anchor in {heading.anchor for heading in there.contents}, address
        assert not other.endswith(".md"), address


def test_the_name_of_a_file_of_the_folder_leads_to_its_chapter() -> None:
    html = rendered("x", "See `docs/web.md`, `docs/nothing.md` and [web](web.md#http).").html
    assert '<a href="web"><code>docs/web.md</code></a>' in html
    assert "<code>docs/nothing.md</code>" in html
    assert '<a href="web#http">web</a>' in html


def test_code_is_coloured_and_stays_what_it_was() -> None:
    for language in (*LANGUAGES, "text", ""):
        for block in (
            "SELECT 'a<b' -- c\n",
            "a: 1 # b\n[x]\n",
            'smartcis sql "x & y" | head\n',
            ".decl r(a: b)\n",
        ):
            plain = re.sub(r"<[^>]+>", "", highlighted(language, block))
            assert (
                plain.replace("&lt;", "<").replace("&quot;", '"').replace("&#x27;", "'").replace("&amp;", "&")
                == block
            )
    assert highlighted("sql", "SELECT 1 -- one") == (
        '<span class="code-word">SELECT</span> <span class="code-number">1</span> '
        '<span class="code-note">-- one</span>'
    )


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("add a user", ("operator", "add-a-user")),
        ("add alarm", ("operator", "add-an-alarm")),
        ("restore", ("operator", "back-up-and-restore")),
        ("nginx", ("operator", "tls-behind-a-proxy")),
        ("recurs step", ("analyst", "recursion-step-by-step")),
        ("secrets", ("hardening", "secrets")),
        ("shelly homie", ("integrator", "")),
    ],
)
def test_what_is_searched_for_is_found_first(words: str, first: tuple[str, str]) -> None:
    found = search(words, 5)
    assert (found[0].chapter, found[0].anchor) == first
    asked = words.split()
    assert any(word in f"{found[0].heading} {found[0].excerpt}".lower() for word in asked)


def test_all_words_come_before_some_and_none_finds_nothing() -> None:
    assert {place.chapter for place in search("kettle", 9)} <= {"integrator", "devices"}
    assert search("kettle qqqq", 9) == search("kettle", 9)
    assert search("qqqq", 9) == search("", 9) == search("  ,;", 9) == []


def test_a_search_answers_a_page_and_a_program_alike(client: FlaskClient) -> None:
    found = client.get("/docs/search?words=audit+log").json
    assert found is not None
    page = client.get("/docs?words=audit+log").text
    for place in found["found"]:
        assert f"/docs/{place['chapter']}?words=audit+log#{place['anchor']}" in page


def test_hostile_words_are_text(client: FlaskClient) -> None:
    words = '<script>alert(1)</script>"(.*[+'
    page = client.get("/docs", query_string={"words": words}).text
    assert "<script>alert" not in page
    assert client.get("/docs/search", query_string={"words": "(" * 100_000}).json == {"found": []}
