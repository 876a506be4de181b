"""What the demo uses with nobody watching: processor, memory, growth of the log.

floor: 0.6 core and 1.5 GB in all processes after ten minutes, flat
"""

import os
import sys
import tempfile
import threading
from pathlib import Path

from tests.benchmarks._report import Result, report
from tests.environment.product import Demo, cpu_seconds, demo, memory_bytes, name_of, wall

MINUTES = float(os.environ.get("SMARTCIS_BENCH_MINUTES", "10"))
WINDOW = 60.0


class Sample:
    """Processor and memory over one window."""

    def __init__(self, running: Demo, seconds: float) -> None:
        processes = running.processes()
        before, began = cpu_seconds(processes), wall()
        threading.Event().wait(seconds)
        after, took = cpu_seconds(processes), wall() - began
        self.by_process = {
            name_of(p): (after[p.pid] - before[p.pid]) / took for p in processes if p.pid in after
        }
        self.cores = sum(after[pid] - before.get(pid, 0.0) for pid in after) / took
        self.bytes = memory_bytes(running.processes())


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, demo(Path(folder)) as running:
        pause = threading.Event()
        pause.wait(max(MINUTES * 60 / 2 - WINDOW, 1))
        early, log_then, then = Sample(running, WINDOW), log_bytes(Path(folder)), wall()
        pause.wait(max(MINUTES * 60 / 2 - WINDOW, 1))
        late = Sample(running, WINDOW)
        growth = (log_bytes(Path(folder)) - log_then) / (wall() - then) * 3600
    for name, cores in sorted(late.by_process.items(), key=lambda item: -item[1]):
        print(f"  {name:<40} {cores:.3f} cores")
    return report(
        "idle",
        [
            Result("processor, all processes", late.cores, "cores", floor=0.6),
            Result("memory, all processes", late.bytes / 1e9, "GB", floor=1.5),
            Result("memory, end over middle", late.bytes / early.bytes, "ratio", floor=1.05, ratio=1.0),
            Result("growth of the log", growth / 1e6, "MB/h"),
        ],
    )


def log_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("log.db*"))


if __name__ == "__main__":
    sys.exit(main())
