"""What is left out under pressure is counted to the message, although acquisition is killed in it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.log import Log
from ingest.pressure import BEHIND, FILE
from tests.environment.mosquitto import Mosquitto
from tests.environment.waiting import until
from tests.ingest_parts import Acquisition, Sender, logged_numbers

pytestmark = [pytest.mark.integration]

SOURCES = """
mqtt:
  counts: {topic: count/low, columns: {seq: bigint}, priority: low}
  others: {topic: count/high, columns: {seq: bigint}}
"""


@contextmanager
def views_behind(folder: Path) -> Iterator[None]:
    """Say of views that they move, and are far behind."""
    ending = threading.Event()

    def tell() -> None:
        turn = 0
        while not ending.wait(0.05):
            turn += 1
            draft = folder / "said"
            draft.write_text(json.dumps({"offset": turn - 2 * BEHIND[1]}))
            draft.replace(folder / FILE)

    telling = threading.Thread(target=tell)
    telling.start()
    try:
        yield
    finally:
        ending.set()
        telling.join()


def shed(url: str) -> dict[str, int]:
    with Log(url) as log:
        rows = [json.loads(body) for body in log.state("losses").values()]
    return {row["stream"]: row["total"] for row in rows if row["cause"] == "shed"}


def test_what_is_left_out_is_counted_to_the_message_although_we_are_killed(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    acquisition = Acquisition(tmp_path, mosquitto.port, SOURCES)
    low, high = Sender(mosquitto.port, "low"), Sender(mosquitto.port, "high")
    try:
        acquisition.wait_live()
        with views_behind(tmp_path):
            sending = [threading.Thread(target=one.send_for, args=(4.0, 250.0)) for one in (low, high)]
            for each in sending:
                each.start()
            for reached in (150, 400):
                until(lambda: shed(acquisition.url).get("counts", 0) > reached, 20, "some to be left out")  # noqa: B023
                acquisition.process.kill()
                acquisition.start()
            for each in sending:
                each.join()
        for one in (low, high):
            one.finish()
        until(lambda: accounted(acquisition.url) >= low.sent + high.sent, 30, "all to be accounted for")
        logged = logged_numbers(acquisition.url, "low")
        assert len(logged) == len(set(logged))
        assert shed(acquisition.url) == {"counts": low.sent - len(logged)}
        assert logged_numbers(acquisition.url, "high") == list(range(high.sent)), (
            "of high priority all is logged"
        )
    finally:
        acquisition.process.end()


def accounted(url: str) -> int:
    return sum(len(logged_numbers(url, name)) for name in ("low", "high")) + sum(shed(url).values())
