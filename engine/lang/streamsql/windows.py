"""The words between the brackets become a window."""

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from engine.lang.streamsql.dialect import StreamSQL, WindowSpec
from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError, nearest
from engine.model.relation import Relation, RelationKind
from engine.plan.meanings import BIGINT_BOUND
from engine.plan.windows import UNITS, Range, Rows, Unbounded, Window


def window_of(relation: Relation, spec: WindowSpec | None, node: exp.Expr) -> Window | None:
    """Return the window of a relation in FROM: the one written, else the stream's own."""
    if relation.kind is RelationKind.TABLE:
        if spec is not None:
            message = f"{relation.name} is a table{where(node, 'from')}; a window goes on a stream"
            raise QueryError(message, span_of(node))
        return None
    if spec is None:
        return default_window(relation, node)
    return to_window(relation, spec, node)


def default_window(relation: Relation, node: exp.Expr | None = None) -> Window:
    """Return the window that the stream declares."""
    if relation.window is None:
        such_as = f"{relation.name} [RANGE 30 SECONDS] or {relation.name} [ROWS 10]"
        message = f"the stream {relation.name} needs a window{where(node, 'from')}, such as {such_as}"
        raise QueryError(message, span_of(node))
    try:
        table = parse_one(f"SELECT 1 FROM {relation.name} [{relation.window}]", read=StreamSQL).find(
            exp.Table
        )
    except SqlglotError as error:
        message = f"the declared window of {relation.name} does not parse: {relation.window}"
        raise QueryError(message) from error
    assert table is not None
    return to_window(relation, table.args["window"], node)


def to_window(relation: Relation, spec: WindowSpec, node: exp.Expr | None) -> Window:
    """Return the window that a bracket says."""
    match spec.args["kind"]:
        case "NOW":
            return Range(1)
        case "UNBOUNDED":
            return Unbounded()
        case "ROWS":
            return _rows(relation, spec, node)
    unit, count = spec.args["unit"], spec.args["count"]
    scale = UNITS.get(unit.removesuffix("S"))
    if scale is None:
        message = (
            f"unknown unit {unit}{where(node, 'from')}; there are {', '.join(name + 'S' for name in UNITS)}"
        )
        raise QueryError(message, span_of(node))
    if not 1 <= count * scale < BIGINT_BOUND:
        remedy = "a window lasts a microsecond or longer, and [UNBOUNDED] keeps every row"
        message = f"RANGE {count:g} {unit} cannot be{where(node, 'from')}; {remedy}"
        raise QueryError(message, span_of(node))
    return Range(int(count * scale))


def _rows(relation: Relation, spec: WindowSpec, node: exp.Expr | None) -> Rows:
    names = [column.name for column in relation.columns]
    partition = [identifier.name.lower() for identifier in spec.args["partition"] or []]
    for name in partition:
        if name not in names:
            has = f"{relation.name} has {', '.join(names)}{nearest(name, names)}"
            message = f"unknown column {name}{where(node, 'partition by')}; {has}"
            raise QueryError(message, span_of(node))
    count = spec.args["count"]
    if not 1 <= count < BIGINT_BOUND or count != int(count):
        remedy = "[UNBOUNDED] keeps every row"
        message = f"ROWS takes a whole number from 1, found {count:g}{where(node, 'from')}; {remedy}"
        raise QueryError(message, span_of(node))
    return Rows(int(count), tuple(names.index(name) for name in partition), tuple(partition))
