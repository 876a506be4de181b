"""ARCHITECTURE.md names real things: every dotted name in it can be imported, every path exists."""

import importlib
import re

import pytest

from scripts.places import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
NAMES = sorted(set(re.findall(r"`((?:app|engine|federated|ingest)(?:\.\w+)+)`", TEXT)))
PATHS = sorted(set(re.findall(r"`((?:app|engine|federated|ingest|static|templates|tests)/[\w/.]*)`", TEXT)))


@pytest.mark.parametrize("name", NAMES)
def test_what_the_tour_names_exists(name: str) -> None:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return
    pytest.fail(f"{name} does not exist")


@pytest.mark.parametrize("path", PATHS)
def test_where_the_tour_points_there_is_something(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_tour_has_both_walks() -> None:
    assert len(NAMES) > 20
    for heading in ("## One tuple", "## One query"):
        assert heading in TEXT
