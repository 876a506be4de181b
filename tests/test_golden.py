"""The golden scripts say what they recorded; SMARTCIS_GOLDEN=write records anew, for the diff to be read."""

import os
from pathlib import Path

import pytest

from tests.golden_script import rerun

SCRIPTS = sorted((Path(__file__).parent / "golden").glob("*.txt"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_says_what_it_recorded(script):
    recorded, said = rerun(script, write=os.environ.get("SMARTCIS_GOLDEN") == "write")
    if os.environ.get("SMARTCIS_GOLDEN") != "write":
        assert said == recorded


def test_there_are_scripts():
    assert len(SCRIPTS) >= 4
