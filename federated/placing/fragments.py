"""Fragments: what of a logical plan one site computes beside its own data, and the plan that it is sent.

home(plan)   the site that can run all of it        none, where the rows come by themselves
sent(plan)   the same as nodes that travel; selections stand above the window, joins in the query's
             order: no statistics are in it, so what is the same has the same name for ever
"""

from collections.abc import Iterable

from engine.model.errors import InternalError, PlanError
from engine.model.relation import RelationKind
from engine.plan.expressions import Expr, Field, conjunction, move, positions
from engine.plan.leaves import NATURAL, Shipped, StreamFragment, Table, Windowed
from engine.plan.logical import Aggregate, Distinct, Join, Plan, Project, Scan, Select, inputs_of
from engine.plan.outer_join import parted
from engine.plan.physical import Filter, GroupBy, HashJoin, Map, Physical, Unique
from engine.plan.sharing import remembered
from federated.sites import site_called


@remembered
def home(plan: Plan) -> str | None:
    """Return the site that can run a plan beside its rows, if one can."""
    if isinstance(plan, Scan):
        return None if plan.relation.comes_by_itself else plan.relation.site
    below = {home(each) for each in inputs_of(plan)}
    (name,) = below if len(below) == 1 else (None,)
    return name if name is not None and _runs(name, plan) else None


def _runs(name: str, plan: Plan) -> bool:
    site = site_called(name)
    if not isinstance(plan, site.nodes):
        return False
    match plan:
        case Select(_, predicate):
            return site.can_run(predicate)
        case Project(_, expressions):
            return all(map(site.can_run, expressions))
        case Aggregate(_, groups, calls):
            return all(map(site.can_run, groups)) and all(map(site.can_total, calls))
        case Join(inputs, predicates):
            can_ask = all(site.can_run(each) and positions(each) for each in predicates)
            return can_ask and len(inputs) > 1 and len(reached(inputs, predicates)) == len(inputs)
    return True


def reached(inputs: tuple[Plan, ...], predicates: Iterable[Expr], start: int = 0) -> tuple[int, ...]:
    """Return the inputs that equalities lead to from one of them, as they are reached."""
    of = owners(inputs)
    links = [{of[p] for p in positions(each)} for each in predicates if is_equality(each)]
    found = [start]
    for here in found:
        nearby = {other for link in links if here in link and len(link) == 2 for other in link}
        found += sorted(nearby - set(found))
    return tuple(found)


def owners(inputs: tuple[Plan, ...]) -> list[int]:
    """Return, for each column of a join, the number of the input that has it."""
    return [number for number, plan in enumerate(inputs) for _ in plan.columns]


def is_equality(predicate: Expr) -> bool:
    return getattr(predicate, "function", None) == "="


def shipped(plan: Plan, site: str, method: str = NATURAL) -> Shipped:
    """Return the leaf of what a site computes."""
    return Shipped(site, sent(plan), method)


@remembered
def sent(plan: Plan) -> Physical:
    """Return the plan that a site is sent."""
    match plan:
        case Scan():
            return _leaf(plan)
        case Select(child, predicate):
            return Filter(sent(child), predicate)
        case Project(child, expressions, columns):
            return Map(sent(child), expressions, columns)
        case Aggregate(child, groups, calls, columns):
            return GroupBy(sent(child), groups, calls, columns)
        case Distinct(child):
            return Unique(sent(child))
        case Join():
            return _joined(plan)
    message = f"a {type(plan).__name__.lower()} is sent to no site"
    raise InternalError(message)


def _leaf(scan: Scan) -> Table | Windowed:
    if problem := site_called(scan.relation.site).refuses(scan):
        window = "" if scan.window is None else f"[{scan.window}] "
        message = f"no site can run {window}over {scan.relation.name}: {problem}"
        raise PlanError(message)
    fragment = StreamFragment(scan.relation.name, scan.relation.columns)
    if scan.relation.kind is RelationKind.TABLE:
        return Table(scan.relation, fragment)
    assert scan.window is not None
    return Windowed(scan.relation, scan.window, fragment, scan.sample)


def _joined(plan: Join) -> Physical:
    """Join as one input leads to the next, and put the columns where the query has them."""
    order = reached(plan.inputs, plan.predicates)
    starts = [sum(len(each.columns) for each in plan.inputs[:i]) for i in range(len(plan.inputs))]
    laid = [starts[i] + column for i in order for column in range(len(plan.inputs[i].columns))]
    where = {position: place for place, position in enumerate(laid)}
    asked = [move(each, where.__getitem__) for each in plan.predicates]
    tree = in_turn(tuple(sent(plan.inputs[i]) for i in order), asked)
    if laid == sorted(laid):
        return tree
    fields = tuple(Field(where[i], column.type, column.name) for i, column in enumerate(plan.columns))
    return Map(tree, fields, plan.columns)


def in_turn(inputs: tuple[Physical, ...], predicates: list[Expr]) -> Physical:
    """Join inputs in the order given; a predicate is used once, as soon as its columns are there."""
    tree = inputs[0]
    for plan in inputs[1:]:
        width = len(tree.columns)
        ready = [p for p in predicates if max(positions(p)) < width + len(plan.columns)]
        predicates = [p for p in predicates if p not in ready]
        mine, its, rest = parted(ready, width)
        tree = HashJoin(tree, plan, mine, its)
        tree = Filter(tree, conjunction(rest)) if rest else tree
    return tree
