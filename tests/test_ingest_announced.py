"""The index of announcements: written with their entries, read after these are gone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.discovery.superseded import superseded
from ingest.log import Entry, Log

TOPIC = "homeassistant/sensor/kitchen/config"


@pytest.fixture(params=["sqlite", "postgresql"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    url = f"sqlite:///{tmp_path}/log.db" if request.param == "sqlite" else request.getfixturevalue("postgres")
    with Log(str(url)) as made:
        yield made


def told(log: Log, after: int = 0) -> list[tuple[int, str, str, bytes]]:
    return [tuple(each) for each in log.announced(after)]


def test_an_announcement_is_indexed_with_its_entry_and_other_messages_are_not(log: Log) -> None:
    log.append([Entry("mqtt", "kitchen/t", b"21"), Entry("mqtt", TOPIC, b"{}"), Entry("other", TOPIC, b"{}")])
    log.append([Entry("registry", "kitchen", b'{"room": "1.01"}')])
    assert told(log) == [(2, "mqtt", TOPIC, b"{}"), (4, "registry", "kitchen", b'{"room": "1.01"}')]
    assert told(log, after=2) == [(4, "registry", "kitchen", b'{"room": "1.01"}')]


def test_of_what_is_decoded_no_more_the_newest_of_each_topic_stays_and_a_removal_goes(log: Log) -> None:
    for body in (b'{"a": 1}', b'{"a": 2}', b'{"a": 3}'):
        log.append([Entry("mqtt", TOPIC, body)])
    log.append([Entry("mqtt", TOPIC + "x", b"{}"), Entry("mqtt", TOPIC[:-6] + "/2/config", b"{}")])
    log.append([Entry("mqtt", TOPIC[:-6] + "/2/config", b"")])
    log.append([Entry("registry", "kitchen", b'{"forgotten": true}')])
    log.append([Entry("registry", "kitchen", b'{"room": "1.01"}'), Entry("mqtt", TOPIC, b'{"a": 4}')])
    log.forget_announced(superseded(log.announced(), 9))
    assert [each.offset for each in log.announced()] == [3, 7, 8, 9]
