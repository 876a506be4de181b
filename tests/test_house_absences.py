"""A test that lacks something says so at the end, and in CI that fails the run."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = """
from tests.environment.absence import lacking

def test_a():
    lacking("a sextant", "apt-get install sextant")

def test_b():
    pass
"""


def run(repository: Path, folder: Path, ci: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_lacking.py").write_text(TESTS)
    plugin = ["-c", repository / "pyproject.toml", "-p", "tests.conftest"]
    command = [sys.executable, "-m", "pytest", *plugin, folder]
    env = {**os.environ, "CI": ci}
    return subprocess.run(command, cwd=repository, env=env, capture_output=True, text=True, check=False)


def test_a_missing_thing_is_named_with_the_command_that_gets_it(repository: Path, tmp_path: Path) -> None:
    told = run(repository, tmp_path, ci="")
    assert told.returncode == 0
    absences = told.stdout.partition("what did not run")[2]
    assert "missing a sextant; to get it: apt-get install sextant" in absences
    assert "BDD back end: dd." in told.stdout
    assert "1 passed, 1 skipped" in told.stdout.splitlines()[-1]


def test_in_ci_nothing_may_be_skipped(repository: Path, tmp_path: Path) -> None:
    assert run(repository, tmp_path, ci="true").returncode == 1
