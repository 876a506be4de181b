"""Every row of the recorded programs has a proof down to facts, and what is no row is told not to hold."""

import io
from pathlib import Path
from random import Random

import pytest

from app.datalog.explain import Explanations
from app.datalog.run import Asked, Run
from engine.lang.datalog.binding import ProgramBinder
from engine.plan.logical import Scan

RUNS = Path(__file__).parent / "golden" / "datalog_runs"
CASES = sorted(path.name for path in RUNS.iterdir() if path.name not in ("broken", "functors"))
EACH = 5
IS_FACT = "  is a fact"


def loaded(folder: Path, tmp_path: Path) -> Run:
    """A program over its facts, before any update."""
    given, functors = folder / "stdin", folder / "functors.py"
    stdin = io.StringIO(given.read_text() if given.exists() else "")
    asked = Asked(folder, tmp_path, functors=functors if functors.exists() else None)
    run = Run((folder / "program.dl").read_text(), asked, stdin)
    run.load()
    return run


@pytest.mark.parametrize("case", CASES)
def test_each_row_has_a_proof_and_nothing_else_has(case, tmp_path):
    run, random = loaded(RUNS / case, tmp_path), Random(case)
    plans = ProgramBinder(run._program, lambda name: Scan(run._compiled.inputs[name][0], None))
    explanations = Explanations(run._program, plans.plan, run._engine, run._texts)
    given = {run._atom(name, row) for name in run._shapes for row in run._engine.facts(name)}
    text = (RUNS / case / "program.dl").read_text()
    for name, shape in run._shapes.items():
        rows = sorted(run._engine.rows_of(plans.plan(name)))
        columns = list(zip(*rows, strict=True))
        for row in random.sample(rows, min(EACH, len(rows))):
            lines = list(explanations.lines(shape, row))
            assert lines[0].removesuffix(IS_FACT) == run._atom(name, row)
            leaves = {line.strip().removesuffix(IS_FACT) for line in lines if line.endswith(IS_FACT)}
            assert all(leaf in given or f"{leaf}." in text for leaf in leaves)
        for _ in range(EACH if columns else 0):
            row = tuple(map(random.choice, columns))
            if row not in rows:
                first = next(explanations.lines(shape, row))
                assert first == f"{run._atom(name, row)} does not hold"
