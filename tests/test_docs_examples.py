"""Every example of the reference and the guides is carried out over the demo building.

A block ``sql`` is a text of statements; the block ``error`` after it is its message, a block ``result`` the
rows of its last statement. A block ``datalog`` is a program by itself, its ``result`` what it puts out.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from app.book.rendering import FOLDER
from engine.lang.datalog import compile_program
from engine.lang.streamsql import Query, parse_script
from engine.lang.streamsql.statements.parameters import names_in
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.outcomes import Listing
from engine.statements import Statements
from engine.views.why.effort import Effort
from ingest.building.facts import TABLES
from tests.declared_house import House
from tests.demo_building import BUILDING, catalog_of, laid_out
from tests.memory_log import MemoryLog, rows_of

BLOCK = re.compile(r"^```(\w+)(?: [\w.]+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


GIVEN = {"room": "1.01", "kiosk": "x-south"}


class Example(NamedTuple):
    """A block, and what is written below it."""

    language: str
    text: str
    kind: str
    said: str


def examples(chapter: str) -> Iterator[Example]:
    blocks = BLOCK.findall((FOLDER / f"{chapter}.md").read_text("utf-8"))
    for (language, text), (kind, said) in pairwise([*blocks, ("", "")]):
        if language in ("sql", "datalog"):
            is_said = kind in ("error", "result")
            yield Example(language, text, kind if is_said else "", said.strip() if is_said else "")


GUIDES = ("user", "analyst", "operator", "hardening")
"""That for integrators is followed over a building that runs: tests/integration/test_guides.py."""
CHAPTERS = ("streamsql", "datalog", "meters", *GUIDES)
ALL = [example for chapter in CHAPTERS for example in examples(chapter)]


@pytest.fixture(scope="module")
def building(tmp_path_factory: pytest.TempPathFactory) -> tuple[Catalog, MemoryLog]:
    """The demo building's facts and one reading of each of some devices."""
    catalog, log = catalog_of(tmp_path_factory.mktemp("facts")), MemoryLog()
    for name in TABLES:
        log.write(0, name, *laid_out(catalog[name]))
    log.write(0, "seats", *((desk.id, number % 3 == 0) for number, desk in enumerate(BUILDING.desks)))
    for number, room in enumerate(BUILDING.rooms):
        log.write(1, "lights", (room.id, 300.0 + number))
        log.write(1, "temperatures", (room.id, 18.0 + number / 10))
    for number, machine in enumerate(BUILDING.machines):
        log.write(1, "machine_states", (machine.id, number % 10 / 10, "idle", False))
        log.write(1, "energy", (machine.id, 80.0 + number, 1.0, 1))
    log.write(1, "sites", *((f"floor-{n}", "up", 0, "") for n in (1, 2)))
    log.write(1, "sites", ("floor-3", "gone", 0, "it does not answer; what it said last stands"))
    return catalog, log


def carried_out(example: Example, building: tuple[Catalog, MemoryLog]) -> object:
    """The outcome of the last statement."""
    catalog, log = building
    session = log.session(catalog)
    log.tick(session)
    statements = Statements(session, lambda: Effort(lambda: 0.0))
    outcome: object = None
    for statement in parse_script(example.text):
        asked = names_in(statement.select) if isinstance(statement, Query) else []
        outcome = statements.execute(statement, {name: GIVEN[name] for name in asked})
    return outcome


def carried_out_outside(example: Example, folder: Path) -> object:
    """The outcome of the last statement of a text that makes or writes relations: it needs a log."""
    house = House(folder)
    try:
        return house.do(example.text)[-1]
    finally:
        house.stop()


def said_by(outcome: object) -> str:
    assert isinstance(outcome, Listing)
    lines = [" | ".join(column.name for column in outcome.columns)]
    lines += [" | ".join("NULL" if v is None else str(v) for v in row) for row in outcome.rows]
    return "\n".join(lines)


@pytest.mark.parametrize("example", [e for e in ALL if e.language == "sql"], ids=lambda e: e.text[:40])
def test_an_example_of_streamsql_says_what_is_written(example: Example, building, tmp_path: Path) -> None:
    def carry_out() -> object:
        reaches_out = re.search(r"^(CREATE (STREAM|TABLE)|INSERT|DELETE)", example.text, re.MULTILINE)
        return carried_out_outside(example, tmp_path) if reaches_out else carried_out(example, building)

    if example.kind == "error":
        with pytest.raises(QueryError) as found:
            carry_out()
        assert found.value.message == " ".join(example.said.split())
        return
    outcome = carry_out()
    if example.kind == "result":
        assert said_by(outcome) == example.said


@pytest.mark.parametrize("example", [e for e in ALL if e.language == "datalog"], ids=lambda e: e.text[:40])
def test_an_example_of_datalog_says_what_is_written(example: Example) -> None:
    if example.kind == "error":
        with pytest.raises(QueryError) as found:
            compile_program(example.text)
        assert found.value.message == " ".join(example.said.split())
        return
    compiled = compile_program(example.text)
    log = MemoryLog()
    session = log.session(Catalog(relation for relation, _ in compiled.inputs.values()))
    for name, put in compiled.outputs.items():
        session.install(name, put.plan)
    log.write(1, "rejects")
    log.tick(session)
    lines = [f"{name}{shown(row)}" for name in compiled.outputs for row in sorted(rows_of(session, name))]
    if example.kind == "result":
        assert "\n".join(lines) == example.said


def shown(row: tuple[object, ...]) -> str:
    return "(" + ", ".join(f'"{v}"' if isinstance(v, str) else str(v) for v in row) + ")"


def test_the_reference_has_examples_of_both_languages() -> None:
    assert {example.language for example in ALL} == {"sql", "datalog"}
    assert Path(FOLDER).name == "docs"
