"""A view reads what was made before it, so what comes in a view's place may not read what reads that view.

v₁ ← v₂ ← v₃        v₁ replaced by a query over v₃ would read itself by way of v₃
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from engine.lang.streamsql import CreateView
from engine.lang.streamsql.recursion.components import names_read
from engine.lang.streamsql.spans import on_line, span_of
from engine.model.errors import QueryError
from engine.views.view import View

Reads = Callable[[View, str], bool]


def check_order(statement: CreateView, after: Sequence[View], reads: Reads) -> None:
    """Refuse a view that would read itself; ``after`` are those made after the one that it replaces."""
    name = statement.name
    found = names_read(statement.select, frozenset({name, *(view.name for view in after)}))
    if not found:
        return
    ways = sorted(found & readers_of(name, after, reads))
    first = name if name in found else [*ways, *sorted(found)][0]
    tables = statement.select.find_all(exp.Table)
    node = next((table for table in tables if table.name.lower() == first), statement.select)
    place = on_line(node)
    if name in found:
        message = f"{name} would read itself{place}; CREATE RECURSIVE VIEW {name} may"
    elif ways:
        message = f"{name} would read itself by way of {first}{place}; put both into one WITH RECURSIVE"
    else:
        message = f"{first} was made after {name}{place}; DROP VIEW {name} and create it anew"
    raise QueryError(message, span_of(node))


def readers_of(name: str, after: Sequence[View], reads: Reads) -> set[str]:
    """Return the views that read one, at any remove."""
    found = {name}
    for view in after:
        if view.is_written and any(reads(view, each) for each in tuple(found)):
            found.add(view.name)
    return found - {name}
