"""What Spark's errors mean, in one line: the innermost cause, without the stacks around it."""

import re

_CAUSE = re.compile(r"^(?:Caused by: )?([\w.]*(?:Error|Exception|Exit)\b(?:: .*)?)$")
LONGEST = 300


def in_one_line(error: BaseException | None) -> str:
    """Return the last line that names an error, else the first line there is."""
    if error is None:
        return "the query ended by itself"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if _CAUSE.match(line)]
    told = causes[-1] if causes else f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"
    return told[:LONGEST]
