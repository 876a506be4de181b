"""The guides, followed over a building that runs: every command does what its page says.

What starts a server is not run: this module has started one already. Each such block is named below by how it
begins, with the reason, so that none is left out unseen.
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from scripts.places import ROOT
from tests.environment.product import Demo, demo
from tests.environment.waiting import until
from tests.followed_page import Follower, blocks

pytestmark = [pytest.mark.integration]

STARTS = {
    "git clone ": "it would set up all anew; tests/test_house_setup.py has the set-up",
    "SMARTCIS_BUILDING=my-building ": "it runs until somebody ends it",
    "SMARTCIS_ADMIN_PASSWORD='a long one' docker compose up": "it needs Docker; "
    "tests/integration/test_compose_product.py runs the same services by their commands",
    "useradd ": "it makes a user of the machine, and a unit of systemd",
    "runuser ": "it speaks to the service that the block before it starts",
    "docker compose exec ": "it needs Docker; the command inside is run by another block",
    "docker compose run ": "it needs Docker; tests/test_app_keeping.py restores onto a disk of its own",
    "smartcis backup before-update.tar.gz": "it takes another version from elsewhere",
}
GUIDES = ("user", "analyst", "integrator", "operator", "hardening")
NOT_RUN = ("start", "servers")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The simulated building, as the guides have it."""
    with demo(tmp_path_factory.mktemp("guides") / "state") as product:
        yield product


def test_what_is_not_run_is_what_starts_servers() -> None:
    every = [block for guide in GUIDES for block in blocks(guide)]
    marked = [text for language, name, text in every if language == "sh" and name in NOT_RUN]
    assert {next((key for key in STARTS if text.startswith(key)), text) for text in marked} == set(STARTS)


@pytest.mark.parametrize("guide", [guide for guide in GUIDES if blocks(guide)])
def test_every_command_of_a_guide_does_what_its_page_says(guide: str, running: Demo, tmp_path: Path) -> None:
    reader, done = Follower(tmp_path, running), blocks(guide)
    (tmp_path / "ingest").symlink_to(ROOT / "ingest")
    for block, (following, _, expected) in pairwise([*done, ("", "", "")]):
        language, name, text = block
        if language == "sh" and name in NOT_RUN:
            continue
        if language == "sh" or (language == "sql" and guide == "integrator"):
            until(partial(succeeds, reader, block), 15, f"{block} to be done; it said: {reader.said}")
        else:
            reader.does("yaml" if name else "", name, text)
        if following == "text":
            until(partial(reader.is_told, block, expected), 15, f"{expected!r} to be said by {block}")


def succeeds(reader: Follower, block: tuple[str, str, str]) -> bool:
    """Do a block; what it needs may be on its way for a moment after a start."""
    reader.does(*block)
    return reader.code == 0
