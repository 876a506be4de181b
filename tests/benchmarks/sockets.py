"""A hundred browsers at the production server, twenty deltas a second each; then some that do not keep up.

    floor: 99 of 100 deltas within 300 ms, and pages within 200 ms, also beside slow browsers; memory flat

Server, browsers and whoever opens pages are three processes on one machine. A delta's age is from the time
of its tick to its being parsed in the browser. SECONDS (300) is how long it all takes.
"""

import asyncio
import http.client
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.benchmarks._report import Result, quantile, report
from tests.benchmarks._socket_browsers import Browser
from tests.environment.product import memory_bytes
from tests.environment.waiting import free_port

ROOT = Path(__file__).resolve().parents[2]
SECONDS = float(os.environ.get("SECONDS", "300"))
BROWSERS, DELTAS_A_SECOND = 100, 20
SLOW, SLOW_BETWEEN = 5, 0.2
PARTS = (0.5, 0.95, 0.99, 0.999)
SETTLE = min(10.0, SECONDS / 5)


class Server:
    """The server as a process, and its worker."""

    def __init__(self, state: str) -> None:
        self.port = free_port()
        command = [sys.executable, "-m", "tests.benchmarks._socket_server"]
        arguments = [str(self.port), state, str(DELTAS_A_SECOND)]
        self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stdout
        self.cookie = self._sign_in(self.process.stdout.readline().strip())
        self.worker = psutil.Process(self.process.pid).children()[0]

    def _sign_in(self, link: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request("GET", link)
        return str(connection.getresponse().headers["Set-Cookie"]).partition(";")[0]

    def used(self) -> float:
        """Return the processor seconds of the worker so far."""
        times = self.worker.cpu_times()
        return float(times.user + times.system)


class Phase(NamedTuple):
    """What was measured over some seconds: of browsers, of pages, of the server."""

    ages: list[float]
    pages: list[float]
    rate: float
    cores: float
    memory: float

    def __str__(self) -> str:
        parts = ", ".join(f"p{part * 100:g} {quantile(self.ages, part):.0f}" for part in PARTS)
        pages = ", ".join(f"p{part * 100:g} {quantile(self.pages, part):.0f}" for part in (0.5, 0.99))
        return (
            f"deltas {parts}, most {max(self.ages):.0f} ms; pages {pages}, most {max(self.pages):.0f} ms; "
            f"{self.cores:.2f} cores; {self.memory / 1e6:.0f} MB; {self.rate:.1f} deltas a second each"
        )


async def measure(server: Server, browsers: list[Browser], seconds: float) -> Phase:
    """Look at the browsers, and open pages, for so long."""
    asker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.benchmarks._socket_asker", str(server.port), server.cookie,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    for browser in browsers:
        browser.begin()
    used = server.used()
    await asyncio.sleep(seconds)
    ages = [age for browser in browsers for age in browser.ages]
    cores = (server.used() - used) / seconds
    pages, _ = await asker.communicate(b"")
    rate = len(ages) / seconds / len(browsers)
    return Phase(ages, json.loads(pages), rate, cores, memory_bytes([server.worker]))


async def arrive(browsers: list[Browser]) -> list["asyncio.Task[None]"]:
    """Let everybody in, and wait until each has its view."""
    tasks = [asyncio.create_task(browser.stay()) for browser in browsers]
    await asyncio.wait_for(asyncio.gather(*(browser.has_snapshot.wait() for browser in browsers)), 30)
    await asyncio.sleep(SETTLE)
    return tasks


async def run(server: Server) -> list[Result]:
    seconds = (SECONDS - 2 * SETTLE) / 2
    fast = [Browser(server.port, server.cookie) for _ in range(BROWSERS)]
    slow = [Browser(server.port, server.cookie, SLOW_BETWEEN) for _ in range(SLOW)]
    tasks = await arrive(fast)
    alone = await measure(server, fast, seconds)
    print(f"{BROWSERS} browsers: {alone}")
    tasks += await arrive(slow)
    beside = await measure(server, fast, seconds)
    print(f"and {SLOW} slow: {beside}")
    print(f"the slow ones began again {[one.snapshots for one in slow]} times")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return results(alone, beside, fast, slow)


def results(alone: Phase, beside: Phase, fast: list[Browser], slow: list[Browser]) -> list[Result]:
    with_slow = quantile(beside.ages, 0.99)
    ratio = with_slow / quantile(alone.ages, 0.99)
    lost = sum(browser.is_lost for browser in fast) + sum(browser.gaps for browser in [*fast, *slow])
    grown = beside.memory / alone.memory
    return [
        Result("delta to browser, p99", quantile(alone.ages, 0.99), "ms", floor=300),
        Result("the same beside slow browsers", with_slow, "ms", floor=300, ratio=ratio),
        Result("page meanwhile, p99", quantile(alone.pages, 0.99), "ms", floor=200),
        Result("the same beside slow browsers", quantile(beside.pages, 0.99), "ms", floor=200),
        Result("deltas a second and browser", min(alone.rate, beside.rate), "/s", "higher", floor=19),
        Result("gaps, and browsers lost", lost, "", floor=0),
        Result("memory, end over middle", grown, "ratio", floor=1.05, ratio=grown),
        Result("processor of the server", alone.cores, "cores"),
        Result("oldest delta in a slow browser", max(one.oldest for one in slow) / 1000, "s"),
    ]


def main() -> int:
    with tempfile.TemporaryDirectory() as state:
        server = Server(state)
        try:
            found = asyncio.run(run(server))
        finally:
            server.process.terminate()
            server.process.wait(30)
    return report("sockets", found)


if __name__ == "__main__":
    sys.exit(main())
