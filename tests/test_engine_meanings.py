"""What each function gives: never an exception, always a value of its type that has a place in a row."""

import math
import time
from itertools import product

import pytest

from engine.lang.streamsql import parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.values import Type, Value
from engine.plan.expressions import compiled
from engine.plan.functions import FUNCTIONS
from engine.plan.functions.geometry import region_of
from engine.plan.functions.patterns import like
from engine.plan.signatures import ANY, LIST, NUMBER, SHOWN, Cases, Overloads
from tests.corpus import CORPUS
from tests.environment.waiting import PATIENCE
from tests.oracle_values import matches
from tests.strategies import CATALOG


def is_negative_zero(value: Value) -> bool:
    return isinstance(value, float) and value == 0 and math.copysign(1, value) < 0


PYTHON_TYPES = {Type.BIGINT: int, Type.TIMESTAMP: int, Type.DOUBLE: float, Type.BOOLEAN: bool, Type.TEXT: str}
SHORT: dict[Type, list[Value]] = {
    kind: [v for v in values if not isinstance(v, str) or len(v) < 100] for kind, values in CORPUS.items()
}
for kind, values in list(SHORT.items()):
    whole = tuple(v for v in values if not is_negative_zero(v))
    SHORT[kind.listed] = [None, (), (None,), whole[:4], whole]
SQUARE = region_of("POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,2 1,2 2,1 2,1 1))")
SHORT |= {
    Type.POINT: [None, (0.0, 0.0), (1e308, -1e308), (1.5, 1.5), (3.0, 4.0)],
    Type.REGION: [None, SQUARE, region_of("MULTIPOLYGON(((0 0,1 0,0 1,0 0)),((5 5,6 5,5 6,5 5)))")],
}
SMALLER = {kind: [values[0], *values[1:8:3], *values[-1:]] for kind, values in SHORT.items()}
MEANT = (Type.BIGINT, Type.DOUBLE, Type.TEXT, Type.TIMESTAMP)
PLACES = [None, 0, 1, -1, 17, 400, -400, 2**63 - 1, -(2**63)]


def signatures(name: str) -> list[tuple[Type, ...]]:
    """The lists of types that the function takes, its variables standing for some types."""
    signature = FUNCTIONS[name].signature
    if isinstance(signature, Cases):
        return [(Type.BOOLEAN, kind, kind) for kind in MEANT]
    assert isinstance(signature, Overloads)
    found: list[tuple[Type, ...]] = []
    for overload in signature.overloads:
        rest = () if overload.rest is None else (overload.rest,) * 2
        kinds = (*MEANT, Type.BOOLEAN)
        found += [tuple(meant_by(each, kind) for each in (*overload.parameters, *rest)) for kind in kinds]
    return [types for types in dict.fromkeys(found) if signature.fit(types) is not None]


def meant_by(parameter: Type, kind: Type) -> Type:
    if parameter in (ANY, NUMBER):
        return kind
    return kind.listed if parameter is LIST else Type.TEXT if parameter is SHOWN else parameter


def has_a_place(value: Value, kind: Type) -> bool:
    if value is None:
        return True
    if kind.element is not None:
        return isinstance(value, tuple) and all(has_a_place(part, kind.element) for part in value)
    if kind is Type.POINT:
        return isinstance(value, tuple) and [type(part) for part in value] == [float, float]
    if kind is Type.REGION:
        return isinstance(value, tuple) and all(has_a_place(p, Type.POINT) for ring in value for p in ring)
    if isinstance(value, float):
        return kind is Type.DOUBLE and math.isfinite(value) and not is_negative_zero(value)
    if type(value) is int:
        return kind in (Type.BIGINT, Type.TIMESTAMP) and -(2**63) <= value < 2**63
    return type(value) is PYTHON_TYPES[kind]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gives_a_value_of_its_type_whatever_it_gets(name):
    assert signatures(name)
    for types in signatures(name):
        fit = FUNCTIONS[name].signature.fit(types)
        assert fit is not None
        corpus = SHORT if len(types) < 3 else SMALLER
        corpora = [corpus[kind] for kind in fit.types]
        if name in ("round", "trunc") and len(types) == 2:
            corpora[1] = PLACES
        for args in product(*corpora):
            if not any(map(is_negative_zero, args)):
                found = FUNCTIONS[name].meaning(*args)
                assert has_a_place(found, fit.result), (args, found)


