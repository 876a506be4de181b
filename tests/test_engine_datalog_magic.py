"""Magic sets: fewer rows are derived for a query with constants, and its answers are the same."""

from random import Random

import pytest

from engine.lang.datalog import compile_program
from engine.model.catalog import Catalog
from tests.memory_log import MemoryLog, rows_of

CLOSURE = ".decl e(x:number, y:number) input\n.decl p(x:number, y:number)\np(x, y) :- e(x, y).\n"
STEPS = {
    "right": "p(x, z) :- e(x, y), p(y, z).",
    "left": "p(x, z) :- p(x, y), e(y, z).",
    "double": "p(x, z) :- p(x, y), p(y, z).",
}


def kept(text: str, query: str, facts: dict, *, magic: bool):
    """The answers to a query, how many rows were derived for it, and what was noted."""
    program = compile_program(text, queries=(query,), magic=magic)
    derived = [name for name in program.binder.bound if name not in program.inputs]
    log = MemoryLog()
    session = log.session(Catalog([table for table, _ in program.inputs.values()]))
    for i, name in enumerate(derived):
        session.install(f"v{i}", program.plan(name))
    for name, rows in facts.items():
        log.write(1, name, *rows)
    log.tick(session)
    rows = {name: rows_of(session, f"v{i}") for i, name in enumerate(derived)}
    return rows["answer_1"], sum(map(len, rows.values())), program.notes


def chains() -> dict:
    """Twenty chains of ten links each."""
    return {"e": [(100 * c + i, 100 * c + i + 1) for c in range(20) for i in range(10)]}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("query", ["p(500, X)", "p(X, 510)", "p(500, 507)", "p(X, Y), X = 500"])
def test_a_query_of_one_chain_derives_none_of_the_others(step, query):
    with_, few, notes = kept(CLOSURE + STEPS[step], query, chains(), magic=True)
    without, many, nothing = kept(CLOSURE + STEPS[step], query, chains(), magic=False)
    assert with_ == without
    assert with_
    assert notes
    assert not nothing
    assert few < many


def test_the_rows_derived_are_a_tenth_for_one_generation():
    text = """.decl parent(c:number, p:number) input
.decl same(x:number, y:number)
same(x, y) :- parent(x, p), parent(y, p).
same(x, y) :- parent(x, p), same(p, q), parent(y, q)."""
    tree = {"parent": [(i, (i - 1) // 2) for i in range(1, 255)]}
    with_, few, notes = kept(text, "same(1, X)", tree, magic=True)
    without, many, _ = kept(text, "same(1, X)", tree, magic=False)
    assert with_ == without
    assert notes == ("same is derived only for the x that is asked for: magic sets",)
    assert few * 10 < many


@pytest.mark.parametrize(
    ("rules", "query"),
    [
        ("p(x, z) :- e(x, y), p(y, z).", "p(X, Y)"),
        ("p(x, z) :- e(x, y), p(y, z).", "p(1, X), !p(X, 1)"),
        ("p(x, z) :- e(x, y), p(y, z).", "n = count : { p(1, _) }"),
        ("p(x, z) :- e(x, y), p(y, z).", "p(1, X), p(X, Y)"),
        ("p(x, y + 1) :- p(x, y), y < 9. .output p", "p(1, X)"),
    ],
)
def test_what_is_needed_whole_is_computed_whole(rules, query):
    _, _, notes = kept(CLOSURE + rules, query, {"e": [(1, 2)]}, magic=True)
    assert notes == ()


def test_an_output_that_calls_with_constants_is_rewritten_too():
    text = CLOSURE + STEPS["right"] + "\n.decl from_one(y:number) output\nfrom_one(y) :- p(1, y).\n"
    program = compile_program(text)
    assert program.notes == ("p is derived only for the x that is asked for: magic sets",)


def test_what_a_functor_makes_is_not_asked_for():
    """Asking for p(n - 1), p(n - 2), … would have no end."""
    text = """.decl e(x:number, y:number) input
.decl p(x:number, y:number)
p(x, y) :- e(x, y).
p(n, y) :- p(m, y), m = n - 1, e(n, _).
p(n, y) :- e(n, y), p(n - 1, y)."""
    facts = {"e": [(1, 2), (2, 3), (3, 2)]}
    assert kept(text, "p(3, X)", facts, magic=True)[0] == kept(text, "p(3, X)", facts, magic=False)[0]


def test_random_graphs_answer_alike():
    for seed in range(20):
        random = Random(seed)
        edges = {(random.randrange(8), random.randrange(8)) for _ in range(12)}
        step, query = random.choice(list(STEPS.values())), random.choice(["p(1, X)", "p(X, 1)", "p(2, 3)"])
        with_, without = (kept(CLOSURE + step, query, {"e": edges}, magic=m)[0] for m in (True, False))
        assert with_ == without, (seed, step, query)
