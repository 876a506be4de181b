"""A gateway that starts again goes on with what its devices said last."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ingest.gateways import kept
from ingest.gateways.kept import Kept, Said
from tests.gateway_parts import House, planned

LAST = "SELECT seat, weight FROM seats"
LAST_TWO = "SELECT weight FROM seats [PARTITION BY seat ROWS 2]"
LATELY = "SELECT weight FROM seats [RANGE 20 SECONDS]"
TOPIC = "field/a/seat/s1"


@pytest.fixture
def house(tmp_path: Path) -> House:
    found = House({"a": ["base"]}, Random(1), disk=tmp_path)
    found.start("a")
    found.settle()
    return found


def start_again(house: House) -> None:
    house.write("a")
    house.kill("a")
    house.start("a")


def test_a_gateway_that_starts_again_answers_before_any_device_has_spoken(house: House) -> None:
    key, two = (house.install(planned(sql, house.sources)) for sql in (LAST, LAST_TWO))
    for weight in (1.0, 2.0, 3.0):
        house.says("a", "seat/s1", room="x", weight=weight)
        house.settle(1_000_000)
    start_again(house)
    house.settle()
    assert house.rows(key) == Counter({("s1", 3.0): 1})
    assert house.rows(two) == Counter({(2.0,): 1, (3.0,): 1})
    house.says("a", "seat/s1", room="x", weight=4.0)
    house.settle()
    assert house.rows(two) == Counter({(3.0,): 1, (4.0,): 1})


def test_a_window_of_time_does_not_revive_what_expired_while_the_gateway_was_away(house: House) -> None:
    key = house.install(planned(LATELY, house.sources))
    house.says("a", "seat/s1", room="x", weight=1.0)
    house.settle(15_000_000)
    house.says("a", "seat/s1", room="x", weight=2.0)
    house.settle(1_000_000)
    house.now += 6_000_000
    start_again(house)
    house.settle(1_000_000)
    assert house.rows(key) == Counter({(2.0,): 1})
    house.agents["a"].heard(TOPIC, b'{"room": "x", "weight": 2.0}', house.now, is_retained=True)
    house.settle(16_000_000)
    assert not house.rows(key)


def test_of_each_device_the_last_64_messages_are_kept_in_their_order(tmp_path: Path) -> None:
    file = Kept(tmp_path / "a.said")
    assert file.read() == []
    said = [Said(topic, n, b"%d" % n) for n in range(150) for topic in ("t", "u")]
    for each in said[:200]:
        file.keep(each)
    file.write()
    again = Kept(tmp_path / "a.said")
    assert again.read() == said[72:200]
    for each in said[200:]:
        again.keep(each)
    again.stop()
    assert Kept(tmp_path / "a.said").read() == said[-128:]


def test_what_is_kept_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_DEVICES", 3)
    file = Kept(tmp_path / "a.said")
    file.read()
    for n in range(10):
        file.keep(Said(f"t{n}", n, b"{}"))
        if n % 4 == 0:
            file.write()
    file.keep(Said("t9", 10, b"x" * (kept.LONGEST + 1)))
    file.write()
    assert [said.topic for said in Kept(tmp_path / "a.said").read()] == ["t7", "t8", "t9"]


@pytest.mark.parametrize("cut", [100, 5_000])
def test_a_damaged_file_is_said_and_begun_anew(
    tmp_path: Path, cut: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.said"
    file = Kept(path)
    file.read()
    for n in range(64):
        file.keep(Said(TOPIC, n, b"x" * 200))
    file.stop()
    path.write_bytes(path.read_bytes()[: cut - 50] + b"\xff" * 20_000)
    file = Kept(path)
    assert file.read() == []
    assert "begun anew" in capsys.readouterr().out
    file.keep(Said(TOPIC, 1, b"{}"))
    file.stop()
    assert Kept(path).read() == [Said(TOPIC, 1, b"{}")]


def test_a_disk_that_takes_nothing_stops_no_gateway(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Kept(tmp_path / "gone" / "a.said")
    assert file.read() == []
    for n in range(3):
        file.keep(Said(TOPIC, n, b"{}"))
        file.write()
    assert capsys.readouterr().out.count("not kept") == 1
    (tmp_path / "gone").mkdir()
    file.stop()
    assert len(Kept(tmp_path / "gone" / "a.said").read()) == 3
