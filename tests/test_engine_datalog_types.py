"""Every term of a rule has one kind; a rule that mixes kinds, or binds a variable by nothing, is refused."""

import pytest

from tests.datalog_run import Running, refusal

BASE = """.decl n(x:number) input
.decl s(x:symbol, y:number) input
.decl f(x:float) input
.decl o(x:number) output
"""


@pytest.mark.parametrize(
    ("rule", "message", "part"),
    [
        ("o(x) :- s(x, _).", "x is a symbol (s's column x), and o's column x is a number", "x"),
        ("o(x) :- n(x), s(x, _).", "x is a number (n's column x), and s's column x is a symbol", "x"),
        ('o(x) :- n(x), x < "a".', "the left side of < is a number, found a symbol", '"a"'),
        ("o(strlen(x)) :- n(x).", "x is a number (n's column x), and an argument of strlen is", "x"),
        ("o(x + 1.5) :- n(x).", "an argument of + is a number, found a float", "1.5"),
        ("o(x) :- n(x), f(y), x = y.", "y is a float (f's column x), and the left side of = is", "y"),
        ("o(x) :- x = mean y : { n(y) }.", "x is a float (the mean), and o's column x is a number", "x"),
        ("o(x) :- x = sum y : { s(y, _) }.", "sum is a number, y is a symbol", "y"),
        ("o([1, 2]).", "o's column x is a number, found a record", "[1, 2]"),
        ("o(x) :- n(x), y = nil.", "nothing says of which type y is", "y"),
        ("o(9223372036854775808).", "9223372036854775808 is no number", "9223372036854775808"),
        ("o(ord(1)).", "an argument of ord is a symbol, found a number", "1"),
        ('o(as("1", number)).', "what it is cast to is a number, found a symbol", 'as("1", number)'),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_both_kinds(rule, message, part):
    found, span = refusal(BASE + rule)
    assert found.startswith(message), found
    assert span == part
    assert "line 5" in found


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("o(x) :- n(y).", "x"), ("o(x) :- n(x), !n(y).", "y"), ("o(x) :- n(x), y > 1.", "y"),
        ("o(x) :- n(x + 1).", "x"), ("o(x) :- n(y), x + 1 = y.", "x"), ("o(x) :- n(x), x = y + 1.", "y"),
        ("o(x) :- n(x), y = z, z = y, n(0 * y).", "y"),
        ("o(x) :- x = count : { n(y), y > z }.", "z"),
    ],
)  # fmt: skip
def test_a_variable_that_nothing_binds_is_named(rule, name):
    found, span = refusal(BASE + rule)
    assert found.startswith(f"{name} is bound "), found
    assert span == name


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("o(_) :- n(_).", "_ has no value in the rule for o, line 5"),
        ("o(x) :- n(x), n(-_).", "_ has no value in the rule for o, line 5"),
        ("o(x) :- n(x), !n(1 + _).", "_ has no value in the rule for o, line 5"),
        ("o(x, x) :- n(x).", "o(x) has 1 column, found 2 in the rule for o, line 5"),
        ("o(x) :- m(x).", "unknown relation m in the rule for o, line 5; there are n, s, f, o; did you mean"),
        ("o(x) :- num(x).", "unknown relation num in the rule for o, line 5; there are n, s, f, o"),
        ("o(substr(x)) :- s(x, _).", "substr takes 3 arguments, found 1"),
        ("o(x) :- s(x, y), s(_, x).", "x is a symbol (s's column x), and s's column y is a number"),
        ("o(@g(x)) :- n(x).", "unknown functor @g"),
        (".type T = T2\n.type T2 = T", "the type T, line 6, is defined by itself: T → T2 → T"),
        (".type T = number | symbol", "the type T, line 5, unites number and symbol"),
        (".type T = A {} | A {}", "the branch A, line 5, is one of T already"),
        (".decl o(x:number)", "the relation o, line 5, is declared already"),
        (".decl p(x:number, x:number)", "x stands twice in p, line 5"),
        (".decl e(x:number) eqrel", "eqrel is of two columns, line 5; e has 1"),
        (".output q", "unknown relation q in .output, line 5"),
    ],
)  # fmt: skip
def test_other_mistakes_are_named(rule, message):
    found, _ = refusal(BASE + rule)
    assert found.startswith(message.partition("; did you mean")[0]), found


def test_a_plain_number_is_of_the_kind_that_its_place_asks_for():
    run = Running(
        """
        .decl f(x:float) output
        .decl u(x:unsigned) output
        f(1). f(x * 2) :- f(x), x < 4.
        u(1). u(x - 1) :- u(x).
        """
    )
    assert run["f"] == {(1.0,), (2.0,), (4.0,)}
    assert all(type(x) is float for (x,) in run["f"])
    assert run["u"] == {(1,), (0,)}


def test_subsets_and_unions_are_of_their_parts_kind():
    run = Running(
        """
        .type City <: symbol
        .type Town <: symbol
        .type Place = City | Town
        .decl city(x:City)
        .decl place(x:Place) output
        city("a").
        place(x) :- city(x).
        """
    )
    assert run["place"] == {("a",)}


def test_conversions_change_the_kind():
    run = Running(
        """
        .decl n(x:number) output
        .decl f(x:float) output
        .decl s(x:symbol) output
        n(to_number("12")). n(to_number("x")). n(ftoi(2.9)). n(as(3u, number)). n(utoi(4u)).
        f(itof(1)). f(to_float("2.5")).
        s(to_string(1.5)). s(to_string(-3)).
        """
    )
    assert run["n"] == {(12,), (2,), (3,), (4,)}
    assert run["f"] == {(1.0,), (2.5,)}
    assert run["s"] == {("1.5",), ("-3",)}


def test_functions_in_python_are_functors():
    text = """
        .functor near(x:number, y:number):number
        .functor word(x:number):symbol
        .decl n(x:number) input
        .decl o(x:number, w:symbol) output
        o(x, @word(x)) :- n(x), n(y), x != y, @near(x, y) = 1.
        """
    words = {1: "one", 2: "two"}
    run = Running(
        text, {"n": [(1,), (2,), (9,)]}, near=lambda x, y: int(abs(x - y) < 2), word=lambda x: words.get(x)
    )
    assert run["o"] == {(1, "one"), (2, "two")}
    message, span = refusal(text, near=abs)
    assert (
        message
        == "no function for the functor word, line 3; whoever runs the program registers it, there are near"
    )
    assert span == "word"


def test_a_functor_that_gives_another_kind_is_an_error_that_names_it():
    text = ".functor f(x:number):number\n.decl n(x:number) input\n.decl o(x:number) output\no(@f(x)) :- n(x)."
    run = Running(text, f=str)
    run.log.write(1, "n", (1,))
    run.log.tick(run.session)
    (info,) = run.session.views()
    assert info.suspended is not None
    assert "the functor f gave '1', and is declared to give number" in info.suspended