def worth(expression: str) -> Value:
    statement = parse(f"SELECT {expression} FROM rooms")
    (only,) = SelectBinder(CATALOG, {}).bind(statement.select).expressions
    return compiled(only)(("a", 1, 0.5))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("round(2.5)", 3.0), ("round(-2.5)", -3.0), ("round(-0.4)", 0.0), ("round(1.005, 2)", 1.01),
        ("round(1234.5, -2)", 1200.0), ("round(1e300)", 1e300), ("round(0.1, 400)", 0.1),
        ("round(5, 1)", 5.0), ("floor(-0.5)", -1), ("floor(1e300)", None), ("7 % -2", 1), ("-7 % 2", -1),
        ("1 % 0", None), ("7 / 2", 3.5), ("1 / 0", None), ("9223372036854775807 + 1", None),
        ("-9223372036854775808 - 1", None), ("-(-9223372036854775808)", None),
        ("abs(-9223372036854775808)", None), ("3037000500 * 3037000500", None), ("1e308 * 10", None),
        ("1e308 + 1e308", None), ("0.0 * -1.0", 0.0), ("-(0.0)", 0.0), ("power(2, 0.5)", 2**0.5),
        ("power(-8, 1.0 / 3)", None), ("power(0, -1)", None), ("power(10, 400)", None),
        ("length('😀e\u0301')", 3), ("upper('straße')", "STRASSE"), ("'a' || NULL", None),
        ("coalesce(NULL, 2)", 2), ("CASE WHEN NULL THEN 1 ELSE 2 END", 2),
        ("CASE WHEN FALSE THEN 1 END", None), ("NULL AND FALSE", False), ("NULL AND TRUE", None),
        ("NULL OR TRUE", True), ("NULL OR FALSE", None), ("NOT NULL", None), ("1 IN (2, NULL)", None),
        ("1 IN (1, NULL)", True), ("1 NOT IN (2, NULL)", None), ("NULL IS NULL", True),
        ("CAST('12' AS BIGINT)", 12), ("CAST(' -12 ' AS BIGINT)", -12),
        ("CAST('9223372036854775808' AS BIGINT)", None), ("CAST('x' AS BIGINT)", None),
        ("CAST('\uff11\uff12' AS BIGINT)", None), ("CAST('1e400' AS DOUBLE)", None),
        ("CAST('nan' AS DOUBLE)", None), ("CAST('-0.0' AS DOUBLE)", 0.0), ("CAST(2.5 AS BIGINT)", 2),
        ("CAST(3.5 AS BIGINT)", 4), ("CAST(1e300 AS BIGINT)", None), ("CAST(0.1 AS TEXT)", "0.1"),
        ("CAST(-0.0 AS TEXT)", "0.0"), ("CAST(TRUE AS TEXT)", "true"), ("CAST('T' AS BOOLEAN)", True),
        ("CAST('yes' AS BOOLEAN)", None), ("CAST(9007199254740993 AS DOUBLE)", 9007199254740992.0),
        ("hour(CAST(1711846799999999 AS TIMESTAMP))", 0),
        ("hour(CAST(1711846800000000 AS TIMESTAMP))", 1), ("hour(CAST(-1 AS TIMESTAMP))", 23),
        ("9223372036854775807 = 9223372036854775807.0", True), ("'a' < 'B'", False),
        ("'\uffff' < '😀'", True), ("'a' LIKE 'A'", False), ("'a\\b' LIKE 'a\\\\b'", True),
        ("'a%' LIKE 'a\\%'", True), ("'ab' LIKE 'a\\%'", False), ("'a\nb' LIKE 'a_b'", True),
        ("'' LIKE '%'", True), ("'' LIKE '_'", False), ("NULL IS DISTINCT FROM NULL", False),
        ("NULL IS NOT DISTINCT FROM 1", False), ("1 IS NOT DISTINCT FROM 1.0", True),
        ("1 IS DISTINCT FROM NULL", True), ("'a' IS DISTINCT FROM 'b'", True),
    ],
)  # fmt: skip
def test_an_expression_is_worth(expression, value):
    found = worth(expression)
    assert (found, type(found)) == (value, type(value))
    assert repr(found) == repr(value)


def test_lists_are_ordered_and_a_null_inside_comes_last():
    less, equal = FUNCTIONS["<"], FUNCTIONS["="]
    assert less.signature((Type.BIGINT.listed,) * 2) is Type.BOOLEAN
    assert less.signature((Type.BIGINT.listed, Type.TEXT.listed)) is None
    rising = [(), (1,), (1, 1), (1, 2, None), (1, None), (2,), (None,), (None, 1), (None, None)]
    for i, left in enumerate(rising):
        for j, right in enumerate(rising):
            assert less.meaning(left, right) is (i < j)
            assert equal.meaning(left, right) is (i == j)
    assert less.meaning(None, ()) is None
    assert FUNCTIONS["greatest"].meaning((1, 2), None, (1, None)) == (1, None)
    assert less.meaning(((1, None), 2), ((1, 5), 2)) is False


def test_what_is_boxed_is_never_null():
    boxed = FUNCTIONS["boxed"]
    assert boxed.signature((Type.TEXT,)) is Type.TEXT.listed
    assert boxed.signature((Type.TEXT.listed,)) is Type("text[][]")
    assert (boxed.meaning(None), boxed.meaning("a")) == ((None,), ("a",))


def test_no_pattern_takes_long():
    began = time.monotonic()
    assert not like("a" * 10_000, "%a" * 50 + "%b")
    assert like("a" * 10_000, "%a%_%" * 20 + "a")
    assert time.monotonic() - began < PATIENCE


def test_like_is_its_definition():
    alphabet = ["", "a", "b", "%", "_", "\\"]
    texts = ["".join(parts) for parts in product(alphabet, repeat=3)]
    patterns = ["".join(parts) for parts in product(alphabet, repeat=4)]
    for text in sorted(set(texts)):
        for pattern in sorted(set(patterns)):
            assert like(text, pattern) == matches(text, pattern), (text, pattern)
