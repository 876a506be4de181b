"""Lists, which are tuples: as PostgreSQL's arrays of one dimension, counted from 1.

A NULL may be an element. A list that would be longer than a million is NULL.
"""

from collections.abc import Callable
from typing import Any

from engine.model.values import Type, Value
from engine.plan.functions.comparison import COMPARISONS
from engine.plan.functions.conversions import to_text
from engine.plan.functions.function import Function, knowing, named
from engine.plan.functions.text import joined as joined_texts
from engine.plan.meanings import Meaning, compare, in_order, logical_and, logical_or, precedes, strict
from engine.plan.signatures import ANY, LIST, Overloads, either, takes

BIGINT, BOOLEAN, TEXT = Type.BIGINT, Type.BOOLEAN, Type.TEXT
LONGEST = 1_000_000
List = tuple[Value, ...]


def concatenated(left: List | None, right: List | None) -> Value:
    """A list that is NULL adds nothing; two are NULL."""
    if left is None or right is None:
        return left if right is None else right
    return left + right if len(left) + len(right) <= LONGEST else None


def appended(values: List | None, value: Value) -> Value:
    return concatenated(values or (), (value,))


def prepended(value: Value, values: List | None) -> Value:
    return concatenated((value,), values or ())


def element(values: List, place: int) -> Value:
    return values[place - 1] if 0 < place <= len(values) else None


def sliced(values: List, first: int, last: int) -> List:
    return values[max(first - 1, 0) : max(last, 0)]


def length(values: List, dimension: int) -> int | None:
    return len(values) if values and dimension == 1 else None


def position(values: List | None, value: Value) -> Value:
    """NULL is looked for too."""
    return values.index(value) + 1 if values is not None and value in values else None


def written(values: List, separator: str, null: str | None = None) -> str:
    texts = [null if value is None else to_text(value) for value in values]
    known = [text for text in texts if text is not None]
    return joined_texts(*[part for text in known for part in (separator, text)][1:])


def parts_of(text: str | None, separator: str | None) -> Value:
    """Without a separator, the characters."""
    if text is None:
        return None
    if separator is None:
        return tuple(text)
    return () if not text else tuple(text.split(separator)) if separator else (text,)


def contains_all(values: List, others: List) -> bool:
    """A NULL is in no list."""
    known = set(values) - {None}
    return all(other in known for other in others)


def overlap(values: List, others: List) -> bool:
    return bool((set(values) & set(others)) - {None})


def quantified(function: Meaning, combine: Meaning, of_none: bool) -> Meaning:
    """Compare with each: x op ANY(list) is an OR over the elements, x op ALL(list) an AND."""

    def meaning(value: Value, values: List | None) -> Value:
        if values is None:
            return None
        result: Value = of_none
        for other in values:
            result = combine(result, function(value, other))
        return result

    return meaning


def quantifiers() -> list[Function]:
    found = []
    for symbol, function in COMPARISONS.items():
        compared = compare(function) if symbol in ("=", "<>") else precedes(function)
        for word, combine, of_none in (("ANY", logical_or, False), ("ALL", logical_and, True)):
            template = f"({{0}} {symbol} {word}({{1}}))"
            meaning = quantified(compared, combine, of_none)
            found.append(Function(f"{symbol} {word}", ONE_AND_LIST, meaning, "a value and a list", template))
    return found


def written_as(symbol: str, function: Callable[[Any, Any], bool]) -> Function:
    return Function(
        symbol, takes(LIST, LIST, result=BOOLEAN), strict(function), "two lists", f"({{0}} {symbol} {{1}})"
    )


is_any = quantified(compare(COMPARISONS["="]), logical_or, of_none=False)
ONE_AND_LIST = takes(ANY, LIST, result=BOOLEAN)
SAME_LIST = takes(LIST, result=LIST)
COUNT = takes(LIST, result=BIGINT)
WRITABLE = (TEXT, BIGINT, Type.DOUBLE, BOOLEAN)
WRITTEN: Overloads = either(
    *(takes(kind.listed, TEXT, result=TEXT) for kind in WRITABLE),
    *(takes(kind.listed, TEXT, TEXT, result=TEXT) for kind in WRITABLE),
)

DECLARED = (
    Function(
        "array",
        takes(ANY, result=LIST, rest=ANY),
        lambda *values: values,
        "values of one type",
        "ARRAY[{all}]",
    ),
    Function(
        "element", takes(LIST, BIGINT, result=ANY), strict(element), "a list and a whole number", "{0}[{1}]"
    ),
    Function(
        "slice",
        takes(LIST, BIGINT, BIGINT, result=LIST),
        strict(sliced),
        "a list and two whole numbers",
        "{0}[{1}:{2}]",
    ),
    knowing("array_cat", takes(LIST, LIST, result=LIST), concatenated, "two lists of one type"),
    knowing("array_append", takes(LIST, ANY, result=LIST), appended, "a list and a value of its type"),
    knowing("array_prepend", takes(ANY, LIST, result=LIST), prepended, "a value and a list of its type"),
    named("cardinality", COUNT, len, "a list"),
    named(
        "array_length", takes(LIST, BIGINT, result=BIGINT), length, "a list and the number of a dimension, 1"
    ),
    named("array_reverse", SAME_LIST, lambda values: values[::-1], "a list"),
    named("array_sort", SAME_LIST, lambda values: tuple(sorted(values, key=in_order)), "a list"),
    knowing("array_position", takes(LIST, ANY, result=BIGINT), position, "a list and a value of its type"),
    knowing(
        "array_contains",
        takes(LIST, ANY, result=BOOLEAN),
        lambda values, value: is_any(value, values),
        "a list and a value of its type",
    ),
    named("array_to_string", WRITTEN, written, "a list, a separator and, if wanted, a text for NULL"),
    knowing("string_to_array", takes(TEXT, TEXT, result=TEXT.listed), parts_of, "a text and a separator"),
    written_as("@>", contains_all),
    written_as("&&", overlap),
    *quantifiers(),
)
