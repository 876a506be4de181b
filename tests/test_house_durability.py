"""What docs/durability.md promises is tested: every test that it names is there."""

import re
from pathlib import Path


def test_every_test_that_the_page_names_is_one(repository: Path) -> None:
    page = (repository / "docs" / "durability.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    files = [*(repository / "tests").glob("*.py"), *(repository / "tests" / "integration").glob("*.py")]
    there = {name for file in files for name in re.findall(r"def (test_\w+)\(", file.read_text("utf-8"))}
    assert named
    assert sorted(named - there) == []


def test_every_row_of_the_page_names_its_test(repository: Path) -> None:
    page = (repository / "docs" / "durability.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    heads = [line for line in rows if line.endswith("| tested by |")]
    assert heads
    assert [line for line in rows if line not in heads and not line.endswith("` |")] == []
