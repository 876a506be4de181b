"""What runs a node of a physical plan: an operator, or what keeps a leaf's rows.

Counting is the algebra of everything here; a recursive stratum is one operator, inside which a row's
annotation is its derivations, and whose rows at the border count once.
"""

from engine.model.relation import SENSOR_SITE, Relation, RelationKind
from engine.model.values import Type
from engine.operators.accumulators import accumulator, argument
from engine.operators.aggregate import GroupAggregate
from engine.operators.antijoin import AntiJoin
from engine.operators.base import Bag, KeyedTable
from engine.operators.budget import Budget
from engine.operators.careful import careful, careful_rows, careful_test
from engine.operators.constant import ConstantRows
from engine.operators.distinct import Distinct
from engine.operators.event_window import FOR_EVER, EventWindow
from engine.operators.incarnations import Incarnations
from engine.operators.join import Join
from engine.operators.leaf import Leaf
from engine.operators.operator import Operator
from engine.operators.outer_join import OuterJoin, Side
from engine.operators.pick import Pick as PickRows
from engine.operators.project import ProjectRows
from engine.operators.recursion.bitsets.closure import ClosureForm
from engine.operators.recursion.frontier.form import FrontierForm
from engine.operators.recursion.frontier.ways import NearestForm
from engine.operators.recursion.matrices.best_paths import BestPathsForm
from engine.operators.recursion.matrices.costs import CostRule
from engine.operators.recursion.passing import Layout
from engine.operators.recursion.rules import Stratum
from engine.operators.recursion.staged import Stages
from engine.operators.restated import Restated
from engine.operators.sample import Sampled
from engine.operators.select import SelectRows
from engine.operators.top import TopRows
from engine.operators.totals import Totals
from engine.operators.union import Union
from engine.operators.window import RangeWindow, RowsWindow
from engine.plan.constant import Constant
from engine.plan.leaves import Leaf as LeafPlan
from engine.plan.leaves import Shipped, Table, Totalled
from engine.plan.nearest import NearestPaths
from engine.plan.ordering import place_of
from engine.plan.outer_join import HashOuterJoin
from engine.plan.physical import (
    BestPaths,
    Closure,
    Filter,
    FirstRows,
    GroupBy,
    HashAntiJoin,
    HashJoin,
    Map,
    Merge,
    Physical,
    Pick,
    Recursive,
    Unique,
)
from engine.plan.windows import Range, Rows, Window
from engine.provenance.counting import COUNTING


def leaf_of(plan: LeafPlan) -> Leaf[int]:
    """Return the leaf that a plan's leaf asks for."""
    if isinstance(plan, Table):
        key = plan.relation.key_positions
        return KeyedTable(COUNTING, key) if key else Bag(COUNTING)
    if isinstance(plan, Shipped):
        return Incarnations(COUNTING) if plan.site == SENSOR_SITE else Restated(COUNTING)
    assert plan.relation.kind is RelationKind.STREAM
    if isinstance(plan, Totalled):
        return totals_of(plan)
    window = window_of(plan.relation, plan.window)
    if plan.sample is None:
        return window
    return Sampled(window, plan.sample, plan.relation.key_positions, plan.relation.time_position)


def totals_of(plan: Totalled) -> Leaf[int]:
    """Return what keeps the totals of a window's panes."""
    if isinstance(plan.window, Range):
        return Totals(COUNTING, plan.fragment, plan.window.microseconds, plan.window.slide or 1)
    return Totals(COUNTING, plan.fragment)


def window_of(relation: Relation, window: Window) -> Leaf[int]:
    """Return what keeps a window; where rows come in the order in which they happen, the simpler."""
    column = relation.time_position
    match window:
        case Range(length, slide) if column is not None or slide is not None:
            return EventWindow(COUNTING, length, column, slide, relation.lateness)
        case Range(length):
            return RangeWindow(COUNTING, length)
        case Rows(count, partition):
            return RowsWindow(COUNTING, count, partition)
    return Bag(COUNTING) if column is None else EventWindow(COUNTING, FOR_EVER, column)


def operator_of(plan: Physical, budget: Budget) -> Operator[int]:
    """Return the operator that an inner node asks for, without state."""
    match plan:
        case Filter(_, predicate):
            return SelectRows(careful_test(predicate, budget))
        case Map(_, expressions):
            return ProjectRows(COUNTING, careful_rows(expressions, budget))
        case HashJoin(_, _, left_keys, right_keys):
            return Join(COUNTING, careful_rows(left_keys, budget), careful_rows(right_keys, budget), budget)
        case GroupBy(_, groups, calls):
            return GroupAggregate(
                COUNTING,
                careful_rows(groups, budget) if groups else None,
                [(accumulator(call), argument(call)) for call in calls],
            )
        case Unique():
            return Distinct(COUNTING)
        case Merge():
            return Union(COUNTING)
        case HashAntiJoin(_, _, left_keys, right_keys):
            return AntiJoin(COUNTING, careful_rows(left_keys, budget), careful_rows(right_keys, budget))
        case HashOuterJoin():
            return outer_join_of(plan, budget)
        case FirstRows(_, order, count, skip):
            return TopRows(careful(place_of(order), [key.expression for key in order], budget), count, skip)
    return recursion_of(plan, budget)


def outer_join_of(plan: HashOuterJoin, budget: Budget) -> OuterJoin:
    """Return the operator of an outer join; a side that is not kept is padded with nothing."""
    mine, its = len(plan.left.columns), len(plan.right.columns)
    condition = None if plan.condition is None else careful_test(plan.condition, budget)
    left = Side(careful_rows(plan.left_keys, budget), lambda row: row + (None,) * its)
    right = Side(
        careful_rows(plan.right_keys, budget),
        (lambda row: (None,) * mine + row) if plan.keeps_right else None,
    )
    return OuterJoin(left, right, condition, budget)


def recursion_of(plan: Physical, budget: Budget) -> Operator[int]:
    """Return the operator of a recursive stratum in the form chosen for it, or of a constant."""
    match plan:
        case Closure(_, seeds, width, order):
            return ClosureForm(width, len(seeds.columns) - width, order, budget)
        case BestPaths(edges, seeds, width, best, combine, order, columns):
            layout = Layout(width, len(seeds.columns) - width - 1, order)
            is_integral = columns[order.index(len(order) - 1)].type is Type.BIGINT
            rule = CostRule(best, combine, integral=is_integral)
            if not layout.passing and edges != seeds:
                return FrontierForm(layout, rule, budget)
            return BestPathsForm(layout, rule, edges == seeds, budget)
        case NearestPaths():
            return NearestForm(budget, integral=plan.columns[-1].type is Type.BIGINT)
        case Recursive(_, program):
            return Stages(program, budget) if program.is_staged else Stratum(program, budget)
        case Pick(_, number):
            return PickRows(number)
        case Constant(rows):
            return ConstantRows(COUNTING, rows)
    message = f"{type(plan).__name__} is a leaf"
    raise TypeError(message)
