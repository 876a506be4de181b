"""Random programs: their rows are those that an evaluation of the bare text finds, after every change."""

from collections import Counter
from random import Random

import pytest

from engine.lang.datalog import compile_program, parse
from engine.model.catalog import Catalog
from tests.memory_log import MemoryLog, rows_of
from tests.naive_datalog import relations_of
from tests.random_clauses import INPUTS, Program, random_program, random_row

TICKS = 4


class History:
    """A program's inputs as they change, in the log and as sets."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.log = MemoryLog()
        self.facts: dict[str, set] = {name: set() for name in INPUTS}

    def change(self) -> None:
        for relation, held in self.facts.items():
            for _ in range(self.random.randrange(4)):
                row = random_row(relation, self.random)
                if row not in held:
                    self.log.write(1, relation, row)
                    held.add(row)
                elif self.random.random() < 0.6:
                    self.log.write(1, relation, row, sign=-1)
                    held.discard(row)


def follow(program: Program, random: Random) -> None:
    compiled = compile_program(program.text)
    history = History(random)
    session = history.log.session(Catalog([table for table, _ in compiled.inputs.values()]))
    for name, put in compiled.outputs.items():
        session.install(name, put.plan)
    for _ in range(TICKS):
        history.change()
        history.log.tick(session)
        expected = relations_of(parse(program.text), history.facts)
        for name in program.outputs:
            assert rows_of(session, name) == Counter(expected[name]), (name, program.text, history.facts)


def follow_many(seeds: range) -> Counter:
    features: Counter = Counter()
    for seed in seeds:
        random = Random(seed)
        program = random_program(random)
        features.update(program.features)
        follow(program, random)
    return features


def test_some_random_programs_are_as_their_text_says():
    features = follow_many(range(60))
    assert all(
        features[each] >= 2 for each in ("recursion", "negation", "aggregate", "disjunction", "record")
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_random_programs_are_as_their_text_says():
    features = follow_many(range(1_000, 5_000))
    assert min(features.values()) >= 80, features


def test_a_query_with_a_constant_finds_with_magic_sets_what_it_finds_without():
    rewritten = 0
    for seed in range(90):
        random = Random(seed)
        program = random_program(random)
        name = random.choice(program.outputs)
        text = program.text.replace(" output\n", "\n")
        kinds = dict(compile_program(program.text).relations)[name]
        values = [{"number": "1", "symbol": '"a"', "Pair": "[1, nil]"}[kind] for _, kind in kinds]
        place = random.randrange(len(kinds))
        args = [values[i] if i == place else f"x{i}" for i in range(len(kinds))]
        query = f"{name}({', '.join(args)})"
        with_, without = (compile_program(text, queries=(query,), magic=magic) for magic in (True, False))
        rewritten += with_.notes != without.notes
        history = History(random)
        session = history.log.session(Catalog([table for table, _ in with_.inputs.values()]))
        session.install("asked", with_.outputs["answer_1"].plan)
        session.install("whole", without.outputs["answer_1"].plan)
        for _ in range(TICKS):
            history.change()
            history.log.tick(session)
            assert rows_of(session, "asked") == rows_of(session, "whole"), (query, text)
    assert rewritten > 8
