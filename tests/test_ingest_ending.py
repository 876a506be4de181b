"""A process that is told to end does so, whatever it was doing at that moment."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from ingest.ending import ENDS, when_told_to_end

ROOT = Path(__file__).resolve().parents[1]
WAITS = """
from threading import Event
from ingest.ending import when_told_to_end
ending = Event()
when_told_to_end(ending.set)
print("waits", flush=True)
while not ending.wait(0):
    pass
print("over", flush=True)
"""


@pytest.mark.parametrize("number", ENDS)
def test_a_signal_that_comes_while_the_events_lock_is_held_is_not_lost(number: signal.Signals) -> None:
    before = {each: signal.getsignal(each) for each in ENDS}
    ending = Event()
    try:
        when_told_to_end(ending.set)
        with ending._cond:  # type: ignore[attr-defined]
            os.kill(os.getpid(), number)
            assert not ending.is_set()
        assert ending.wait(120)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_a_process_that_does_nothing_but_wait_ends_each_time() -> None:
    for number in ENDS * 5:
        with subprocess.Popen(
            [sys.executable, "-c", WAITS],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "waits\n"
            process.send_signal(number)
            assert process.communicate(timeout=240)[0] == "over\n"
            assert process.returncode == 0
