"""Each stratum of a program has a class, with its reason; staged programs run."""

from collections import deque
from random import Random

import pytest

from engine.lang.datalog import classify
from engine.lang.datalog.classes import Class, Kind
from tests.datalog_run import Running, refusal

TREE = """
.decl g(x:number, y:number) input
.decl most(n:number) input
.decl h(x:number, y:number, d:number) output
.decl above(y:number, d:number)
h(0, 0, 0).
h(0, x, 1) :- g(0, x).
above(y, d + 1) :- h(_, y, e), d + 1 > e, h(_, x, d), g(x, y).
h(x, y, d + 1) :- g(x, y), h(_, x, d), !above(y, d + 1), most(n), d < n.
"""


def class_of(text: str, relation: str) -> Class:
    (found,) = [each for each in classify(text) if relation in each.stratum.relations]
    return found


@pytest.mark.parametrize(
    ("rules", "kind", "reason"),
    [
        ("p(x, y) :- e(x, y).", Kind.PLAIN, "no rule reads what it defines"),
        ("p(x, y) :- e(x, y), !e(y, x).", Kind.PLAIN, "negation of finished strata"),
        ("p(x, y) :- e(x, y). p(x, z) :- p(x, y), e(y, z).", Kind.POSITIVE, "linear"),
        ("p(x, z) :- p(x, y), p(y, z).", Kind.POSITIVE, "non-linear, 2 atoms in a rule"),
        ("p(x, z) :- p(x, y), e(y, z), !e(z, x).", Kind.POSITIVE, "linear, over negation of finished strata"),
        (
            "p(x, n + 1) :- p(y, n), e(y, x).",
            Kind.POSITIVE,
            "linear, locally non-recursive by p's argument 2",
        ),
        ("p(x, n + 1) :- e(x, _), p(_, n), !p(x, n).", Kind.STAGED, "stage p's argument 2; in a stage p"),
        ("p(x, n) :- e(x, n), !p(x, n).", Kind.REFUSED, "negation through recursion: p → p"),
        ("p(x, n) :- e(x, n), !p(x, n + 1).", Kind.REFUSED, "negation through recursion: p → p"),
        (
            "p(x, n) :- e(x, _), n = count : { p(_, _) }.",
            Kind.REFUSED,
            "aggregation through recursion: p → p",
        ),
    ],
)
def test_a_stratum_is_classified(rules, kind, reason):
    found = class_of(f".decl e(x:number, y:number)\n.decl p(x:number, y:number)\n{rules}", "p")
    assert (found.kind, found.reason) == (kind, reason)


def test_win_is_refused_with_its_cycle():
    text = ".decl move(x:number, y:number) input\n.decl win(x:number) output\nwin(x) :- move(x, y), !win(y)."
    message, span = refusal(text)
    assert message.startswith(
        "negation through recursion: win → win, line 3; a stratified program may not do this"
    )
    assert span == "win(y)"


def test_a_cycle_through_several_relations_is_named_whole():
    text = """.decl e(x:number) input
.decl a, b, c(x:number) output
a(x) :- e(x), b(x).
b(x) :- e(x), !c(x).
c(x) :- a(x)."""
    assert refusal(text)[0].startswith("negation through recursion: b → c → a → b, line 4")


def test_the_tree_programs_are_staged():
    found = class_of(TREE, "h")
    assert found.kind is Kind.STAGED
    assert found.reason == "stage h's argument 3, above's argument 2; in a stage above, then h"


def links(*pairs):
    return [(a, b) for a, b in pairs] + [(b, a) for a, b in pairs]


def trees(edges, most):
    """All shortest paths from 0, by their last links."""
    far = {0: 0}
    queue = deque([0])
    while queue:
        x = queue.popleft()
        for a, y in edges:
            if a == x and y not in far:
                far[y] = far[x] + 1
                queue.append(y)
    rows = {(0, 0, 0)} | {(x, y, far[x] + 1) for x, y in edges if x in far and far[y] == far[x] + 1}
    return {row for row in rows if row[2] <= most}


def test_logic_h_finds_the_tree_of_the_fixture():
    edges = links((0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4))
    run = Running(TREE, {"g": edges, "most": [(5,)]})
    assert run["h"] == {(0, 0, 0), (0, 1, 1), (0, 2, 1), (1, 3, 2), (2, 3, 2), (3, 4, 3)}
    run.tick(deleted={"g": links((0, 1))})
    assert run["h"] == {(0, 0, 0), (0, 2, 1), (2, 1, 2), (2, 3, 2), (3, 4, 3)}


def test_logic_h_follows_random_links():
    for seed in range(12):
        random = Random(seed)
        pairs = [(a, b) for a in range(6) for b in range(a)]
        run, held = Running(TREE, {"most": [(6,)]}), set()
        for _ in range(6):
            flipped = set(random.sample(pairs, 3))
            run.tick({"g": links(*(flipped - held))}, {"g": links(*(flipped & held))})
            held ^= flipped
            assert run["h"] == trees(links(*held), 6), (seed, held)
