"""A child ends when its parent does, and only then."""

import subprocess
import sys

import pytest

from tests.ingest_parts import ROOT

CHILD = """
import signal, sys
from ingest.lifeline import end_with_parent
end_with_parent()
print("ready", flush=True)
signal.pause()
"""


def start(stdin: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", CHILD], cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE, text=True
    )


def test_a_child_ends_when_the_pipe_to_it_does() -> None:
    child = start(subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "ready\n"
    child.stdin.write("ignored")
    child.stdin.flush()
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.3)
    child.stdin.close()
    assert child.wait(120) == -15


def test_a_child_started_by_hand_without_a_pipe_lives_on() -> None:
    child = start(subprocess.DEVNULL)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.3)
    child.kill()
    child.wait()
