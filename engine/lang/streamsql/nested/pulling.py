"""A plan that reads outer columns by equalities alone: these become keys.

σ(outer = b)(R)  for each outer row   →   R with b as one more column, met where outer = b

so that an EXISTS that asks for equality is a semi join, and no domain has to be made. What else reads an
outer column, and what an equality cannot be pulled through, declines.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.lang.streamsql.nested.correlation import expressions_of, is_correlated, reads_outer
from engine.lang.streamsql.nested.domains import empty_row
from engine.model.relation import Column
from engine.model.values import Row, Type
from engine.plan.expressions import Call, Expr, Field, compiled, conjunction, conjuncts, move, positions
from engine.plan.logical import Aggregate, AntiJoin, Distinct, Join, Plan, Project, Select, Union
from engine.plan.rows import fields_of, rotated
from engine.plan.sharing import remembered


@dataclass(frozen=True)
class Pulled:
    """A plan with a key column for each of ``outers`` behind its own.

    ``empty`` is the row for an outer row whose key is nowhere, of a plan that has a row for any; such a
    plan has one row a key at most.
    """

    plan: Plan
    outers: tuple[Expr, ...] = ()
    empty: Row | None = None

    @property
    def width(self) -> int:
        """How many columns the plan had."""
        return len(self.plan.columns) - len(self.outers)

    @property
    def keys(self) -> tuple[Field, ...]:
        return fields_of(self.plan)[self.width :]


@remembered
def maybe_pulled(plan: Plan) -> Pulled | None:
    """Return the plan with its equalities as keys; None where it has to be evaluated over a domain."""
    if not is_correlated(plan):
        return Pulled(plan, (), empty_of(plan))
    match plan:
        case Select(child, predicate):
            return _from_select(child, conjuncts(predicate))
        case Join(inputs, predicates):
            return _from_join(inputs, predicates)
        case Project(child, expressions, columns):
            return _from_projection(child, expressions, columns)
        case Distinct(child):
            below = maybe_pulled(child)
            return below and Pulled(Distinct(below.plan), below.outers, below.empty)
        case Aggregate():
            return _from_aggregate(plan)
        case Union(inputs):
            return _from_union(inputs)
        case AntiJoin():
            return _from_anti_join(plan)
    return None


def empty_of(plan: Plan) -> Row | None:
    """Return the row that a plan always has, over no rows at all; None where it may have none, or more."""
    match plan:
        case Project(child, expressions, _):
            below = empty_of(child)
            return None if below is None else tuple(compiled(e)(below) for e in expressions)
        case Distinct(child):
            return empty_of(child)
        case Aggregate(_, (), _, _):
            return tuple(compiled(value)(()) for value in empty_row(plan))
    return None


def split(predicates: Sequence[Expr]) -> tuple[list[Expr], list[tuple[Expr, Expr]]] | None:
    """Return what reads no outer column, and the equalities (outer, inner); None where there is more."""
    own, pairs = [], []
    for predicate in predicates:
        if not reads_outer(predicate):
            own.append(predicate)
            continue
        pair = _pair(predicate)
        if pair is None:
            return None
        pairs.append(pair)
    return own, pairs


def _pair(predicate: Expr) -> tuple[Expr, Expr] | None:
    if isinstance(predicate, Call) and predicate.function == "=":
        for mine, its in (predicate.args, predicate.args[::-1]):
            if reads_outer(mine) and not positions(mine) and not reads_outer(its):
                return mine, its
    return None


def _keyed(
    plan: Plan, shown: Sequence[Expr], columns: Sequence[Column], pairs: Sequence[tuple[Expr, Expr]]
) -> Pulled:
    """Return a projection with keys behind its columns; an outer expression that is there twice, once."""
    once: dict[Expr, Expr] = {}
    equal = []
    for mine, its in pairs:
        if once.setdefault(mine, its) != its:
            equal.append(Call("=", (once[mine], its), Type.BOOLEAN))
    selected = Select(plan, conjunction(tuple(equal))) if equal else plan
    keys = tuple(Column(f"key_{i}", its.type) for i, its in enumerate(once.values()))
    return Pulled(Project(selected, (*shown, *once.values()), (*columns, *keys)), tuple(once))


def _from_select(child: Plan, predicates: Sequence[Expr]) -> Pulled | None:
    below, parts = maybe_pulled(child), split(predicates)
    if below is None or below.empty is not None or parts is None:
        return None
    own, pairs = parts
    kept = Select(below.plan, conjunction(tuple(own))) if own else below.plan
    fields = fields_of(child)
    return _keyed(kept, fields, child.columns, [*zip(below.outers, below.keys, strict=True), *pairs])


def _from_join(inputs: Sequence[Plan], predicates: Sequence[Expr]) -> Pulled | None:
    parts = split(predicates)
    below = [maybe_pulled(each) if is_correlated(each) else Pulled(each) for each in inputs]
    if parts is None:
        return None
    places: list[int] = []
    pairs: list[tuple[Expr, Expr]] = []
    start = 0
    for each in below:
        if each is None or each.empty is not None:
            return None
        places += range(start, start + each.width)
        keys = [Field(start + key.position, key.type, key.name) for key in each.keys]
        pairs += zip(each.outers, keys, strict=True)
        start += len(each.plan.columns)
    own = tuple(move(predicate, places.__getitem__) for predicate in parts[0])
    pairs += [(mine, move(its, places.__getitem__)) for mine, its in parts[1]]
    joined = Join(tuple(each.plan for each in below if each), own)
    columns = [column for plan in inputs for column in plan.columns]
    fields = [Field(i, c.type, c.name) for i, c in zip(places, columns, strict=True)]
    return _keyed(joined, fields, columns, pairs)


def _from_projection(
    child: Plan, expressions: tuple[Expr, ...], columns: tuple[Column, ...]
) -> Pulled | None:
    below = maybe_pulled(child)
    if below is None or any(map(reads_outer, expressions)):
        return None
    keys = below.plan.columns[below.width :]
    empty = None if below.empty is None else tuple(compiled(e)(below.empty) for e in expressions)
    return Pulled(Project(below.plan, (*expressions, *below.keys), (*columns, *keys)), below.outers, empty)


def _from_aggregate(plan: Aggregate) -> Pulled | None:
    """Group by the keys, too; an aggregate that may fail is asked for no key but the outer rows'."""
    if any(call.function == "single" for call in plan.calls):
        return None
    below = maybe_pulled(plan.child)
    if below is None or below.empty is not None or any(map(reads_outer, expressions_of(plan))):
        return None
    keys = below.plan.columns[below.width :]
    groups = (*below.keys, *plan.groups)
    grouped = Aggregate(below.plan, groups, plan.calls, (*keys, *plan.columns))
    turned = rotated(grouped, len(keys))
    empty = None if plan.groups else empty_of(plan)
    return Pulled(turned, below.outers, empty)


def _from_union(inputs: Sequence[Plan]) -> Pulled | None:
    """Pull through branches that read the same."""
    below = [maybe_pulled(each) for each in inputs]
    pulled = [each for each in below if each is not None and each.empty is None]
    if len(pulled) < len(below) or len({each.outers for each in pulled}) > 1:
        return None
    return Pulled(Union(tuple(each.plan for each in pulled)), pulled[0].outers)


def _from_anti_join(plan: AntiJoin) -> Pulled | None:
    """Pull through both sides; what the right one reads, the left one must read too."""
    left, right = maybe_pulled(plan.left), maybe_pulled(plan.right)
    if left is None or right is None or any(map(reads_outer, plan.left_keys + plan.right_keys)):
        return None
    if left.empty is not None or (right.outers and right.empty is not None):
        return None
    if not set(right.outers) <= set(left.outers):
        return None
    agreed = tuple(left.keys[left.outers.index(each)] for each in right.outers)
    unmet = AntiJoin(left.plan, right.plan, plan.left_keys + agreed, plan.right_keys + right.keys)
    return Pulled(unmet, left.outers)
