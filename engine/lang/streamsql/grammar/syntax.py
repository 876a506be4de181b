"""What is said of a text that does not parse. sqlglot's own error text is never shown as it is.

syntax error at 'seats', after 'SELECT k FORM', line 1; did you mean FROM?
"""

import re

from sqlglot.errors import ParseError, TokenError

from engine.lang.streamsql.spans import line_at
from engine.model.errors import QueryError, Span

STATEMENTS = (
    "SELECT, WITH, CREATE VIEW name AS SELECT, CREATE STREAM, CREATE TABLE, DROP, INSERT, DELETE, SHOW, "
    "DESCRIBE, EXPLAIN or DATALOG"
)
KEYWORDS = (
    "SELECT", "DISTINCT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "JOIN", "ON", "AND", "OR", "NOT",
    "BETWEEN", "LIKE", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST", "CREATE", "DROP", "VIEW", "EXPLAIN",
)  # fmt: skip
SHOWN = 30
BEGUN = re.compile(r"""(\$\w*\$|['"$])\s*$""")  # a quote that the text ends with, before anything in it
UNEXPECTED = "Invalid expression"
CLOSING = frozenset({")", "]", ",", ";"})


def syntax_error(error: ParseError, text: str) -> QueryError:
    """Say where a text stops being a statement, and what would help."""
    first = error.errors[0]
    before, found, after = (_plain(first.get(part)) for part in ("start_context", "highlight", "end_context"))
    start = max(text.find(before + found + after), 0) + len(before)
    description = str(first.get("description"))
    is_cut_off = (
        not after.strip() and found not in CLOSING and not description.startswith("Invalid expression")
    )
    read = " ".join((before + found if is_cut_off else before).split())[-SHOWN:]
    place = "at the end" if is_cut_off else f"at {found!r}"
    context = f", after {read!r}" if read else ""
    line = line_at(text, start)
    remedy = _remedy(description, before + found, found, is_cut_off)
    message = f"syntax error {place}{context}, line {line}{remedy}"
    return QueryError(message, Span(line, start, start + len(found)))


def unreadable(error: TokenError, text: str) -> QueryError:
    """Say which quote or comment never ends."""
    if missing := re.match(r"Missing (.+) from \d+:(\d+)", str(error.__cause__)):
        quote, told = missing[1], int(missing[2])
        return _endless(quote, told if text.startswith(quote, told) else max(text.rfind(quote), 0), text)
    if begun := BEGUN.search(text):
        return _endless(begun[1], begun.start(), text)
    opened = text.rfind("/*")
    if opened >= 0:
        place, remedy = line_at(text, opened), "a comment that begins with /* must end with */"
        return QueryError(f"syntax error in line {place}: {remedy}")
    return QueryError("syntax error: what is quoted last in the text does not end")


def _endless(quote: str, start: int, text: str) -> QueryError:
    line = line_at(text, start)
    message = f"syntax error in line {line}: what begins with {quote} must end with {quote}"
    return QueryError(message, Span(line, start, len(text)))


def _remedy(description: str, read: str, found: str, is_cut_off: bool) -> str:
    """Return the nearest help, as the end of a message."""
    if re.search(r"\bTOP$", read.strip() if not found else read.removesuffix(found).strip(), re.IGNORECASE):
        return f"; TOP {found} is LIMIT {found} at the end, after ORDER BY"
    if found == "[":
        return "; a window stands right after a relation's name, before its alias"
    for word in reversed(re.findall(r"[^\W\d_]+", read)[-3:]):
        meant = [] if word.upper() in KEYWORDS else [k for k in KEYWORDS if is_slip(word.upper(), k)]
        if meant:
            return f"; did you mean {meant[0]}?"
    missing = re.match(r"Expect(?:ing|ed) (\S+)(?: after|$)", description)
    if missing and missing[1] != found:
        return f"; expected {missing[1]}"
    if description.startswith("The number of provided arguments"):
        return "; these are too many arguments"
    if is_cut_off:
        return "; the text ends too early"
    if description.startswith("Expected table name"):
        return "; expected a name"
    if description.startswith("Required"):
        return "; something is missing before it"
    return "" if " " in read.strip() else f"; expected {STATEMENTS}"


def is_slip(word: str, keyword: str) -> bool:
    """Tell whether a word is a keyword but for one letter: missing, too many, another, or swapped."""
    places = range(len(word))
    return min(len(word), len(keyword)) > 2 and (
        any(word == keyword[:i] + keyword[i + 1 :] for i in range(len(keyword)))
        or any(keyword == word[:i] + word[i + 1 :] for i in places)
        or any(
            keyword == word[:i] + word[i + 1 : i + 2] + word[i : i + 1] + word[i + 2 :] for i in places[:-1]
        )
        or (len(word) == len(keyword) and sum(map(str.__ne__, word, keyword)) == 1)
    )


def _plain(text: object) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", str(text or ""))
