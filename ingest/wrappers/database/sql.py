"""A fragment becomes one SELECT: a physical plan over the tables of one database, as its SQL says it.

    Filter, Map, HashJoin    FROM a, b WHERE p AND k = l       one block of them all
    GroupBy, Unique, Merge   a block over a subquery

Its rows are ours to the last bit or there are none: what a site may say is declared beside each
function and tested, and a column that has no expression of our values refuses to be computed with.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from engine.model.errors import SourceError
from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.plan.expressions import Expr, Field
from engine.plan.leaves import Table
from engine.plan.physical import Filter, GroupBy, HashJoin, Map, Merge, Physical, Unique
from ingest.wrappers.database.columns import FactTable, Lane, Sql
from ingest.wrappers.database.expressions import equal, expression, ours, total
from ingest.wrappers.database.values import converter

Convert = Callable[[Sequence[Any]], Sequence[Value]]
IsWanted = Callable[[], bool]
DROPPED = "nobody wants it any more"
PART = 2_000  # rows that are taken from the database at a time


class DroppedError(SourceError):
    """What was asked is not wanted any more."""


class Question(NamedTuple):
    """A SELECT, and what makes its rows ours: a column at a time, those that are ours already not at all."""

    select: sa.Select[Any]
    converters: tuple[Convert | None, ...]

    def rows(self, connection: sa.Connection, is_wanted: IsWanted = lambda: True) -> Iterator[Row]:
        """Ask, and yield the rows, as long as they are wanted."""
        for part in connection.execute(self.select).partitions(PART):
            if not is_wanted():
                raise DroppedError(DROPPED)
            both = zip(self.converters, zip(*part, strict=True), strict=True)
            columns = [found if to is None else to(found) for to, found in both]
            yield from zip(*columns, strict=True)


class Block(NamedTuple):
    """SELECT lanes FROM sources WHERE conditions."""

    sources: tuple[sa.FromClause, ...]
    conditions: tuple[Sql, ...]
    lanes: tuple[Lane, ...]

    def select(self) -> sa.Select[Any]:
        named = [lane.what.label(f"c{i}") for i, lane in enumerate(self.lanes)]
        return sa.select(*named).select_from(*self.sources).where(*self.conditions)


def question_of(plan: Physical, tables: Mapping[str, FactTable], dialect: str) -> Question:
    """Return what a database is asked for a fragment, or raise why it cannot be."""
    block = Writer(tables, dialect).of(plan)
    columns = [lane.raw or Column(f"c{i}", lane.type) for i, lane in enumerate(block.lanes)]
    raw = [lane.raw is not None for lane in block.lanes]
    both = zip(columns, raw, strict=True)
    return Question(block.select(), tuple(_each(converter(c)) if r else _ours(c.type) for c, r in both))


def _each(convert: Callable[[Any], Value]) -> Convert:
    return lambda column: [convert(value) for value in column]


def _ours(kind: Type) -> Convert | None:
    """Return what values of our own SQL become: SQLite has no booleans, and zero has no sign with us."""
    if kind is Type.BOOLEAN:
        return lambda column: [None if value is None else bool(value) for value in column]
    if kind is Type.DOUBLE:
        return lambda column: [None if value is None else value + 0.0 for value in column]
    return None


class Writer:
    """Writes for one dialect over known tables."""

    def __init__(self, tables: Mapping[str, FactTable], dialect: str) -> None:
        self._tables, self._dialect = tables, dialect

    def of(self, plan: Physical) -> Block:
        match plan:
            case Table():
                return self._table(plan)
            case Filter(child, predicate):
                below = self.of(child)
                return below._replace(conditions=(*below.conditions, self._sql(predicate, below.lanes)))
            case Map(child, expressions):
                below = self.of(child)
                return below._replace(lanes=tuple(self._lane(each, below.lanes) for each in expressions))
            case HashJoin():
                return self._join(plan)
            case GroupBy():
                return self._grouped(plan)
            case Unique(child):
                return _over(self._computable(self.of(child)).select().distinct(), plan.columns)
            case Merge(inputs):
                return self._merged(inputs, plan.columns)
        message = f"a database cannot run {type(plan).__name__}; expected what SELECT can say"
        raise SourceError(message)

    def _table(self, plan: Table) -> Block:
        known = self._tables.get(plan.relation.name)
        if known is None:
            message = f"there is no table {plan.relation.name}; there are {', '.join(self._tables) or 'none'}"
            raise SourceError(message)
        named = {column.name: i for i, column in enumerate(known.relation.columns)}
        table = sa.table(known.relation.name, *(sa.column(name) for name in named)).alias()
        lanes = known.lanes(table, self._dialect)
        asked = [(column.name, column.type) for column in plan.columns]
        missing = [name for name, kind in asked if name not in named or lanes[named[name]].type is not kind]
        if missing:
            message = f"column {missing[0]} of {known.relation.name} is not what it was; restart to use it"
            raise SourceError(message)
        chosen = tuple(lanes[named[name]] for name, _ in asked)
        where = plan.fragment.predicate
        return Block((table,), () if where is None else (self._sql(where, chosen),), chosen)

    def _join(self, plan: HashJoin) -> Block:
        left, right = self.of(plan.left), self.of(plan.right)
        keys = [
            equal(self._sql(a, left.lanes), self._sql(b, right.lanes))
            for a, b in zip(plan.left_keys, plan.right_keys, strict=True)
        ]
        conditions = (*left.conditions, *right.conditions, *keys)
        return Block((*left.sources, *right.sources), conditions, (*left.lanes, *right.lanes))

    def _grouped(self, plan: GroupBy) -> Block:
        below = self.of(plan.child)
        wanted = [*plan.groups, *(call.argument for call in plan.calls if call.argument is not None)]
        inner = below._replace(lanes=tuple(self._lane(each, below.lanes) for each in wanted))
        rows = self._computable(inner._replace(lanes=inner.lanes or below.lanes[:1])).select().subquery()
        places = list(rows.c)
        groups, arguments = places[: len(plan.groups)], iter(places[len(plan.groups) :])
        totals = [
            total(call, None if call.argument is None else next(arguments), self._dialect)
            for call in plan.calls
        ]
        named = [each.label(f"c{i}") for i, each in enumerate([*groups, *totals])]
        return _over(sa.select(*named).select_from(rows).group_by(*groups), plan.columns)

    def _merged(self, inputs: Sequence[Physical], columns: tuple[Column, ...]) -> Block:
        return _over(sa.union_all(*(self._computable(self.of(each)).select() for each in inputs)), columns)

    def _computable(self, block: Block) -> Block:
        for lane in block.lanes:
            ours(lane)
        return block

    def _lane(self, expr: Expr, lanes: Sequence[Lane]) -> Lane:
        return lanes[expr.position] if isinstance(expr, Field) else Lane(self._sql(expr, lanes), expr.type)

    def _sql(self, expr: Expr, lanes: Sequence[Lane]) -> Sql:
        return expression(expr, lanes, self._dialect)


def _over(select: sa.Select[Any] | sa.CompoundSelect[Any], columns: Sequence[Column]) -> Block:
    rows = select.subquery()
    lanes = tuple(Lane(place, column.type) for place, column in zip(rows.c, columns, strict=True))
    return Block((rows,), (), lanes)
