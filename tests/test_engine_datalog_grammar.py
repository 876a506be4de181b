"""The grammar reads Soufflé's syntax, and says where a text stops being it."""

import pytest

from engine.lang.datalog import parse
from engine.lang.datalog import tree as t
from engine.model.errors import QueryError
from engine.plan.regular import matches
from tests.datalog_run import Running


def only(text: str) -> t.Clause:
    (clause,) = parse(text).clauses
    return clause


def head_term(text: str) -> t.Term:
    return only(f"p({text}).").heads[0].args[0]


def shown(term: t.Term) -> str:
    """A term with every bracket."""
    match term:
        case t.Functor(name, args):
            return (
                f"({f' {name} '.join(map(shown, args))})" if len(args) > 1 else f"({name} {shown(args[0])})"
            )
        case t.Constant(value):
            return repr(value)
    assert isinstance(term, t.Variable)
    return term.name


@pytest.mark.parametrize(
    ("text", "bracketed"),
    [
        ("1 + 2 * 3", "(1 + (2 * 3))"), ("1 - 2 - 3", "((1 - 2) - 3)"), ("2 ^ 3 ^ 2", "(2 ^ (3 ^ 2))"),
        ("-x ^ 2", "(negate (x ^ 2))"), ("2 ^ -1", "(2 ^ -1)"), ("-x * y", "((negate x) * y)"),
        ("1 bor 2 band 3 bxor 4", "(1 bor ((2 band 3) bxor 4))"), ("1 bshl 2 + 3", "(1 bshl (2 + 3))"),
        ("1 lor 2 land 3", "(1 lor (2 land 3))"),
        ("bnot 1 + 2", "((bnot 1) + 2)"), ("(1 + 2) % 3", "((1 + 2) % 3)"),
    ],
)  # fmt: skip
def test_operators_bind_as_in_souffle(text, bracketed):
    assert shown(head_term(text)) == bracketed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", 31), ("0b101", 5), ("-7", -7), ("1.5", 1.5), ("3u", 3), ('"a\\n\\"b\\""', 'a\n"b"'),
        ('"// no comment"', "// no comment"), ('"é😀"', "é😀"),
    ],
)  # fmt: skip
def test_a_literal_is_worth(text, value):
    assert head_term(text) == t.Constant(value, {"3u": "unsigned"}.get(text, head_term(text).kind))


def test_comments_and_blanks_are_passed_over():
    assert len(parse("// a\n/* b\n * c */ p(1). // d\n").clauses) == 1


def test_a_rule_may_have_several_heads_and_alternatives():
    clause = only("p(x), q(x) :- (r(x) ; s(x), !t(x)), x > 1.")
    assert [head.relation for head in clause.heads] == ["p", "q"]
    ((body, comparison),) = clause.body.alternatives
    assert isinstance(body, t.Body)
    assert len(body.alternatives) == 2
    assert isinstance(comparison, t.Comparison)


def test_brackets_of_terms_and_of_bodies_are_told_apart():
    run = Running(
        """
        .decl n(x:number) input
        .decl p(x:number) output
        p(x) :- n(x), ((x + 1) * 2 > 4), (x = 2 ; (x) = 3).
        """,
        {"n": [(1,), (2,), (3,), (4,)]},
    )
    assert run["p"] == {(2,), (3,)}


def test_declarations_directives_and_functors_are_read():
    program = parse(
        """
        .decl a, b(x:number, y:symbol) brie
        .decl c() input
        .type Name <: symbol
        .type Id = number
        .number_type Old
        .input a(IO=file, filename="a.csv", delimiter=",")
        .input b [RANGE 30 SECONDS]
        .output a, b(IO=stdout)
        .printsize a
        .functor f(x:number, symbol):number
        .pragma "provenance" "explain"
        a(1, "x") . .plan 1:(1), 2:(2, 1)
        ?- a(1, X).
        """.replace(" . .plan 1:(1), 2:(2, 1)", ". .plan 1:(1), 2:(2, 1)")
    )
    assert [d.name for d in program.declarations] == ["a", "b", "c"]
    assert [(d.kind, d.relation) for d in program.directives] == [
        ("input", "c"), ("input", "a"), ("input", "b"), ("output", "a"), ("output", "b"), ("printsize", "a"),
    ]  # fmt: skip
    assert dict(program.directives[1].parameters) == {"IO": "file", "filename": "a.csv", "delimiter": ","}
    assert program.directives[2].window == "[RANGE 30 SECONDS]"
    assert program.functors[0].parameters == ("number", "symbol")
    assert len(program.queries) == 1
    assert "provenance" in program.notes[0]


def test_names_may_be_of_any_script_and_begin_with_a_question_mark():
    run = Running('.decl größe(?x:number) output\ngröße(?y) :- ?y = strlen("größe").')
    assert run["größe"] == {(5,)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p(x y).", "syntax error at 'y', after 'p(x', line 1; expected ) or ,"),
        ("\n\np(x) :- q(x)", "syntax error at the end, after 'p(x) :- q(x)', line 3; expected , or . or ;"),
        (".decl p(x number)", "syntax error at 'number', after '.decl p(x', line 1; expected :"),
        ('p("a', "syntax error in line 1: what begins with \" must end"),
        (".comp A {}", "components are not part of this Datalog; write the relations out, line 1"),
        (
            ".decl p(x:number) choice-domain x",
            "choice-domain is not part of this Datalog; min or max choose one row of several, line 1",
        ),
        (".output p [NOW]", "a window goes with .input, line 1, found it with .output"),
        (
            ".functor f():number stateful",
            "the functor f, line 1, cannot be stateful; the same arguments give the same result",
        ),
    ],
)  # fmt: skip
def test_the_error_says_what_is_wrong(text, message):
    with pytest.raises(QueryError) as raised:
        parse(text)
    assert raised.value.message == message


def complaint(text: str) -> str:
    """The message of the error, or nothing."""
    try:
        parse(text)
    except QueryError as error:
        return error.message
    return ""


def test_a_text_of_any_characters_is_read_or_refused():
    pieces = [*"p(x).!{}[]$@#_,;é", ":-", "count:", '"', "/*", "0x", ".decl ", "\\", "1u"]
    for i, first in enumerate(pieces):
        for j, second in enumerate(pieces):
            assert "\n" not in complaint(first + second + pieces[(i * 7 + j) % len(pieces)])


def test_deep_nesting_is_no_crash():
    deep = "(" * 5_000 + "1" + ")" * 5_000
    assert parse(f"p({deep}).").clauses
    with pytest.raises(QueryError, match="nested too deeply"):
        Running(f".decl p(x:number) output\np({'-(1+' * 3_000}1{')' * 3_000}).")


@pytest.mark.parametrize(
    ("pattern", "text", "holds"),
    [
        ("a.*", "abc", True), ("a.*", "ba", False), ("[a-c]+", "abcab", True), ("[^a-c]", "a", False),
        ("(ab|c){2}", "abc", True), ("(ab|c){2}", "ab", False), ("\\d{1,2}", "123", False), ("", "", True),
        ("^a$|b?", "b", True), ("(", "(", None), ("a{3,1}", "a", None), ("(a*)*b", "a" * 300, False),
    ],
)  # fmt: skip
def test_a_pattern_matches_the_whole_text(pattern, text, holds):
    if holds is None:
        with pytest.raises(ValueError, match="no pattern"):
            matches(pattern, text)
    else:
        assert matches(pattern, text) is holds
