"""The nodes of the parse tree that sqlglot does not have: our statements, and what follows a query.

statement  =  ViewNode | RelationNode | DropNode | ShowNode | ExplainNode | WhyNode | query
query      =  DirectedNode(query, outputs, limits, goals) | ProgramNode | what sqlglot makes of a SELECT
"""

from typing import Any, ClassVar

from sqlglot import exp

from engine.model.errors import Span

Parts = dict[str, bool]


class ViewNode(exp.Expression):
    """CREATE [OR REPLACE] VIEW [IF NOT EXISTS] name [WITH (options)] AS query."""

    arg_types: ClassVar[Parts] = {
        "this": True, "expression": True, "replace": False, "exists": False, "options": False,
    }  # fmt: skip


class RelationNode(exp.Expression):
    """CREATE STREAM or TABLE [IF NOT EXISTS] name (columns) WITH (options)."""

    arg_types: ClassVar[Parts] = {
        "this": True, "kind": True, "columns": False, "key": False, "options": False, "exists": False,
    }  # fmt: skip


class ColumnNode(exp.Expression):
    """One column of CREATE STREAM or TABLE."""

    arg_types: ClassVar[Parts] = {"this": True, "kind": True, "not_null": False, "is_key": False}


class DropNode(exp.Expression):
    """DROP kind [IF EXISTS] a, b."""

    arg_types: ClassVar[Parts] = {"kind": True, "expressions": True, "exists": False}


class ShowNode(exp.Expression):
    """SHOW kind, or the columns of one relation."""

    arg_types: ClassVar[Parts] = {"kind": True, "this": False}


class ExplainNode(exp.Expression):
    """EXPLAIN [ANALYZE] of a query, or of a view by its name (an Identifier); ``form`` is text or json."""

    arg_types: ClassVar[Parts] = {"this": True, "analyze": False, "form": True}


class WhyNode(exp.Expression):
    """EXPLAIN WHY [NOT] view(values), or of a view WHERE conditions."""

    arg_types: ClassVar[Parts] = {"this": True, "expressions": False, "where": False, "negated": False}


class DirectedNode(exp.Expression):
    """A query with where its rows go (pairs of kind and target) and what it may use (amounts by name)."""

    arg_types: ClassVar[Parts] = {"this": True, "outputs": False, "limits": False, "goals": False}


class GoalNode(exp.Expression):
    """What a query is to be good at and within which constraints: pairs of a name and an amount."""

    arg_types: ClassVar[Parts] = {"weights": True, "constraints": False}


class ProgramNode(exp.Expression):
    """The text of a Datalog program, behind as many blanks and lines as stand before it: places hold."""

    arg_types: ClassVar[Parts] = {"this": True}


class InsertNode(exp.Expression):
    """INSERT INTO name [(columns)] VALUES rows, each a Tuple."""

    arg_types: ClassVar[Parts] = {"this": True, "columns": False, "expressions": True}


class DeleteNode(exp.Expression):
    """DELETE FROM name [WHERE condition]."""

    arg_types: ClassVar[Parts] = {"this": True, "where": False}


class GivenNode(exp.Expression):
    """A value that was given for a parameter of this name."""

    arg_types: ClassVar[Parts] = {"this": True, "value": False}


def placed(node: Any, span: Span) -> Any:
    """Return the node with its place, as sqlglot keeps it."""
    node.meta.update(line=span.line, start=span.start, end=span.end - 1)
    return node


class MaxByNode(exp.Expression, exp.AggFunc):
    """max_by(value, by)."""

    arg_types: ClassVar[Parts] = {"expressions": False}
    is_var_len_args = True
    _sql_names: ClassVar[list[str]] = ["MAX_BY"]


class MinByNode(MaxByNode):
    """min_by(value, by)."""

    _sql_names: ClassVar[list[str]] = ["MIN_BY"]


class ConsumedNode(MaxByNode):
    """consumed(counter, at, since, until, wraps)."""

    _sql_names: ClassVar[list[str]] = ["CONSUMED"]


class SteadyNode(MaxByNode):
    """steady(place, strength, at, margin)."""

    _sql_names: ClassVar[list[str]] = ["STEADY"]


FOLD_NODES: tuple[type[MaxByNode], ...] = (MaxByNode, MinByNode, ConsumedNode, SteadyNode)
