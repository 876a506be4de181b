"""Datalog programs run: their rows are those of the oracle, before and after every change."""

from tests.datalog_run import Running


def test_the_closure_of_a_graph_follows_its_edges():
    run = Running(
        """
        .decl edge(x:number, y:number)
        .input edge
        .decl path(x:number, y:number)
        .output path
        path(x, y) :- edge(x, y).
        path(x, z) :- path(x, y), edge(y, z).
        """,
        {"edge": [(1, 2), (2, 3)]},
    )
    assert run["path"] == {(1, 2), (2, 3), (1, 3)}
    run.tick({"edge": [(3, 1)]})
    assert len(run["path"]) == 9
    run.tick(deleted={"edge": [(3, 1)]})
    assert run["path"] == {(1, 2), (2, 3), (1, 3)}


def test_count_and_sum_of_nothing_are_zero_and_the_least_of_nothing_is_none():
    run = Running(
        """
        .decl room(r:symbol) input
        .decl seat(r:symbol, n:number) input
        .decl seats(r:symbol, n:number, s:number) output
        .decl least(r:symbol, n:number) output
        seats(r, n, s) :- room(r), n = count : { seat(r, _) }, s = sum x : { seat(r, x) }.
        least(r, n) :- room(r), n = min x : { seat(r, x) }.
        """,
        {"room": [("a",), ("b",)], "seat": [("a", 3), ("a", 4)]},
    )
    assert run["seats"] == {("a", 2, 7), ("b", 0, 0)}
    assert run["least"] == {("a", 3)}
    run.tick(deleted={"seat": [("a", 3), ("a", 4)]})
    assert run["seats"] == {("a", 0, 0), ("b", 0, 0)}
    assert run["least"] == set()


def test_what_has_no_value_derives_nothing():
    run = Running(
        """
        .decl n(x:number) input
        .decl r(x:number) output
        .decl none(x:number) output
        r(6 / x) :- n(x).
        none(x) :- n(x), !n(6 / x).
        """,
        {"n": [(0,), (2,), (3,), (4,)]},
    )
    assert run["r"] == {(3,), (2,), (1,)}
    assert run["none"] == {(4,)}


def test_records_and_branches_are_built_and_taken_apart():
    run = Running(
        """
        .type List = [head:number, tail:List]
        .type Expr = Num { v:number } | Add { l:Expr, r:Expr } | Neg { e:Expr }
        .decl item(x:number) input
        .decl list(l:List)
        .decl length(l:List, n:number) output
        list([x, nil]) :- item(x).
        list([x, [y, t]]) :- list([y, t]), item(x), x < y.
        length(nil, 0).
        length(l, n + 1) :- list(l), l = [_, t], length(t, n).
        .decl root(e:Expr)
        .decl e(e:Expr)
        .decl value(e:Expr, v:number)
        .decl result(v:number) output
        root($Add($Num(x), $Neg($Num(5)))) :- item(x).
        e(x) :- root(x); e($Add(x, _)); e($Add(_, x)); e($Neg(x)).
        value(x, v) :- e(x), x = $Num(v).
        value(x, a + b) :- e(x), x = $Add(l, r), value(l, a), value(r, b).
        value(x, -a) :- e(x), x = $Neg(y), value(y, a).
        result(v) :- root(x), value(x, v).
        """,
        {"item": [(1,), (2,), (3,)]},
    )
    assert max(n for _, n in run["length"]) == 3
    assert ((1, (2, (3, ()))), 3) in run["length"]
    assert run["result"] == {(-4,), (-3,), (-2,)}
    run.tick(deleted={"item": [(2,)]})
    assert run["result"] == {(-4,), (-2,)}
    assert max(n for _, n in run["length"]) == 2


def test_mutual_recursion_alternates():
    run = Running(
        """
        .decl top(n:number) input
        .decl even(x:number) output
        .decl odd(x:number) output
        even(0).
        odd(x + 1) :- even(x), top(n), x < n.
        even(x + 1) :- odd(x), top(n), x < n.
        """,
        {"top": [(5,)]},
    )
    assert run["even"] == {(0,), (2,), (4,)}
    assert run["odd"] == {(1,), (3,), (5,)}
    run.tick({"top": [(2,)]}, {"top": [(5,)]})
    assert run["even"] == {(0,), (2,)}
