"""Patterns of texts, LIKE's and regular expressions, matched in a time that the lengths bound."""

import re
from functools import lru_cache

from engine.model.values import Type
from engine.plan.functions.function import Function
from engine.plan.meanings import strict
from engine.plan.regular import occurs
from engine.plan.signatures import takes

TWO_TEXTS = takes(Type.TEXT, Type.TEXT, result=Type.BOOLEAN)


@lru_cache(maxsize=1024)
def like_pattern(pattern: str) -> re.Pattern[str]:
    """Translate a LIKE pattern; a backslash takes the next character as it is.

    What stands between two % is taken where it is first found and never given back (``?>``), so
    that no text takes longer than its length times the pattern's.
    """
    pieces = [""]
    characters = iter(pattern)
    for character in characters:
        match character:
            case "\\":
                pieces[-1] += re.escape(next(characters, "\\"))
            case "%":
                pieces.append("")
            case "_":
                pieces[-1] += "."
            case _:
                pieces[-1] += re.escape(character)
    first, *others = pieces
    between = "".join(f"(?>.*?{piece})" for piece in others[:-1] if piece)
    last = f".*{others[-1]}" if others else ""
    return re.compile(first + between + last, re.DOTALL)


def like(text: str, pattern: str) -> bool:
    return like_pattern(pattern).fullmatch(text) is not None


def like_in_any_case(text: str, pattern: str) -> bool:
    return like(text.lower(), pattern.lower())


def like_expression(text: str, pattern: str) -> bool:
    return occurs(pattern, text)


# PostgreSQL refuses a pattern that ends in a backslash which takes nothing: it is given one to take.
ESCAPED = "({0} LIKE ({1} || repeat(chr(92), mod(length({1}) - length(rtrim({1}, chr(92))), 2))))"

DECLARED = (
    Function("like", TWO_TEXTS, strict(like), "two texts", "{0} LIKE {1}").at(
        database=ESCAPED, sqlite="ours_like({all})"
    ),
    Function("ilike", TWO_TEXTS, strict(like_in_any_case), "two texts", "{0} ILIKE {1}"),
    Function("~", TWO_TEXTS, strict(like_expression), "two texts", "{0} ~ {1}"),
)
