"""The golden scripts say what they recorded; SMARTCIS_GOLDEN=write records anew, for the diff to be read."""

import os
from pathlib import Path

import pytest

from tests.golden_script import rerun

GOLDEN = Path(__file__).parent / "golden"
SCRIPTS = sorted(GOLDEN.rglob("*.txt"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(GOLDEN).with_suffix("")))
def test_the_script_says_what_it_recorded(script):
    recorded, said = rerun(script, write=os.environ.get("SMARTCIS_GOLDEN") == "write")
    if os.environ.get("SMARTCIS_GOLDEN") != "write":
        assert said == recorded


def test_there_are_scripts():
    assert len(SCRIPTS) >= 4
