"""A query of either language becomes a plan: SELECT by the SQL binder, $$ program $$ by Datalog's.

CREATE VIEW name AS DATALOG $$ … .output name $$      a program's outputs are plans by name
"""

from collections.abc import Iterable, Mapping

from sqlglot import exp

from engine.lang.datalog import bind_program
from engine.lang.streamsql.grammar.nodes import ProgramNode
from engine.lang.streamsql.query.select import SelectBinder
from engine.lang.streamsql.spans import span_of
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS, Parameters, with_values
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.plan.logical import Plan


def bind_query(
    select: exp.Expr,
    catalog: Catalog,
    views: Mapping[str, Plan],
    name: str | None = None,
    given: Parameters = NO_PARAMETERS,
) -> Plan:
    """Return the plan of a query; ``name`` is the view's that it is to be, which may choose an output."""
    if isinstance(select, ProgramNode):
        return chosen(bind_program(select.this, catalog, views), name, select)
    return SelectBinder(catalog, views).bind(with_values(select, given))


def chosen(outputs: Mapping[str, Plan], name: str | None, program: ProgramNode) -> Plan:
    """Return the output that is meant: the only one, or that of the view's name."""
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    if name is not None and name in outputs:
        return outputs[name]
    raise QueryError(unchosen(outputs, name), span_of(program))


def unchosen(outputs: Iterable[str], name: str | None) -> str:
    names = ", ".join(outputs)
    if name is None:
        return f"the program has several outputs: {names}; keep one, or make views of those names"
    return f"the program has no output {name}; there are {names}"
