"""What follows a relation in FROM becomes a scan: its window, and how it is sampled."""

from decimal import Decimal
from typing import cast

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from engine.lang.streamsql.grammar.brackets import CLAUSES, PERIOD, SAMPLE, WINDOW, Duration, WindowSpec
from engine.lang.streamsql.grammar.dialect import StreamSQL
from engine.lang.streamsql.spans import span_of, where
from engine.model.durations import UNITS, scale_of
from engine.model.errors import QueryError, nearest
from engine.model.relation import Relation, RelationKind
from engine.plan.logical import Scan
from engine.plan.meanings import BIGINT_BOUND
from engine.plan.windows import Range, Rows, Unbounded, Window

SAID = {WINDOW: "a window", PERIOD: "SAMPLE PERIOD", SAMPLE: "SAMPLE PERIOD"}


def scan_of(relation: Relation, node: exp.Table) -> Scan:
    """Return how a relation is read, as FROM says."""
    sample = sample_of(node)
    if relation.kind is RelationKind.TABLE:
        refuse_clauses(f"{relation.name} is a table", node)
        return Scan(relation, None)
    spec = node.args.get(WINDOW)
    window = default_window(relation, node) if spec is None else to_window(relation, spec, spec)
    return Scan(relation, window, sample)


def refuse_clauses(what: str, node: exp.Table) -> None:
    """Refuse on a table or a view what goes on a stream."""
    for clause in CLAUSES:
        if node.args.get(clause):
            message = f"{what}{where(node, 'from')}; {SAID.get(clause, 'FROM DEVICE')} goes on a stream"
            raise QueryError(message, span_of(node))


def sample_of(node: exp.Table) -> int | None:
    """Return the sample period in microseconds, before or behind the alias."""
    before, behind = node.args.get(PERIOD), node.args.get(SAMPLE)
    if before and behind:
        message = f"SAMPLE PERIOD stands twice{where(node, 'from')}; say one"
        raise QueryError(message, span_of(node))
    said = before or behind
    if said is None:
        return None
    if not isinstance(said, Duration):
        message = "TABLESAMPLE is not part of StreamSQL; SAMPLE PERIOD n unit takes one row a period"
        raise QueryError(message, span_of(node))
    return microseconds(said, said)


def default_window(relation: Relation, node: exp.Expr | None = None) -> Window:
    """Return the window that the stream declares."""
    if relation.window is None:
        such_as = f"{relation.name} [RANGE 30 SECONDS] or {relation.name} [ROWS 10]"
        message = f"the stream {relation.name} needs a window{where(node, 'from')}, such as {such_as}"
        raise QueryError(message, span_of(node))
    try:
        select = parse_one(f"SELECT 1 FROM it [{relation.window}]", read=StreamSQL)
        return to_window(relation, only_window(select), node)
    except (QueryError, SqlglotError, ValueError, LookupError) as error:
        reason = error.message if isinstance(error, QueryError) else relation.window
        message = f"the declared window of {relation.name} cannot be read: {reason}"
        raise QueryError(message, span_of(node)) from error


def only_window(select: exp.Expr) -> WindowSpec:
    """Return the window of the one relation, if nothing else was slipped in."""
    (table,) = select.find_all(exp.Table)
    said = {clause for clause, value in (*select.args.items(), *table.args.items()) if value}
    if said != {"expressions", "from_", "this", WINDOW}:
        message = "a window alone is expected"
        raise ValueError(message)
    return cast("WindowSpec", table.args[WINDOW])


def to_window(relation: Relation, spec: WindowSpec, node: exp.Expr | None) -> Window:
    """Return the window that a bracket says."""
    match spec.args["kind"]:
        case "NOW":
            return Range(1)
        case "UNBOUNDED":
            return Unbounded()
        case "ROWS":
            return _rows(relation, spec, node)
    length = _microseconds("RANGE", spec.args["count"], spec.args["unit"], node)
    slide = spec.args.get("slide")
    return Range(length, None if slide is None else microseconds(slide, node))


def microseconds(said: Duration, node: exp.Expr | None) -> int:
    return _microseconds(said.args["clause"], said.args["count"], said.args["unit"], node)


def _microseconds(clause: str, count: Decimal, unit: str, node: exp.Expr | None) -> int:
    scale = scale_of(unit)
    if scale is None:
        units = [f"{name}S" for name in UNITS]
        there = f"there are {', '.join(units)}{nearest(unit, units)}"
        message = f"unknown unit {unit}{where(node, 'from')}; {there}"
        raise QueryError(message, span_of(node))
    if not (count < BIGINT_BOUND and 1 <= count * scale < BIGINT_BOUND):
        bounds = {"RANGE": "a window lasts a microsecond or longer, and [UNBOUNDED] keeps every row"}
        remedy = bounds.get(clause, f"{clause} takes a microsecond or longer")
        message = f"{clause} {count:g} {unit} cannot be{where(node, 'from')}; {remedy}"
        raise QueryError(message, span_of(node))
    return int(count * scale)


def _rows(relation: Relation, spec: WindowSpec, node: exp.Expr | None) -> Rows:
    """Return the last rows of each partition; the order in which it is written means nothing."""
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
    places = sorted({names.index(name) for name in partition})
    return Rows(int(count), tuple(places), tuple(names[i] for i in places))
