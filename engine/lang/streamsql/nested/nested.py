"""A query within another, ready to be met by the rows around it.

Keyed(plan, mine, its)        the outer row's ``mine`` finds the rows of the plan whose ``its`` is the same
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.lang.streamsql.nested.correlation import put_in
from engine.lang.streamsql.nested.domains import Domain
from engine.lang.streamsql.nested.pulling import maybe_pulled
from engine.lang.streamsql.query.defaults import or_else
from engine.lang.streamsql.query.gathered import Gathered
from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.plan.expressions import Expr, Field, positions
from engine.plan.logical import Aggregate, AggregateCall, Distinct, Plan, Project
from engine.plan.rows import boxed, fields_of


@dataclass(frozen=True)
class Nested:
    """A plan and the expressions over the outer rows that it reads."""

    plan: Plan
    outers: tuple[Expr, ...]


@dataclass(frozen=True)
class Keyed:
    """``values`` are the query's columns over the plan.

    ``is_null_safe``: a NULL in a key is the same as a NULL. ``empty`` is the row for an outer row whose key
    is nowhere, of a query that always has one row.
    """

    plan: Plan
    values: tuple[Field, ...]
    mine: tuple[Expr, ...] = ()
    its: tuple[Field, ...] = ()
    is_null_safe: bool = False
    empty: Row | None = None


def keyed(nested: Nested, rows: Gathered) -> Keyed:
    """Return a query met by its own equalities, or else by all that it reads."""
    pulled = maybe_pulled(nested.plan)
    if pulled is None:
        return over_domain(nested, rows)
    mine = tuple(put_in(each, nested.outers) for each in pulled.outers)
    values = fields_of(pulled.plan)[: pulled.width]
    return Keyed(pulled.plan, values, mine, pulled.keys, empty=pulled.empty)


def over_domain(nested: Nested, rows: Gathered, also: Sequence[Expr] = ()) -> Keyed:
    """Return a query evaluated for all values of what it reads, and of some expressions besides."""
    mine = (*nested.outers, *also)
    domain = Domain(values_of(mine, rows))
    plan = domain.over(nested.plan)
    return Keyed(plan, fields_of(plan)[len(mine) :], mine, domain.fields, is_null_safe=True)


def values_of(expressions: Sequence[Expr], rows: Gathered) -> Plan:
    """Return the values that expressions have over the outer rows, each once."""
    read = max((position for e in expressions for position in positions(e)), default=-1) + 1
    columns = tuple(Column(f"outer_{i}", e.type) for i, e in enumerate(expressions))
    return Distinct(Project(rows.settled(read), tuple(expressions), columns))


def met_by_key(rows: Gathered, found: Keyed, empty: Sequence[Expr]) -> tuple[Expr, ...]:
    """Give each of the rows the values of its key, or these; return the columns that they become.

    The plan has one row a key at most, its columns being the keys and then the values.
    """
    if not found.mine:
        return fields_of(found.plan, rows.meet(found.plan))
    keys = (boxed(found.mine), boxed(found.its)) if found.is_null_safe else (found.mine, found.its)
    met = or_else(rows.plan, found.plan, keys, empty)
    rows.grow(met.plan)
    return met.values


def aggregated(found: Keyed, calls: Sequence[AggregateCall], kinds: Sequence[Type]) -> Keyed:
    """Return aggregates of the rows of each key."""
    keys = tuple(Column(f"key_{i}", key.type) for i, key in enumerate(found.its))
    values = tuple(Column(call.function, kind) for call, kind in zip(calls, kinds, strict=True))
    plan = Aggregate(found.plan, found.its, tuple(calls), keys + values)
    fields = fields_of(plan)
    count = len(keys)
    return Keyed(plan, fields[count:], found.mine, fields[:count], found.is_null_safe)


def telling(found: Keyed, expressions: Sequence[Expr]) -> Keyed:
    """Return these expressions of each row behind its keys; what they do not tell apart is no change."""
    keys = tuple(Column(f"key_{i}", key.type) for i, key in enumerate(found.its))
    values = tuple(Column(f"value_{i}", each.type) for i, each in enumerate(expressions))
    plan = Project(found.plan, (*found.its, *expressions), keys + values)
    fields = fields_of(plan)
    return Keyed(plan, fields[len(keys) :], found.mine, fields[: len(keys)], found.is_null_safe)
