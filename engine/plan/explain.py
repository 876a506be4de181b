"""A physical plan as text: one node a line, with its site, its rows and its cost.

join desk = desk                  stream: operators      rows 75    cost 512
  …

What is read more than once is one node: shown once, with a number, and after that by its number.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from engine.model.durations import shown_duration
from engine.plan.aggregates import call_text
from engine.plan.constant import Constant
from engine.plan.expressions import Expr, conjuncts, to_text
from engine.plan.leaves import Leaf, Shipped, Table, Windowed
from engine.plan.logical import SortKey
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
    Physical,
    Pick,
    Recursive,
    Unique,
    children,
)
from engine.plan.program import Defined, Program

OPERATORS = "stream: operators"
SPARK = "stream: Spark"


class Kept(NamedTuple):
    """What a running node keeps; of a window on a stream with an event time, how punctual its rows are.

    ``came`` and ``went`` count the changed rows that it took and gave since it started.
    """

    entries: int = 0
    late: int | None = None
    waiting: int | None = None
    came: int | None = None
    went: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        told = {
            "keeps": self.entries,
            "late": self.late,
            "waiting": self.waiting,
            "in": self.came,
            "out": self.went,
        }
        counts = "".join(f"  {name} {number(n):>8}" for name, n in told.items() if n is not None)
        return counts if self.seconds is None else f"{counts}  took {self.seconds * 1000:>9,.1f} ms"


Keeps = Callable[[Physical], Kept]


class Estimate(Protocol):
    """What a cost model says of a node."""

    @property
    def rows(self) -> float: ...
    @property
    def cost(self) -> float: ...


def explain(plan: Physical, estimate: Callable[[Physical], Estimate], keeps: Keeps | None = None) -> str:
    """Return the plan as an indented table; of a running one with what each node keeps."""
    lines = list(Showing(plan, estimate, keeps).lines(plan, 0))
    width = max(len(line[0]) for line in lines)
    site_width = max(len(line[1]) for line in lines)
    return "\n".join(
        f"{text:<{width}}  {site:<{site_width}}  {estimated}".rstrip() for text, site, estimated in lines
    )


class Showing:
    """One plan's lines, those of each node once."""

    def __init__(self, plan: Physical, estimate: Callable[[Physical], Estimate], keeps: Keeps | None) -> None:
        self._estimate = estimate
        self._keeps = keeps
        self._numbers = {each: number for number, each in enumerate(read_again(plan), 1)}
        self._shown: set[Physical] = set()

    def lines(self, plan: Physical, depth: int) -> Iterator[tuple[str, str, str]]:
        """Yield what is done, where, and how much it is."""
        number_of = f"({self._numbers[plan]}) " if plan in self._numbers else ""
        if plan in self._shown:
            yield "  " * depth + f"{number_of}as above", OPERATORS, ""
            return
        if number_of:
            self._shown.add(plan)
        found = self._estimate(plan)
        estimated = f"rows {number(found.rows):>8}  cost {number(found.cost):>9}"
        kept = "" if self._keeps is None else self._keeps(plan)
        yield "  " * depth + number_of + describe(plan), OPERATORS, f"{estimated}{kept}"
        if isinstance(plan, Leaf):
            source = plan.relation.fed_by or plan.relation.kind
            read = f"read {plan.relation.name} from {source}{selected_below(plan)}"
            yield "  " * (depth + 1) + read, SPARK, ""
        for child in children(plan):
            yield from self.lines(child, depth + 1)


def read_again(plan: Physical) -> list[Physical]:
    """Return the nodes with inputs that are read more than once, as they come first."""
    found: dict[Physical, int] = {}
    unseen = [plan]
    while unseen:
        node = unseen.pop()
        found[node] = found.get(node, 0) + 1
        if found[node] == 1:
            unseen += reversed(children(node))
    return [node for node, times in found.items() if times > 1 and children(node)]


def describe(plan: Physical) -> str:
    """Name a node and what it does."""
    match plan:
        case Table(relation):
            key = f" by {', '.join(relation.key)}" if relation.key else ""
            return f"table {relation.name}{key}"
        case Shipped(site):
            return f"from {site}"
        case Windowed(relation):
            return f"window {relation.name} {windowed(plan)}"
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
        case Unique() | Merge():
            return "distinct" if isinstance(plan, Unique) else "union"
        case FirstRows(_, order, count, skip):
            return top_text(order, count, skip)
    return described_recursion(plan)


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


def meeting(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> str:
    return " and ".join(f"{to_text(a)} = {to_text(b)}" for a, b in zip(left, right, strict=True))


def named(expression: Expr, name: str) -> str:
    text = to_text(expression)
    return name if text.rpartition(".")[2] == name else f"{text} as {name}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
