"""What of a parse tree is StreamSQL.

sqlglot reads far more of SQL than we run. The binder refuses the nodes that it does not know; a part
of a node that it does know would be ignored in silence, and the answer wrong. So the parts that are
looked at are listed, and any other is an error.
"""

from sqlglot import exp

from engine.lang.streamsql.elsewhere import CASE
from engine.lang.streamsql.grammar.brackets import CLAUSES, Duration, WindowSpec
from engine.lang.streamsql.grammar.recursive_syntax import ROUNDS
from engine.lang.streamsql.refusals import BY_NODE
from engine.lang.streamsql.scalars.aggregates import AGGREGATE_NODES
from engine.lang.streamsql.scalars.calls import COMPARED
from engine.lang.streamsql.scalars.scalar import BINARY
from engine.lang.streamsql.spans import span_of
from engine.model.errors import QueryError

USUAL = frozenset({"this", "expression", "expressions"})
LOOKED_AT: dict[type[exp.Expr], frozenset[str]] = {
    **dict.fromkeys((*BINARY, *COMPARED, *AGGREGATE_NODES), USUAL),
    exp.Alias: frozenset({"this", "alias"}),
    exp.Between: frozenset({"this", "low", "high"}),
    exp.Case: frozenset({"this", "ifs", "default"}),
    exp.Cast: frozenset({"this", "to"}),
    exp.Column: frozenset({"this", "table"}),
    exp.Count: USUAL | {"big_int"},
    exp.CTE: frozenset({"this", "alias", ROUNDS}),
    exp.Filter: USUAL,
    exp.GroupConcat: USUAL | {"separator"},
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.DataType: frozenset({"this", "nested", "kind"}),
    exp.Distinct: USUAL,
    exp.Div: USUAL | {"typed", "safe"},
    exp.DPipe: USUAL | {"safe"},
    exp.Group: frozenset({"expressions"}),
    exp.Identifier: frozenset({"this", "quoted"}),
    exp.If: frozenset({"this", "true"}),
    exp.In: frozenset({"this", "expressions", "query"}),
    exp.Is: USUAL | {"negate"},
    exp.Join: frozenset({"this", "on", "using", "method", "side", "kind"}),
    **dict.fromkeys((exp.Like, exp.ILike), USUAL | {"negate"}),
    exp.Any: frozenset({"this"}),
    exp.Array: USUAL | {"value_constructor"},
    exp.Bracket: USUAL,
    exp.Extract: USUAL,
    exp.Interval: frozenset({"this", "unit", "fraction_in_string"}),
    exp.Slice: USUAL,
    exp.StrPosition: frozenset({"this", "substr"}),
    exp.Substring: frozenset({"this", "start", "length"}),
    exp.Trim: USUAL | {"position"},
    **dict.fromkeys(BY_NODE, USUAL | {"escape", "flag"}),
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ), USUAL),
    exp.Literal: frozenset({"this", "is_string"}),
    exp.Star: frozenset(),
    **dict.fromkeys((exp.Any, exp.All, exp.Exists), frozenset({"this"})),
    exp.Fetch: frozenset({"direction", "count", "limit_options"}),
    **dict.fromkeys((exp.Limit, exp.Offset), frozenset({"expression"})),
    exp.Subquery: frozenset({"this", "alias", "with_", "order", "limit", "offset"}),
    exp.Table: frozenset({"this", "alias", "joins", *CLAUSES}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.With: frozenset({"expressions", "recursive"}),
    Duration: frozenset({"clause", "count", "unit"}),
    WindowSpec: frozenset({"kind", "count", "unit", "slide", "partition"}),
}
SPELLED: dict[tuple[type[exp.Expr], str], str] = {
    (exp.Distinct, "on"): "DISTINCT ON",
    (exp.If, "false"): "IF(…)",
    (exp.Star, "except_"): "* EXCEPT",
    (exp.Star, "replace"): "* REPLACE",
    (exp.Star, "rename"): "* RENAME",
    (exp.Group, "all"): "GROUP BY ALL",
    (exp.Table, "db"): "a schema's name before a relation's",
    (exp.Column, "db"): "a schema's name before a relation's",
    (exp.Table, "pivots"): "PIVOT",
    (exp.DataType, "expressions"): "a type's length or precision",
}

INSTEAD: dict[tuple[type[exp.Expr], str], str] = {
    (exp.Distinct, "on"): "; (SELECT x … ORDER BY y LIMIT 1) is the first of what goes with a row",
    (exp.If, "false"): f"; {CASE}",
    (exp.Group, "all"): "; name the groups",
}


def check_known(tree: exp.Expr) -> None:
    """Refuse what would be ignored; the clauses of a SELECT are the binder's to refuse."""
    for node in tree.walk():
        if isinstance(node, exp.Identifier) and not node.name:
            message = 'a name has a sign at least, found ""'
            raise QueryError(message, span_of(node))
        looked_at = LOOKED_AT.get(type(node), frozenset(node.args))
        if node.args.get("this") is exp.DType.ARRAY:
            looked_at |= USUAL
        for part, value in node.args.items():
            if value and part not in looked_at:
                raise _not_known(node, part)


def _not_known(node: exp.Expr, part: str) -> QueryError:
    spelled = SPELLED.get((type(node), part)) or f"{node.key.upper()} with {part.strip('_').upper()}"
    span = span_of(node)
    line = f", line {span.line}" if span else ""
    remedy = INSTEAD.get((type(node), part), "")
    return QueryError(f"{spelled} is not part of StreamSQL{line}{remedy}", span)
