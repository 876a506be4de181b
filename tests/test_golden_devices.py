"""Twenty kinds of devices, each resolved as expected; SMARTCIS_GOLDEN=write records anew."""

import os
from pathlib import Path

import pytest

from tests.golden_devices import rerun

DEVICES = sorted((Path(__file__).parent / "golden" / "devices").glob("*.mqtt"))


@pytest.mark.parametrize("device", DEVICES, ids=lambda path: path.stem)
def test_what_a_device_sends_becomes_what_is_recorded(device: Path) -> None:
    recorded, said = rerun(device, write=os.environ.get("SMARTCIS_GOLDEN") == "write")
    if os.environ.get("SMARTCIS_GOLDEN") != "write":
        assert said == recorded


@pytest.mark.parametrize("device", DEVICES, ids=lambda path: path.stem)
def test_every_file_names_the_document_that_it_follows(device: Path) -> None:
    assert "# Follows: " in device.read_text("utf-8").split("\n\n", 1)[0]


def test_there_are_twenty_kinds() -> None:
    assert len(DEVICES) >= 20
