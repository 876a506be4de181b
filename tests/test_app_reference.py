"""The reference: text becomes pages that can be pointed into, for whoever asks."""

from pathlib import Path

import pytest

from app.reference import CHAPTERS, chapter, rendered
from tests.memory_engine import MemoryEngine
from tests.web_parts import client_of, web_over


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_is_shown_to_whoever_asks(name: str, tmp_path: Path) -> None:
    page = client_of(web_over(MemoryEngine(), tmp_path)).get(f"/docs/{name}")
    assert page.status_code == 200
    assert f"<h1>{CHAPTERS[name]}</h1>" in page.text
    assert all(f'id="{heading.anchor}"' in page.text for heading in chapter(name).contents)


def test_the_reference_begins_with_its_first_chapter(tmp_path: Path) -> None:
    found = client_of(web_over(MemoryEngine(), tmp_path)).get("/docs")
    assert found.headers["Location"].endswith("/docs/streamsql")


def test_an_unknown_chapter_names_those_there_are(tmp_path: Path) -> None:
    found = client_of(web_over(MemoryEngine(), tmp_path)).get("/docs/sql")
    assert found.status_code == 404
    assert "streamsql, datalog" in found.text


def test_headings_of_the_same_words_are_told_apart() -> None:
    found = rendered("x", "## A window\n\n## A `window`\n")
    assert [heading.anchor for heading in found.contents] == ["a-window", "a-window-2"]


def test_raw_html_is_shown_and_not_obeyed() -> None:
    assert "<script>" not in rendered("x", "<script>alert(1)</script>\n").html
