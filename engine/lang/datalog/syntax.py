"""Text becomes the tree of a program, or an error that says where it stops being one.

syntax error at 'edge', after 'path(x, y) :- ', line 4; expected , or .
"""

import re
from functools import lru_cache

from lark import Lark
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError

from engine.lang.datalog.declarations import ProgramReader
from engine.lang.datalog.depth import check_depth
from engine.lang.datalog.parts import Program
from engine.model.errors import QueryError, Span

SHOWN = 30
REFUSED = {
    ".comp": "components are not part of this Datalog; write the relations out",
    ".init": "components are not part of this Datalog; write the relations out",
    ".override": "components are not part of this Datalog; write the relations out",
    ".lattice": "lattices are not part of this Datalog; an aggregate min or max over a relation may do",
    ".include": "a text is not read from several files; put them together",
    ".once": "a text is not read from several files; put them together",
    ".limitsize": "a relation has all its rows; .printsize counts them",
    "#": "the C preprocessor is not run; write the macros out",
    "-domain": "choice-domain is not part of this Datalog; min or max choose one row of several",
    "autoinc": "autoinc() numbers rows by when they are derived, which nothing here can see",
    "__ITERATION__": "the number of a round is nothing that a rule can see here",
}
SUBSUMPTION = "subsumption is not part of this Datalog; min or max over the relation choose the best row"
NAMES = {
    "NAME": "a name", "STRING": "a text", "NUMBER": "a number",
    "RPAR": ")", "LPAR": "(", "COMMA": ",", "DOT": ".",
    "COLON": ":", "SEMICOLON": ";",
    "LBRACE": "{", "RBRACE": "}", "LSQB": "[", "RSQB": "]",
    "VBAR": "|", "EQUAL": "=", "__ANON_0": "<:", "__ANON_1": ":-", "__ANON_2": "?-",
}  # fmt: skip


WORD = re.compile(r"[.#]?\w+")
IF = "__ANON_1"
GOES_ON = frozenset({"SHIFT", "PLUS_MINUS", "TIMES", "CARET", "WORD_OPERATOR", "RELATION"})


@lru_cache(maxsize=1)
def parser() -> Lark:
    return Lark.open("grammar.lark", rel_to=__file__, parser="lalr", propagate_positions=True)


def parse(text: str) -> Program:
    """Return what a text says; a mark of the bytes' order before it is passed over."""
    text = f" {text[1:]}" if text.startswith("\ufeff") else text
    try:
        program: Program = ProgramReader().transform(parser().parse(text))
    except UnexpectedInput as error:
        raise syntax_error(error, text) from None
    except VisitError as error:
        raise error.orig_exc from None
    check_depth(program)
    return program


def syntax_error(error: UnexpectedInput, text: str) -> QueryError:
    """Say what stands where the text cannot go on."""
    is_cut_off = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    place_in_text: int | None = error.pos_in_stream
    start = len(text) if is_cut_off or place_in_text is None else place_in_text
    line = text.count("\n", 0, start) + 1
    found = "" if is_cut_off else found_at(error, text, start)
    span = Span(line, start, start + len(found))
    if refusal := refused(text, start, error):
        return QueryError(f"{refusal}, line {line}", span)
    if found in ('"', "/*"):
        message = f"syntax error in line {line}: what begins with {found} must end"
        return QueryError(message, span)
    read = " ".join(text[:start].split())[-SHOWN:]
    place = "at the end" if is_cut_off else f"at {found!r}"
    after = f", after {read!r}" if read else ""
    return QueryError(f"syntax error {place}{after}, line {line}{remedy(error)}", span)


def found_at(error: UnexpectedInput, text: str, start: int) -> str:
    if text.startswith("/*", start):
        return "/*"
    if isinstance(error, UnexpectedToken):
        return str(error.token)
    word = WORD.match(text, start)
    return word[0] if word else text[start : start + 1]


def expected(error: UnexpectedInput) -> frozenset[str]:
    """Return the names of what could stand there, but for what goes on with a term."""
    names = error.accepts if isinstance(error, UnexpectedToken) else getattr(error, "allowed", None)
    return frozenset(names or ()) - GOES_ON


def refused(text: str, start: int, error: UnexpectedInput) -> str:
    """Return why something that Soufflé has is not there."""
    for word, reason in REFUSED.items():
        if text.startswith(word, start) or text[:start].rstrip().endswith(word):
            return reason
    if text.startswith("<=", start) and IF in expected(error):
        return SUBSUMPTION
    return ""


def remedy(error: UnexpectedInput) -> str:
    """Return what could stand there, if that is little."""
    shown = sorted(
        {NAMES.get(name, "") for name in expected(error)} - {""}, key=lambda name: (len(name), name)
    )
    return f"; expected {' or '.join(shown)}" if 0 < len(shown) <= 4 else ""
