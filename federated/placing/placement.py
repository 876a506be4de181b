"""Placement: each part of a logical plan becomes a physical node at a site.

What a gateway or a database holds is computed there as far as it can, and comes as a fragment; of several
ways to part a plan a ``Way`` says which. All else is the stream site's. There a selection over a stream
goes to Spark's pass where the window lets it through:

    σp(R [RANGE r])  =  (σp(R)) [RANGE r]                         always
    σp(R [PARTITION BY k ROWS n])  =  (σp(R)) [… ROWS n]          only where p reads k alone:
                                       «the last reading is high» is not «the last high reading»
    a sample of R                                                  only where p reads R's key alone

and where Spark can say p. Tables arrive whole: their rows are kept by key, shared by all views.
"""

from engine.model.errors import InternalError
from engine.model.relation import RelationKind
from engine.plan.aggregates import changed, read_by
from engine.plan.constant import Constant
from engine.plan.expressions import Expr, Field, conjunction, conjuncts, move, positions
from engine.plan.leaves import StreamFragment, Table, Windowed
from engine.plan.logical import (
    Aggregate,
    AntiJoin,
    Distinct,
    Fixpoint,
    Join,
    Plan,
    Project,
    Scan,
    Select,
    Top,
    Union,
)
from engine.plan.nearest import Nearest, NearestPaths
from engine.plan.outer_join import HashOuterJoin, OuterJoin
from engine.plan.outer_join import parted as keys_apart
from engine.plan.physical import Filter, FirstRows, GroupBy, HashAntiJoin, Map, Merge, Physical, Unique
from engine.plan.windows import Rows
from federated.estimating.cost import CostModel
from federated.joining.join_order import JoinOrder
from federated.placing.fragments import home, shipped
from federated.placing.partition import goes, parted, split
from federated.placing.totals import begun, can_begin
from federated.placing.way import AS_IT_COMES, Way
from federated.recursion.strata import distinct_union, place_stratum
from federated.sites import stream


def place(plan: Plan, model: CostModel, way: Way = AS_IT_COMES) -> Physical:
    """Return the physical plan, parted as chosen."""
    return Placing(model, way).of(plan)


class Placing:
    """One plan's placement, each node's once."""

    def __init__(self, model: CostModel, way: Way) -> None:
        self._model = model
        self._way = way
        self._known: dict[int, tuple[Plan, Physical]] = {}

    def of(self, plan: Plan) -> Physical:
        known = self._known.get(id(plan))
        if known is None:
            known = self._known[id(plan)] = plan, self._placed(plan)
        return known[1]

    def _placed(self, plan: Plan) -> Physical:
        site = goes(plan, self._way)
        if site is not None:
            return shipped(plan, site)
        match plan:
            case Scan():
                return _leaf(plan, ())
            case Select(child, predicate):
                runs, rest = split(plan)
                if rest:
                    return Filter(self.of(runs), conjunction(rest))
                if isinstance(child, Scan):
                    return _selected_leaf(child, conjuncts(predicate))
                return Filter(self.of(child), predicate)
            case Join():
                return _in_order(plan, *self._joined(plan, frozenset(range(len(plan.columns)))))
            case Project(child, expressions, columns):
                read = frozenset[int]().union(*map(positions, expressions))
                below, where = self._read(child, read)
                return Map(below, tuple(move(e, where.__getitem__) for e in expressions), columns)
            case Aggregate():
                is_begun = self._way.totals and can_begin(plan)
                return begun(plan) if is_begun else self._totalled(plan)
            case Distinct(child):
                return Unique(self.of(child))
        return self._apart(plan)

    def _totalled(self, plan: Aggregate) -> Physical:
        asked = (*plan.groups, *(each for call in plan.calls for each in read_by(call)))
        below, where = self._read(plan.child, frozenset[int]().union(*map(positions, asked)))
        calls = tuple(changed(call, lambda each: move(each, where.__getitem__)) for call in plan.calls)
        groups = tuple(move(g, where.__getitem__) for g in plan.groups)
        totals, totalling = GroupBy(below, groups, calls, plan.columns), self._model.totalling
        return totals if totalling is None else totalling.of(totals)

    def _apart(self, plan: Plan) -> Physical:
        """Place what no join is folded into."""
        match plan:
            case Constant():
                return plan
            case Union(inputs):
                return Merge(tuple(map(self.of, inputs)))
            case AntiJoin(left, right, left_keys, right_keys):
                return HashAntiJoin(self.of(left), self.of(right), left_keys, right_keys)
            case OuterJoin(left, right, predicates, keeps_right):
                mine, its, rest = keys_apart(predicates, len(left.columns))
                condition = conjunction(rest) if rest else None
                return HashOuterJoin(self.of(left), self.of(right), mine, its, condition, keeps_right)
            case Top(child, order, count, skip):
                placed = self.of(child)
                return placed if count is None and not skip else FirstRows(placed, order, count, skip)
            case Nearest(ways, targets):
                return NearestPaths(distinct_union([ways], self.of), distinct_union([targets], self.of))
            case Fixpoint():
                return place_stratum(plan, self.of, lambda placed: self._model.estimate(placed).rows)
        message = f"a {type(plan).__name__.lower()} stands outside of the definition that it is part of"
        raise InternalError(message)

    def _read(self, plan: Plan, read: frozenset[int]) -> tuple[Physical, dict[int, int]]:
        """Place what columns are read of; return where those are."""
        if isinstance(plan, Join):
            return self._joined(plan, read)
        if home(split(plan)[0]) is not None:
            return self._joined(Join((plan,), ()), read)
        return self.of(plan), {i: i for i in range(len(plan.columns))}

    def _joined(self, join: Join, read: frozenset[int]) -> tuple[Physical, dict[int, int]]:
        left = parted(join, read, self._way, self.of)
        order = JoinOrder(left.inputs, left.predicates, self._model, join)
        return order.plan(), {position: order.place[there] for position, there in left.where.items()}


def _in_order(plan: Join, joined: Physical, where: dict[int, int]) -> Physical:
    """Put the columns back where the logical plan has them."""
    if all(position == place for position, place in where.items()):
        return joined
    fields = tuple(Field(where[i], column.type, column.name) for i, column in enumerate(plan.columns))
    return Map(joined, fields, plan.columns)


def _selected_leaf(scan: Scan, predicates: tuple[Expr, ...]) -> Physical:
    pushed = tuple(p for p in predicates if may_push(scan, p))
    above = tuple(p for p in predicates if p not in pushed)
    leaf = _leaf(scan, pushed)
    return Filter(leaf, conjunction(above)) if above else leaf


def may_push(scan: Scan, predicate: Expr) -> bool:
    """Tell whether a predicate may run in the stream site's pass, below the window."""
    if scan.relation.kind is RelationKind.TABLE or not stream.can_run(predicate):
        return False
    read = positions(predicate)
    if scan.sample is not None and not read <= set(scan.relation.key_positions):
        return False
    return not isinstance(scan.window, Rows) or read <= set(scan.window.partition)


def _leaf(scan: Scan, pushed: tuple[Expr, ...]) -> Table | Windowed:
    predicate = conjunction(pushed) if pushed else None
    fragment = StreamFragment(scan.relation.name, scan.relation.columns, predicate)
    if scan.relation.kind is RelationKind.TABLE:
        return Table(scan.relation, fragment)
    window = scan.window
    assert window is not None
    return Windowed(scan.relation, window, fragment, scan.sample)
