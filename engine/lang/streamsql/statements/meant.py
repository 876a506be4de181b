"""A node that the parser read becomes the statement that it means."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from engine.lang.streamsql.grammar.nodes import (
    DeleteNode,
    DirectedNode,
    DropNode,
    ExplainNode,
    InsertNode,
    RelationNode,
    ShowNode,
    ViewNode,
    WhyNode,
)
from engine.lang.streamsql.scalars.scalar import TYPES
from engine.lang.streamsql.spans import shown, span_of, where
from engine.lang.streamsql.statements.forms import (
    CreateRelation,
    CreateView,
    DeleteRows,
    DropRelation,
    DropView,
    Explain,
    ExplainWhy,
    InsertRows,
    Output,
    Query,
    Show,
    Statement,
)
from engine.lang.streamsql.statements.goals import goal_of
from engine.lang.streamsql.statements.keeping import retention_of
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.operators.budget import NO_LIMITS, Limits
from engine.plan.goal import FASTEST, Goal

COUNTED = ("ROWS", "ROUNDS", "STATE")
UNITS_OF: dict[str, dict[str, float]] = {
    "STATE": {"B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000},
    "TIME": {"MS": 0.001, "MILLISECOND": 0.001, "S": 1, "SECOND": 1},
}
EXAMPLES = {"ROWS": "10000", "ROUNDS": "100", "STATE": "64 MB", "TIME": "50 MS"}


def statement_of(tree: exp.Expr, text: str) -> Statement:
    """Return the statement; what is none of ours is a query, and the binder's to refuse."""
    make = MEANT.get(type(tree))
    return make(tree, text) if make else Query(*_query(tree, text))


def _query(tree: exp.Expr, text: str) -> tuple[exp.Expr, str, tuple[Output, ...], Limits, Goal]:
    """Return the parts of a query."""
    if isinstance(tree, DirectedNode):
        outputs = tuple(Output(kind.lower(), *where) for kind, *where in tree.args["outputs"])
        limits, goal = _limits(tree.args["limits"]), goal_of(tree.args["goals"])
        return tree.this, text, outputs, limits, goal
    return tree, text, (), NO_LIMITS, FASTEST


def _view(tree: ViewNode, text: str) -> CreateView:
    is_replacing, is_optional = bool(tree.args.get("replace")), bool(tree.args.get("exists"))
    return CreateView(
        tree.this.name.lower(),
        *_query(tree.expression, text),
        is_replacing=is_replacing,
        is_optional=is_optional,
        history=retention_of(tree),
    )


def _relation(tree: RelationNode, _text: str) -> CreateRelation:
    members = tree.args["columns"]
    columns = tuple(_column(member) for member in members)
    names = [column.name for column in columns]
    key = _key(tree, names)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"{twice} stands twice among the columns; give one of them another name"
        raise QueryError(message, span_of(tree))
    options = {name.name.lower(): value for name, value in tree.args["options"]}
    kind = tree.args["kind"].lower()
    return CreateRelation(
        kind,
        tree.this.name.lower(),
        columns,
        tuple(key),
        options,
        bool(tree.args["exists"]),
        span_of(tree.this),
    )


def _key(tree: RelationNode, names: list[str]) -> list[str]:
    """Return the columns of the primary key, of which there is one at most."""
    marked = [[member.this] for member in tree.args["columns"] if member.args.get("is_key")]
    keys = [[one.name.lower() for one in key] for key in (*marked, *tree.args["key"])]
    together = list(dict.fromkeys(name for key in keys for name in key))
    if len(keys) > 1:
        message = (
            f"{tree.this.name} has {len(keys)} primary keys; "
            f"a key of several columns is written after them: PRIMARY KEY ({', '.join(together)})"
        )
        raise QueryError(message, span_of(tree))
    unknown = next((name for name in together if name not in names), None)
    if unknown is not None:
        there = f"there are {', '.join(names)}{nearest(unknown, names)}"
        message = f"unknown column {unknown} in primary key; {there}"
        raise QueryError(message, span_of(tree))
    return together


