"""Children run for as long as we do: started again when they die, ended when we end them."""

from pathlib import Path

import pytest

from app.supervisor import Supervisor
from tests.environment.waiting import until

# `code` is run by a real interpreter: the module `timeit` executes its argument.
APPEND = "open({file!r}, 'a').write('started ')"


@pytest.fixture
def supervisor(tmp_path: Path) -> Supervisor:
    return Supervisor(tmp_path / "logs")


def starts(file: Path) -> int:
    return file.read_text().count("started") if file.exists() else 0


def test_a_child_that_ends_is_started_again(supervisor: Supervisor, tmp_path: Path) -> None:
    file = tmp_path / "starts"
    supervisor.start("short", "timeit", "-n1", "-r1", APPEND.format(file=str(file)))
    until(lambda: starts(file) >= 2, 15, "the child to be started again")
    supervisor.stop()


def test_a_child_that_is_to_end_is_left_alone_and_told_of(supervisor: Supervisor, tmp_path: Path) -> None:
    file, told = tmp_path / "starts", []
    code = APPEND.format(file=str(file))
    supervisor.start("once", "timeit", "-n1", "-r1", code, is_kept=False, on_finished=lambda: told.append(1))
    until(lambda: told, 15, "the end to be told")
    assert starts(file) == 1
    supervisor.stop()


def test_what_a_child_prints_is_kept(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start("loud", "timeit", "-n1", "-r1", "raise SystemExit('why it ended')", is_kept=False)
    until(lambda: "why it ended" in (tmp_path / "logs/loud.log").read_text(), 15, "the words in the log")
    supervisor.stop()
