"""Runs Datalog programs in memory: facts and changes go in, rows come out, checked against the oracle."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.lang.datalog import compile_program
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.values import Row
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate

Changes = Mapping[str, Iterable[Row]]


class Running:
    """A program by itself; after every tick each output is as recomputed."""

    def __init__(self, text: str, facts: Changes | None = None, **functions: Callable[..., Any]) -> None:
        self.compiled = compile_program(text, functions)
        self.log = MemoryLog()
        self.session = self.log.session(Catalog([table for table, _ in self.compiled.inputs.values()]))
        for name, put in self.compiled.outputs.items():
            self.session.install(name, put.plan)
        self.check()
        if facts:
            self.tick(facts)

    def tick(self, inserted: Changes | None = None, deleted: Changes | None = None) -> None:
        for sign, changes in ((-1, deleted or {}), (1, inserted or {})):
            for name, rows in changes.items():
                self.log.write(1, name, *rows, sign=sign)
        self.log.tick(self.session)
        self.check()

    def check(self) -> None:
        for name, put in self.compiled.outputs.items():
            expected = evaluate(put.plan, self.log.readings, self.session.stamp.at)
            assert rows_of(self.session, name) == expected, name

    def __getitem__(self, name: str) -> set[Row]:
        rows = rows_of(self.session, name)
        assert set(rows.values()) <= {1}, "a relation has each row once"
        return set(rows)


def refusal(text: str, **functions: Callable[..., Any]) -> tuple[str, str]:
    """The message of the error that a program is refused with, and the part of the text that it is about."""
    try:
        compile_program(text, functions)
    except QueryError as error:
        return error.message, text[error.span.start : error.span.end] if error.span else ""
    raise AssertionError("no error")