def _column(member: exp.Expr) -> Column:
    kind = member.args["kind"]
    found = TYPES.get(kind.this.name) if isinstance(kind.this, exp.DType) else None
    if found is None:
        known = ", ".join(sorted({str(each) for each in TYPES.values()}))
        message = f"unknown type {kind.sql()} of {member.this.name}; there are {known}"
        raise QueryError(message, span_of(member))
    return Column(member.this.name.lower(), found, nullable=not member.args.get("not_null"))


def _dropping(tree: DropNode, _text: str) -> DropView | DropRelation:
    names = tuple(identifier.name.lower() for identifier in tree.expressions)
    kind, is_optional = tree.args["kind"].lower(), bool(tree.args["exists"])
    return DropView(names, is_optional) if kind == "view" else DropRelation(kind, names, is_optional)


def _insertion(tree: InsertNode, _text: str) -> InsertRows:
    columns = tuple(identifier.name.lower() for identifier in tree.args["columns"])
    rows = tuple(tuple(row.expressions) for row in tree.expressions)
    return InsertRows(tree.this.name.lower(), columns, rows, span_of(tree.this))


def _deletion(tree: DeleteNode, _text: str) -> DeleteRows:
    select = exp.select("*").from_(exp.Table(this=tree.this))
    where = tree.args.get("where")
    found = select if where is None else select.where(where)
    return DeleteRows(tree.this.name.lower(), found, span_of(tree.this))


def _showing(tree: ShowNode, _text: str) -> Show:
    of = tree.this.name.lower() if tree.this else None
    return Show(tree.args["kind"].lower(), of, span_of(tree))


def _explanation(tree: ExplainNode, _text: str) -> Explain:
    inner, analyzes, form = tree.this, bool(tree.args["analyze"]), tree.args["form"]
    if isinstance(inner, exp.Identifier):
        return Explain(inner.name.lower(), analyzes, form, span_of(inner))
    query = inner.expression if isinstance(inner, ViewNode) else inner
    select, _, _, _, goal = _query(query, "")
    return Explain(select, analyzes, form, span_of(inner), goal)


def _why(tree: WhyNode, _text: str) -> ExplainWhy:
    where = tree.args.get("where")
    return ExplainWhy(
        tree.this.name.lower(),
        tuple(tree.expressions) if where is None else None,
        tuple(_said(part) for part in conjuncts(where)) if where else (),
        bool(tree.args["negated"]),
        span_of(tree),
    )


def _said(node: exp.Expr) -> tuple[str, exp.Expr]:
    """Return the column and the value of one condition on a row."""
    if isinstance(node, exp.EQ | exp.Is) and isinstance(node.this, exp.Column):
        return node.this.name.lower(), node.expression
    message = f"a row is named by column = value AND …, found {shown(node)}"
    raise QueryError(message, span_of(node))


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    return [part for part in node.flatten()] if isinstance(node, exp.And) else [node]


def _limits(amounts: Mapping[str, exp.Expr]) -> Limits:
    """Return what LIMITED TO says, in rows, rounds, bytes and seconds."""
    found = {name: _amount(name, node) for name, node in amounts.items()}
    whole = {name: None if found.get(name) is None else int(found[name]) for name in COUNTED}
    return Limits(whole["ROWS"], whole["ROUNDS"], whole["STATE"], found.get("TIME"))


def _amount(name: str, node: exp.Expr) -> float:
    """Read an amount with its unit: 10000, 64 MB, 50 ms."""
    text = node.name
    count, _, unit = text.partition(" ")
    units = UNITS_OF.get(name, {"": 1})
    scale = units.get(unit.upper().removesuffix("S") if len(unit) > 2 else unit.upper())
    if scale is None or not count.replace(".", "", 1).isdigit() or float(count) * scale <= 0:
        example = EXAMPLES[name]
        message = f"{name} {text} is no limit{where(node, 'limited to')}; expected such as {name} {example}"
        raise QueryError(message, span_of(node))
    return float(count) * scale


MEANT: dict[type[exp.Expr], Callable[[Any, str], Statement]] = {
    ViewNode: _view,
    RelationNode: _relation,
    DropNode: _dropping,
    InsertNode: _insertion,
    DeleteNode: _deletion,
    ShowNode: _showing,
    ExplainNode: _explanation,
    WhyNode: _why,
}
