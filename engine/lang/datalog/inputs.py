"""What a program reads: relations and views that there are, or tables that whoever runs it fills.

A relation that a session has becomes the declared one column by column: bigint to number or unsigned,
double to float, text to symbol, boolean and timestamp to number. Each row is there once, and a row with
a NULL is not: Datalog has none.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from engine.lang.datalog.declared import Checked
from engine.lang.datalog.parts import Directive
from engine.lang.datalog.signatures import UndeclaredError
from engine.lang.datalog.terms import has_value
from engine.lang.datalog.types import FLOAT, NUMBER, SYMBOL, UNSIGNED, Fields, columns_of
from engine.lang.datalog.windows import maybe_length
from engine.lang.streamsql.grammar.dialect import StreamSQL
from engine.lang.streamsql.query.windows import scan_of
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Relation, RelationKind
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal, conjunction
from engine.plan.logical import Plan, Project, Select

# By column type and kind; the function that changes one into the other, or nothing.
TAKEN = {
    (Type.BIGINT, NUMBER): "",
    (Type.BIGINT, UNSIGNED): "",
    (Type.DOUBLE, FLOAT): "",
    (Type.TEXT, SYMBOL): "",
    (Type.BOOLEAN, NUMBER): "bigint_of_boolean",
    (Type.TIMESTAMP, NUMBER): "bigint_of_timestamp",
}


class SessionInputs:
    """The relations of a catalog, and views."""

    def __init__(self, catalog: Catalog, views: Mapping[str, Plan], program: Checked) -> None:
        self._catalog = catalog
        self._views = views
        self._relations = program.relations
        self._rules = [each.rule for each in program.rules]

    def plan(self, found: Directive) -> Plan:
        """Return what a relation of the program reads."""
        name = dict(found.parameters).get("name", found.relation)
        name = name if name in self._views or name in self._catalog else name.lower()
        if name in self._views:
            if found.window is not None:
                message = f"{name} is a view; a window goes on a stream, line {found.span.line}"
                raise QueryError(message, found.span)
            source = self._views[name]
        else:
            relation = self._relation(name, found)
            source = scan(relation, replace(found, window=found.window or self._window_said(relation, found)))
        return taken(source, name, self._relations[found.relation], found)

    def _window_said(self, relation: Relation, found: Directive) -> str | None:
        """Return the window that the rules say of a stream that has none."""
        if relation.window is not None or relation.event_time is None:
            return None
        position = [column.name for column in relation.columns].index(relation.event_time)
        length = maybe_length(self._rules, found.relation, position)
        return f"[RANGE {length} MICROSECONDS]" if length else None

    def _relation(self, name: str, found: Directive) -> Relation:
        try:
            return self._catalog.find(name, self._views, found.span)
        except QueryError as error:
            raise told_here(error, found) from None


def declarable(error: UndeclaredError, catalog: Catalog, views: Mapping[str, Plan]) -> QueryError:
    """Return the error of a relation that is not declared, with the declaration of what the session has."""
    name = error.relation.lower()
    columns = views[name].columns if name in views else catalog[name].columns if name in catalog else ()
    kinds = [next((kind for of, kind in TAKEN if of is column.type), None) for column in columns]
    if not columns or None in kinds:
        return error
    typed = ", ".join(f"{column.name}:{kind}" for column, kind in zip(columns, kinds, strict=True))
    called = "" if name == error.relation else f'(name="{name}")'
    needs_window = (
        name not in views and catalog[name].kind is RelationKind.STREAM and not catalog[name].window
    )
    window = " [RANGE 30 SECONDS]" if needs_window else ""
    declared = f".decl {error.relation}({typed}) .input {error.relation}{called}{window}"
    return QueryError(f"{error.what}; declare what is there: {declared}", error.span)


def told_here(error: QueryError, found: Directive) -> QueryError:
    """Return an error of StreamSQL as one of .input."""
    place = f" in .input, line {found.span.line}"
    return QueryError(re.sub(r" in (from|partition by), line \d+", place, error.message), found.span)


def scan(relation: Relation, found: Directive) -> Plan:
    """Return how a relation is read, through the window that .input says, as StreamSQL writes it."""
    try:
        select = parse_one(f"SELECT 1 FROM it {found.window or ''}", read=StreamSQL)
        table = select.find(exp.Table)
        assert table is not None
        return scan_of(relation, table)
    except QueryError as error:
        raise told_here(error, found) from None
    except (SqlglotError, ValueError, LookupError):
        message = f"{found.window} is no window in .input, line {found.span.line}; one is [RANGE 30 SECONDS]"
        raise QueryError(message, found.span) from None


def taken(source: Plan, name: str, fields: Fields, found: Directive) -> Plan:
    """Return a relation of the session as the program declares it."""
    if len(source.columns) != len(fields):
        has = ", ".join(f"{column.name} {column.type}" for column in source.columns)
        message = (
            f"{found.relation} is declared with {len(fields)} columns, line {found.span.line}; "
            f"{name} has {len(source.columns)}: {has}"
        )
        raise QueryError(message, found.span)
    there = [Field(i, column.type, column.name) for i, column in enumerate(source.columns)]
    asked = [has_value(each) for each, column in zip(there, source.columns, strict=True) if column.nullable]
    made = []
    for each, (_, kind) in zip(there, fields, strict=True):
        made.append(converted(each, kind, name, found))
        if kind == UNSIGNED:
            asked.append(Call(">=", (each, Literal(0, Type.BIGINT)), Type.BOOLEAN))
    return Project(Select(source, conjunction(tuple(asked))), tuple(made), columns_of(dict(fields)))


def converted(field: Field, kind: str, name: str, found: Directive) -> Expr:
    function = TAKEN.get((field.type, kind))
    if function is None:
        kinds = [k for (column, k) in TAKEN if column is field.type]
        remedy = f"declare it {' or '.join(kinds)}" if kinds else "nothing in Datalog holds such values"
        message = (
            f"{name}'s column {field.name} is {field.type}, declared {kind}, line {found.span.line}; {remedy}"
        )
        raise QueryError(message, found.span)
    return Call(function, (field,), Type.BIGINT) if function else field


def table_of(name: str, fields: Fields) -> Relation:
    """Return the table without a key that whoever runs a program by itself fills."""
    return Relation(name, RelationKind.TABLE, columns_of(dict(fields)))
