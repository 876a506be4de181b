"""How deep a program's parts are nested; what walks them later does so by recursion."""

from collections.abc import Iterable

from engine.lang.datalog import tree as t
from engine.lang.datalog.parts import Program
from engine.model.errors import QueryError, Span

MOST = 100
Part = t.Term | t.Literal


def check_depth(program: Program) -> None:
    """Refuse what is nested too deeply."""
    waiting: list[tuple[Part, int, Span]] = []
    for clause in program.clauses:
        waiting += [(head, 1, clause.span) for head in clause.heads]
        waiting.append((clause.body, 1, clause.span))
    waiting += [(query.body, 1, query.span) for query in program.queries]
    while waiting:
        part, depth, span = waiting.pop()
        if depth > MOST:
            message = (
                f"nested too deeply, line {span.line}; {MOST} levels are read: give the inner parts names"
            )
            raise QueryError(message, span)
        waiting += [(inner, depth + 1, span) for inner in inner_parts(part)]


def inner_parts(part: Part) -> Iterable[Part]:
    match part:
        case t.Body(alternatives):
            return [each for conjunction in alternatives for each in conjunction]
        case t.Negation(inner):
            return [inner]
        case t.Atom() | t.Comparison():
            return t.terms_of(part)
        case t.Aggregate(_, target, body):
            return [body] if target is None else [target, body]
        case t.Truth():
            return []
    return t.parts_of(part)
