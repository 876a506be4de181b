"""Fragments in the log: what is said of them is decoded by what was in force when it came."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.model.reading import Reading
from ingest.declarations import dropping, entry_of, read_declaration, spent
from ingest.known_gateways import introduce
from ingest.log import Entry, Log
from ingest.log.writer import LogWriter
from ingest.reader import LogReader
from ingest.sources import Gateway, Sources
from tests.gateway_messages import asked, dropped, said, shipped, state, topic_of

LEAF = shipped()
DATABASE = shipped("SELECT room, n FROM machines WHERE n > 3")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log(f"sqlite:///{tmp_path / 'log.db'}") as made:
        yield made


def decoded(log: Log, tmp_path: Path) -> list[Reading]:
    return list(LogReader(f"sqlite:///{tmp_path / 'log.db'}", Sources()).read(0).readings)


def rows(found: list[Reading], relation: str = LEAF.name) -> list[tuple[Any, ...]]:
    return [(reading.sign, *reading.row) for reading in found if reading.relation == relation]


def reasons(found: list[Reading]) -> list[str]:
    return [str(reading.row[2]) for reading in found if reading.relation == "rejects"]


def test_a_declaration_says_again_which_relation_its_leaf_reads() -> None:
    for leaf in (LEAF, DATABASE):
        found = read_declaration(7, asked(leaf).payload)
        assert found.relation == leaf.relation
        assert (found.is_fragment, found.site) == (True, leaf.site)


def test_a_message_is_a_row_for_each_change_and_one_that_says_that_it_came(log: Log, tmp_path: Path) -> None:
    log.append([asked(LEAF), said(LEAF, "floor-1", 5, 0, [[1, ["1.01", 2]], [-1, [None, 3.5]]])])
    found = decoded(log, tmp_path)
    head = ("floor-1", 5, 0, True)
    assert rows(found) == [(1, *head, "1.01", 2.0), (-1, *head, None, 3.5), (0, *head, None, None)]
    assert [reading.ordinal for reading in found] == [0, 1, 2]
    assert [reading.offset for reading in found] == [2, 2, 2]


def test_a_gateway_that_runs_what_nobody_here_asked_for_says_so(log: Log, tmp_path: Path) -> None:
    strange = ["fragment:00000000000000ff", "fragment:00000000000000fe"]
    log.append([asked(LEAF), state("g", state="up", incarnation=5, runs=[LEAF.name])])
    log.append([state("g", state="up", incarnation=5, runs=[LEAF.name, *strange])])
    fine, told = [row[4] for row in rows(decoded(log, tmp_path), "sites")]
    assert fine == ""
    assert told == (
        "it also runs 2 that nobody asked for here; unless another installation did, "
        "clear the retained fragments/00000000000000ff, fragments/00000000000000fe"
    )


def test_rows_count_from_the_declaration_on_and_until_it_is_dropped(log: Log, tmp_path: Path) -> None:
    early, late = said(LEAF, "g", 1, 0, []), said(LEAF, "g", 1, 2, [])
    log.append([early, asked(LEAF), said(LEAF, "g", 1, 1, []), dropped(LEAF), late])
    found = decoded(log, tmp_path)
    assert rows(found) == [], "nobody can ask for them any more"
    assert reasons(found) == [f"nobody asked for {topic_of(LEAF, 'g')}"], "only what came too early"


def test_a_fragment_that_is_back_has_no_row_of_its_earlier_life(log: Log, tmp_path: Path) -> None:
    log.append([asked(LEAF), said(LEAF, "g", 1, 0, [[1, ["a", 1.0]]]), dropped(LEAF), asked(LEAF)])
    log.append([said(LEAF, "g", 2, 0, [[1, ["b", 2.0]]])])
    assert [row[5] for row in rows(decoded(log, tmp_path))] == ["b", None]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"{", "payload is not JSON"),
        (b"[]", "payload is an array; expected an object"),
        (b'{"incarnation": 1, "sequence": 0, "changes": []}', "the payload has no settled"),
        (b'{"incarnation": "x", "sequence": 0, "settled": true}', "column incarnation: found 'x'"),
        (
            b'{"incarnation": 1, "sequence": 0, "settled": true, "changes": [[2, ["a", 1]]]}',
            "a change is [2, ['a', 1]]; expected [±1, [2 values]]",
        ),
        (
            b'{"incarnation": 1, "sequence": 0, "settled": true, "changes": [[1, ["a"]]]}',
            "expected [±1, [2 values]]",
        ),
        (
            b'{"incarnation": 1, "sequence": 0, "settled": true, "changes": [[1, ["a", 1]], [1, [7, 1]]]}',
            "column c0: found 7; expected text",
        ),
        (b'{"incarnation": 1, "sequence": 0, "settled": true, "changes": 3}', "changes is 3; expected"),
    ],
)
def test_a_wrong_message_is_one_reject_and_counts_not_even_in_part(
    log: Log, tmp_path: Path, payload: bytes, reason: str
) -> None:
    log.append([asked(LEAF), Entry("mqtt", topic_of(LEAF, "g"), payload)])
    found = decoded(log, tmp_path)
    assert rows(found) == []
    (told,) = reasons(found)
    assert reason in told


def test_what_nobody_asked_for_is_a_reject(log: Log, tmp_path: Path) -> None:
    topics = ("fragment/0123/g", "fragment/x", "gateway/g/other", "mesh/a/b")
    log.append([Entry("mqtt", topic, b"{}") for topic in topics])
    assert reasons(decoded(log, tmp_path)) == [f"nobody asked for {topic}" for topic in topics]


def test_a_gateway_says_how_it_is(log: Log, tmp_path: Path) -> None:
    log.append([state("a", state="up", incarnation=5, failed={"fragment:1": "too much"}, hops=None)])
    log.append([state("b", state="gone", incarnation=5), state("c", what=1)])
    found = decoded(log, tmp_path)
    one, two = rows(found, "sites")
    assert one == (1, "a", "up", 5, "no way to base; fragment:1: too much")
    assert two[:3] == (1, "b", "gone")
    assert two[3] == found[1].at
    assert reasons(found) == ["state is None; expected up or gone"]


def test_what_a_gateway_says_fits_every_database(log: Log, tmp_path: Path) -> None:
    log.append([state("a", state="up", incarnation=5, failed={"x\0": "half \ud800 a\nline"})])
    log.append([state("b", state="a\0b"), state("c", state="asleep")])
    found = decoded(log, tmp_path)
    assert rows(found, "sites")[0][-1] == "x\ufffd: half ? a line"
    told = ("'a\\x00b'", "'asleep'")
    assert reasons(found) == [f"state is {each}; expected up or gone" for each in told]


def test_a_database_says_what_comes_and_goes_and_that_it_answered(log: Log, tmp_path: Path) -> None:
    changes = [[0, DATABASE.name, {}], [1, DATABASE.name, {"c0": "1.01", "c1": 4}]]
    entry = Entry("db:hall", "changes", json.dumps({"changes": changes}).encode())
    log.append([asked(DATABASE), entry])
    assert rows(decoded(log, tmp_path), DATABASE.name) == [(0, None, None), (1, "1.01", 4)]


def test_gateways_are_known_before_they_speak_and_forgotten_when_they_are_declared_no_more(
    log: Log, tmp_path: Path
) -> None:
    log.append([asked(LEAF)])
    for gateways in ("ab", "ab", "b"):
        writer = LogWriter(log)
        writer.start()
        introduce([Gateway(name, ("base",)) for name in gateways], log, writer)
        assert writer.close()
    found = decoded(log, tmp_path)
    assert [row[1:3] for row in rows(found, "sites")] == [
        ("a", "unknown"),
        ("b", "unknown"),
        ("a", "removed"),
    ]
    assert rows(found) == [(-1, "a", None, None, None, None, None)]


def test_the_index_of_declarations_forgets_fragments_that_are_over_when_the_log_does(
    log: Log, tmp_path: Path
) -> None:
    table = {"name": "t", "kind": "table", "wrapper": "", "columns": [["k", "text", True]]}
    log.append([asked(LEAF), dropped(LEAF), asked(DATABASE), asked(DATABASE), entry_of(table), dropping("t")])
    log.append([asked(LEAF), dropped(LEAF)])
    declared = [read_declaration(*each) for each in log.declared()]
    assert spent(declared, 1) == []
    assert spent(declared, 8) == [1, 2, 3], "what is in force where the log begins is needed"
    assert spent(declared, 9) == [1, 2, 3, 7, 8], "of what people declare nothing is forgotten"
    log.forget_declared(spent(declared, 9))
    assert [offset for offset, _ in log.declared()] == [4, 5, 6]
