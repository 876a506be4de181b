"""Code in colours: words, texts, numbers and remarks of a few languages, each by one regular expression.

    highlighted("sql", "SELECT 1")  =  <span class="code-word">SELECT</span> <span …>1</span>

A language that is not known is shown without colours. Nothing is parsed: what is no token of these four
kinds stays as it is.
"""

import re
from collections.abc import Mapping
from html import escape

SQL_WORDS = """
    alarm all and any array as asc between by case cast create cross datalog delete desc display
    distinct double drop else end except exists explain false filter following from full goal group
    having history in inner insert intersect interval into is join key lateral left like limit limited
    materialized mqtt not null nulls offset on or order outer output over partition preceding primary
    range recursive right rows select set show slide some stream streams table tables then to true
    unbounded union using values view views when where why with
"""
DOUBLE, SINGLE, NUMBER = r'"(?:[^"\\\n]|\\.)*"', r"'(?:[^']|'')*'", r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])"
HASH = r"(?:^|(?<=\s))\#[^\n]*"


def _any_of(words: str) -> str:
    return rf"(?i:\b(?:{'|'.join(words.split())})\b)"


def _language(note: str, text: str, word: str) -> re.Pattern[str]:
    kinds = {"note": note, "text": text, "number": NUMBER, "word": word}
    return re.compile("|".join(f"(?P<{kind}>{rule})" for kind, rule in kinds.items()), re.MULTILINE)


SHELL = _language(HASH, f"{DOUBLE}|{SINGLE}", r"^(?:[ \t]*\|[ \t]*)?[\w./-]+(?=[ \n])|(?<=\| )\w+")
SETTINGS = _language(HASH, f"{DOUBLE}|{SINGLE}", r"^[ \t]*\[[^\]\n]*\]|^[ \t]*[\w.-]+(?=[ \t]*=)")
LANGUAGES: Mapping[str, re.Pattern[str]] = {
    "sql": _language(r"--[^\n]*", SINGLE, _any_of(SQL_WORDS)),
    "datalog": _language(
        r"//[^\n]*|/\*.*?\*/",
        DOUBLE,
        r"\.(?:decl|input|output|type|functor)\b|\b(?:count|sum|min|max|mean)\b",
    ),
    "sh": SHELL,
    "yaml": _language(HASH, f"{DOUBLE}|{SINGLE}", r"(?<![\w/:])[A-Za-z_][\w -]*(?=:(?:\s|$))"),
    "json": _language(r"(?!)", DOUBLE, r"\b(?:true|false|null)\b"),
    "ini": SETTINGS,
    "nginx": _language(HASH, f"{DOUBLE}|{SINGLE}", r"^[ \t]*\w+"),
}


def highlighted(language: str, code: str) -> str:
    """Return code as HTML; whatever it has is escaped."""
    rule = LANGUAGES.get(language)
    if rule is None:
        return escape(code)
    parts, end = [], 0
    for found in rule.finditer(code):
        parts.append(escape(code[end : found.start()]))
        parts.append(f'<span class="code-{found.lastgroup}">{escape(found[0])}</span>')
        end = found.end()
    return "".join([*parts, escape(code[end:])])
