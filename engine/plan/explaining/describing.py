"""A node of a physical plan in words: what it does, of what, by what; not where, and not how much.

join s.desk = d.desk        window seats [PARTITION BY desk ROWS 1]        aggregate count(*) by d.room
"""

from engine.model.durations import shown_duration
from engine.model.relation import SENSOR_SITE
from engine.plan.aggregates import call_text
from engine.plan.constant import Constant
from engine.plan.expressions import Expr, conjuncts, to_text
from engine.plan.leaves import Leaf, Shipped, Table, Totalled, Windowed
from engine.plan.logical import SortKey
from engine.plan.nearest import NearestPaths
from engine.plan.ordering import order_text
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
    Partitioned,
    Physical,
    Pick,
    Recursive,
    Unique,
)
from engine.plan.program import Defined, Program


def describe(plan: Physical) -> str:
    """Name a node and what it does."""
    match plan:
        case Table() | Shipped() | Totalled() | Windowed():
            return leaf_text(plan)
        case Filter(_, predicate):
            return f"select {to_text(predicate)}"
        case Map(_, expressions, columns):
            return "project " + ", ".join(named(e, c.name) for e, c in zip(expressions, columns, strict=True))
        case HashJoin() | HashAntiJoin() | HashOuterJoin():
            return join_text(plan)
        case GroupBy(_, groups, calls):
            shown = map(call_text, calls)
            by = f" by {', '.join(to_text(g) for g in groups)}" if groups else ""
            return f"aggregate {', '.join(shown)}{by}"
        case Partitioned():
            return f"in shares: {describe(plan.child)}"
        case Unique() | Merge():
            return "distinct" if isinstance(plan, Unique) else "union"
        case FirstRows(_, order, count, skip):
            return top_text(order, count, skip)
    return described_recursion(plan)


def leaf_text(leaf: Leaf) -> str:
    match leaf:
        case Table(relation):
            key = f" by {', '.join(relation.key)}" if relation.key else ""
            return f"table {relation.name}{key}"
        case Shipped(site):
            return "answer of the gateways" if site == SENSOR_SITE else f"answer of {site.replace(':', ' ')}"
        case Totalled(relation, window):
            return f"totals of {relation.name} [{window}]"
    return f"window {leaf.relation.name} {windowed(leaf)}"


def join_text(plan: HashJoin | HashAntiJoin | HashOuterJoin) -> str:
    keys = meeting(plan.left_keys, plan.right_keys)
    if isinstance(plan, HashJoin):
        return f"join {keys}" if keys else "cross product"
    if isinstance(plan, HashAntiJoin):
        return f"antijoin {keys}"
    asked = [to_text(part) for part in conjuncts(plan.condition)] if plan.condition is not None else []
    kept = "full" if plan.keeps_right else "left"
    return f"{kept} join {' and '.join(filter(None, [keys, *asked])) or 'of all combinations'}"


def selected_below(leaf: Leaf) -> str:
    """Say which rows a leaf is given, if not all."""
    predicate = leaf.fragment.predicate
    return "" if predicate is None else f" where {to_text(predicate)}"


def totals_text(leaf: Totalled) -> str:
    """Say what is totalled of each pane before any row comes."""
    fragment = leaf.fragment
    panes = "" if fragment.pane is None else f"panes of {shown_duration(fragment.pane)}"
    by = ", ".join(filter(None, [*(column.name for column in fragment.keys), panes]))
    return f"aggregate {', '.join(map(call_text, fragment.calls))}{f' by {by}' if by else ''}"


def window_text(leaf: Windowed) -> str:
    """Say all that tells a window from another on the same stream."""
    return f"{leaf.relation.name} {windowed(leaf)}{selected_below(leaf)}"


def windowed(plan: Windowed) -> str:
    """Say what of a stream is kept: its window, by which column's time, and how it is sampled."""
    time = f" by {plan.relation.event_time}" if plan.relation.event_time else ""
    sample = f" sample period {shown_duration(plan.sample)}" if plan.sample else ""
    return f"[{plan.window}]{time}{sample}"


def described_recursion(plan: Physical) -> str:
    """Name a recursive stratum by what it derives and the form in which it runs."""
    columns = ", ".join(column.name for column in plan.columns)
    match plan:
        case Closure():
            return f"recursion ({columns}) as bitsets"
        case BestPaths(best=best, combine=combine):
            return f"recursion ({columns}), {best} by {combine}, as matrices"
        case NearestPaths():
            return f"recursion ({columns}), the nearest, from its frontier"
        case Recursive(_, program):
            names = ", ".join(map(selected, program.definitions))
            how = "XY-stratified, by stages" if program.is_staged else "one derivation a row"
            limit = "" if program.rounds is None else f", at most {program.rounds:,} rounds"
            return f"recursion {names} by {len(program.rules)} rules{negating(program)}, {how}{limit}"
        case Pick(child, number):
            return f"pick {child.program.definitions[number].name}"
        case Constant(rows):
            return f"{len(rows)} constant row{'' if len(rows) == 1 else 's'}"
    message = f"{type(plan).__name__} is not a part of a recursion"
    raise TypeError(message)


def top_text(order: tuple[SortKey, ...], count: int | None, skip: int) -> str:
    after = f" after {skip}" if skip else ""
    return f"top {'all' if count is None else count}{after} by {order_text(order)}"


def negating(program: Program) -> str:
    negated = sum(len(rule.negated) for rule in program.rules)
    return f" with {negated} negated" if negated else ""


def selected(definition: Defined) -> str:
    """Name a definition and what of its rows is selected."""
    if not definition.best:
        return definition.name
    names = [column.name for column in definition.columns]
    best = ", ".join(f"{each.function} {names[each.position]}" for each in definition.best)
    group = ", ".join(names[i] for i in definition.group) or "all"
    return f"{definition.name} ({best} of each {group})"


def site_name(site: str) -> str:
    """Name a site in a sentence: the gateways, the database facts."""
    kind, _, name = site.partition(":")
    return f"the {kind} {name}" if name else "the gateways" if kind == SENSOR_SITE else f"the {kind} site"


def meeting(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> str:
    return " and ".join(f"{to_text(a)} = {to_text(b)}" for a, b in zip(left, right, strict=True))


def named(expression: Expr, name: str) -> str:
    text = to_text(expression)
    return name if text.rpartition(".")[2] == name else f"{text} as {name}"
