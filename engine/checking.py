"""What a text would ask or do, said without doing it, or the first thing that is wrong with it.

text ─parse→ statements ─bind→ those up to the first that changes something: others may build on it
"""

from enum import StrEnum
from itertools import takewhile

from engine.lang.streamsql import CreateView, Explain, Query, Statement
from engine.lang.streamsql.statements.parameters import check_unasked
from engine.session import Session
from engine.statements import changes_something, query_of


class Use(StrEnum):
    """What a text is good for."""

    NOTHING = "nothing"
    """There is no statement in it."""
    QUERY = "query"
    """One query, which can be watched."""
    READ = "read"
    """Statements that only tell something."""
    CHANGE = "change"
    """Statements of which at least one makes, drops or writes something."""


def use_of(session: Session, statements: list[Statement]) -> Use:
    """Tell what the statements of a text are good for, or raise what is wrong with them."""
    for statement in takewhile(_leaves_all_as_it_is, statements):
        if isinstance(statement, Query):
            session.questions.check(statement)
        elif isinstance(statement, Explain) and not isinstance(statement.of, str):
            session.questions.check(query_of(statement))
    first = next((each for each in statements if changes_something(each)), None)
    if isinstance(first, CreateView):
        check_unasked(first.select)
        session.questions.check(first)
    return _use(statements)


def _leaves_all_as_it_is(statement: Statement) -> bool:
    return not changes_something(statement)


def _use(statements: list[Statement]) -> Use:
    if not statements:
        return Use.NOTHING
    if any(map(changes_something, statements)):
        return Use.CHANGE
    return Use.QUERY if len(statements) == 1 and isinstance(statements[0], Query) else Use.READ
