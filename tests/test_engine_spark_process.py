"""What becomes of the JVM and its helpers when the process that started them ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

DEADLINE = 240.0
ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """
import sys
from pathlib import Path
from engine.model.reading import Batch
from engine.spark import SparkFeed, SparkSettings

class Clockwork:
    def read(self, start):
        return Batch((), start + 1, 1_000 * start)

def on_tick(tick):
    if tick.end == 3:
        print("ticks flow", flush=True)

if __name__ == "__main__":
    feed = SparkFeed(SparkSettings(Path(sys.argv[1])), Clockwork(), (), tuple, on_tick, lambda: 0.05)
    feed.start(0)
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        feed.stop()
"""


@pytest.fixture
def feeding(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with subprocess.Popen(
        [sys.executable, str(program), str(tmp_path / "state")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ticks flow\n"
        yield process
        process.kill()


def test_ctrl_c_ends_everything_without_a_word(feeding: subprocess.Popen[str]) -> None:
    helpers = psutil.Process(feeding.pid).children(recursive=True)
    feeding.send_signal(signal.SIGINT)
    for helper in helpers:
        helper.send_signal(signal.SIGINT)
    output, _ = feeding.communicate(timeout=DEADLINE)
    assert (feeding.returncode, output) == (0, "")
    assert alive(helpers) == []


def test_a_killed_parent_leaves_no_jvm_and_no_helper(feeding: subprocess.Popen[str]) -> None:
    helpers = psutil.Process(feeding.pid).children(recursive=True)
    assert {"java"} < {helper.name() for helper in helpers}
    feeding.kill()
    assert alive(helpers) == []


def alive(helpers: list[psutil.Process]) -> list[str]:
    _, left = psutil.wait_procs(helpers, DEADLINE)
    return [" ".join(process.cmdline()) for process in left]
