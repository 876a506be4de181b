"""The log's database goes away while entries are written, more than once."""

import json
import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest

from ingest.log import Entry, Log
from ingest.log.writer import LogWriter
from tests.environment.postgres import Postgres
from tests.environment.waiting import until

pytestmark = [pytest.mark.integration]

MESSAGES = 3_000


@pytest.fixture
def server() -> Iterator[Postgres]:
    made = Postgres()
    made.start()
    yield made
    made.remove()


def test_a_log_whose_database_is_away_for_a_while_has_everything_once(server: Postgres) -> None:
    told: list[int] = []
    pause = threading.Event()
    with Log(server.create_database()) as log:
        writer = LogWriter(log)
        writer.start()

        def submit() -> None:
            for number in range(MESSAGES):
                entry = Entry("mqtt", "t", json.dumps(number).encode(), number % 65_535 + 1)
                writer.submit([entry], lambda number=number: told.append(number))  # type: ignore[misc]
                pause.wait(0.001)

        submitting = threading.Thread(target=submit)
        submitting.start()
        for reached in (300, 1_200):
            until(lambda: len(told) > reached, 20, "entries to be written")  # noqa: B023
            server.stop()
            until(lambda: writer.health().error, 20, "the failure to be told")
            server.start()
            until(lambda: not writer.health().error, 20, "the writer to go on")
        submitting.join()
        until(lambda: len(told) == MESSAGES, 20, "all to be written")
        assert writer.close()
        records = log.read(0, 1 << 20, 1 << 30)
    assert told == list(range(MESSAGES))
    assert [int(each.payload) for each in records if each.source == "mqtt"] == list(range(MESSAGES))
    assert [each.offset for each in records] == list(range(1, len(records) + 1))
    assert all(before.received <= after.received for before, after in pairwise(records))
