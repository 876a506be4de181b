"""Whatever breaks, in any order: what SmartCIS acknowledged is in the log exactly once, and gaps are shown.

    senders ─→ Mosquitto ─ wire ─→ acquisition ─→ log on a small disk

A run is a random schedule of faults, one or two at a time: the broker killed, acquisition killed, the wire
cut or standing still, the disk full. Senders number their messages and resend what the broker did not
acknowledge. The wire reads along what SmartCIS acknowledged. What Mosquitto loses when it is killed is a
gap, which a sender that kept it closes. SMARTCIS_FAULT_RUNS and SMARTCIS_FAULT_SEED choose other runs.
"""

import json
import os
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from ingest.log import Log
from tests.environment.mosquitto import Mosquitto
from tests.environment.small_disk import SmallDisk, small_disk
from tests.environment.waiting import until
from tests.environment.wire import Wire
from tests.ingest_parts import Acquisition, Sender

pytestmark = [pytest.mark.integration]

SOURCES = """
mqtt:
  counts:
    topic: count/{sender}
    columns: {sender: text, seq: bigint}
    key: [sender]
    sequence: seq
"""
RUNS = int(os.environ.get("SMARTCIS_FAULT_RUNS", "50"))
SEED = int(os.environ.get("SMARTCIS_FAULT_SEED", "1"))
FAULTS = ("broker", "acquisition", "cut", "still", "disk")
SENDERS, RATE = 3, 60.0
DISK = 24  # megabytes


class House:
    """All parts, and what can be done to them."""

    def __init__(self, mosquitto: Mosquitto, disk: SmallDisk) -> None:
        self.mosquitto, self.disk = mosquitto, disk
        self.wire = Wire(mosquitto.port)
        self.acquisition = Acquisition(disk.folder, self.wire.port, SOURCES)
        self.acquisition.wait_live()
        self.senders = [Sender(mosquitto.port, f"s{number}") for number in range(SENDERS)]
        self.log = Log(self.acquisition.url)

    def breaks(self, fault: str) -> Callable[[], None]:
        """Break a part; return what mends it."""
        match fault:
            case "broker":
                self.mosquitto.kill()
                return self.mosquitto.start
            case "acquisition":
                self.acquisition.process.kill()
                return self.acquisition.start
            case "cut":
                self.wire.cut()
                return self.wire.mend
            case "still":
                self.wire.stand_still()
                return self.wire.mend
            case _:
                self.disk.fill()
                return self.disk.empty

    def send_last(self) -> None:
        """Have every sender say more until it is logged: what is not lost of all before it is logged then.

        A broker that lost its state forgets what comes before we are back: there is nobody to keep it for.
        """
        try:
            until(self._is_last_logged, 40, "every sender's last message to be logged")
        except TimeoutError as error:
            raise TimeoutError(f"{error}; {self.told()}") from error

    def told(self) -> str:
        """Return how the parts are."""
        ended, health = self.acquisition.process.popen.poll(), self.acquisition.health()
        unsent = [sender.sent - len(sender.acknowledged) for sender in self.senders]
        return f"acquisition ended: {ended}, says {health}; not acknowledged to senders: {unsent}"

    def _is_last_logged(self) -> bool:
        for sender in self.senders:
            sender.send()
        threading.Event().wait(0.5)
        logged = self.logged()
        return all((sender.name, sender.sent - 1) in logged for sender in self.senders)

    def logged(self) -> Counter[tuple[str, int]]:
        """Count how often each number of each sender is in the log."""
        records = [each for each in self.log.read(0, 1 << 20, 1 << 30) if each.topic.startswith("count/")]
        return Counter((each.topic.partition("/")[2], json.loads(each.payload)["seq"]) for each in records)

    def lost(self) -> list[tuple[Sender, int]]:
        """Return what senders said that is not in the log."""
        logged = self.logged()
        return [(s, n) for s in self.senders for n in range(s.sent) if (s.name, n) not in logged]

    def gaps(self) -> int:
        """Return how many messages the log says are missing."""
        rows = [json.loads(body) for body in self.log.state("losses").values()]
        return sum(row["total"] for row in rows)

    def close(self) -> None:
        for sender in self.senders:
            sender.client.disconnect()
            sender.client.loop_stop()
        self.acquisition.process.end()
        self.log.close()
        self.wire.close()


@contextmanager
def house(folder: Path) -> Iterator[House]:
    with ExitStack() as stack:
        (folder / "mosquitto").mkdir()
        mosquitto = Mosquitto(folder / "mosquitto")
        mosquitto.start()
        stack.callback(mosquitto.stop)
        disk = stack.enter_context(small_disk(folder / "disk", DISK))
        found = House(mosquitto, disk)
        stack.callback(found.close)
        yield found


def run(folder: Path, seed: int, rounds: int) -> None:
    """One run: faults while all send, recovery, and what must hold then."""
    draw = random.Random(seed)
    with house(folder) as found:
        ending = threading.Event()
        sending = [threading.Thread(target=send_until, args=(one, ending)) for one in found.senders]
        for thread in sending:
            thread.start()
        schedule = [draw.sample(FAULTS, draw.choice((1, 1, 2))) for _ in range(rounds)]
        for faults in schedule:
            ending.wait(draw.uniform(0.1, 0.6))
            mends = [found.breaks(fault) for fault in faults]
            ending.wait(draw.uniform(0.1, 0.9))
            for mend in mends:
                mend()
        ending.set()
        for thread in sending:
            thread.join()
        check(found, f"seed {seed}: {schedule}", may_lose=any("broker" in faults for faults in schedule))


def check(found: House, run_of: str, *, may_lose: bool) -> None:
    found.send_last()
    logged, lost = found.logged(), found.lost()
    assert [key for key, times in logged.items() if times > 1] == [], f"logged twice, {run_of}"
    acknowledged = [(t.partition("/")[2], json.loads(p)["seq"]) for t, p in found.wire.acknowledged]
    assert acknowledged, run_of
    assert found.wire.acknowledged_unsent == [], f"on a connection that had not brought them, {run_of}"
    assert [each for each in acknowledged if each not in logged] == [], f"acknowledged, not logged, {run_of}"
    assert not lost or may_lose, f"lost without a broker that was killed, {run_of}"
    until(lambda: found.gaps() == len(lost), 5, f"the log to say that {len(lost)} are missing, {run_of}")
    for sender, number in lost:
        sender.resend(number)
    until(lambda: not found.lost() and found.gaps() == 0, 20, f"what was lost to be recovered, {run_of}")
    assert set(found.logged().values()) == {1}, run_of
    records = found.log.read(0, 1 << 20, 1 << 30)
    assert [each.offset for each in records] == list(range(1, len(records) + 1)), run_of
    assert all(a.received <= b.received for a, b in pairwise(records)), run_of


def send_until(sender: Sender, ending: threading.Event) -> None:
    while not ending.wait(1 / RATE):
        sender.send()


@pytest.mark.parametrize("seed", [1, 2])
def test_what_was_acknowledged_is_in_the_log_exactly_once_whatever_breaks(seed: int, tmp_path: Path) -> None:
    run(tmp_path, seed, rounds=4)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(RUNS))
def test_fifty_random_runs_of_faults(number: int, tmp_path: Path) -> None:
    run(tmp_path, 1_000 * SEED + number, rounds=5)
