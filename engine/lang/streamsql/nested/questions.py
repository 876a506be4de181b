"""Which nodes of a parse tree ask something of a query: EXISTS, IN, ANY, ALL and their negations.

x = ANY (q)  =  x IN (q)        x <> ALL (q)  =  x NOT IN (q)        x < ALL (q)  =  NOT x >= ANY (q)
"""

from dataclasses import dataclass, replace

from sqlglot import exp

QUERIES = (exp.Select, exp.SetOperation, exp.Values)
COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True)
class Question:
    """``kind`` is exists, in or any; the latter compares ``needle`` with the rows by ``symbol``."""

    kind: str
    query: exp.Expr
    needle: exp.Expr | None = None
    symbol: str = "="
    is_negated: bool = False


def question_of(node: exp.Expr) -> Question | None:
    """Return what a node asks of a query; None where it asks nothing, or is a query itself."""
    match node:
        case exp.Paren():
            return question_of(node.this)
        case exp.Not():
            inner = question_of(node.this)
            return inner and replace(inner, is_negated=not inner.is_negated)
        case exp.Exists() if holds_query(node.this):
            return Question("exists", node.this)
        case exp.In() if node.args.get("query"):
            return Question("in", node.args["query"], node.this)
    symbol = COMPARISONS.get(type(node))
    return compared(node, symbol) if symbol else None


def compared(node: exp.Expr, symbol: str) -> Question | None:
    """Return what a comparison with ANY or ALL of a query asks."""
    right = node.expression
    if not isinstance(right, exp.Any | exp.All) or not isinstance(bare(right.this), exp.Query):
        return None
    query, is_all = bare(right.this), isinstance(right, exp.All)
    symbol = NEGATED[symbol] if is_all else symbol
    return Question("in" if symbol == "=" else "any", query, node.this, symbol, is_negated=is_all)


def bare(node: exp.Expr) -> exp.Expr:
    return bare(node.this) if isinstance(node, exp.Paren) else node


def is_query(node: exp.Expr) -> bool:
    """Tell whether a node is a query, or asks something of one, itself."""
    if isinstance(node, exp.Paren | exp.Not):
        return False
    return isinstance(node, exp.Query) or question_of(node) is not None


def holds_query(node: exp.Expr) -> bool:
    return node.find(*QUERIES) is not None


def rank_of(node: exp.Expr) -> int:
    """Tell which conditions to ask first: those without a query, then semi joins, then anti joins."""
    if not holds_query(node):
        return 0
    question = question_of(node)
    if question is None or question.kind == "any":
        return 3
    return 2 if question.is_negated else 1
