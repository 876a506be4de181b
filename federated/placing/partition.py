"""Partition: which inputs of a join are computed together at a site of their own, and what is asked there.

    A ⋈p B ⋈q C ⋈r D      A, B at one site        →      (A ⋈p B as a fragment) ⋈q C ⋈r D

A predicate is asked once: in the fragment that has all its columns where the site can run it, else above.
A fragment brings only the columns that are read above it. Together go the tables of one database that
equalities lead to, unless they are to come one by one, and the one pair that is met in the network.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from engine.model.relation import SENSOR_SITE
from engine.plan.expressions import Expr, Field, conjunction, conjuncts, move, positions
from engine.plan.leaves import NATURAL
from engine.plan.logical import Join, Plan, Project, Select
from engine.plan.physical import Physical
from engine.plan.rows import shifted
from federated.placing.fragments import home, owners, reached, shipped
from federated.placing.way import Way
from federated.sites import site_called

Place = Callable[[Plan], Physical]


class Unit(NamedTuple):
    """Inputs, by number, that are computed together; none has a site where the rows come by themselves."""

    inputs: tuple[int, ...]
    site: str | None
    method: str = NATURAL


class Parted(NamedTuple):
    """What is left to join; ``where`` says where the columns went that are still there."""

    inputs: tuple[Physical, ...]
    predicates: tuple[Expr, ...]
    where: dict[int, int]


def parted(join: Join, read: frozenset[int], way: Way, place: Place) -> Parted:
    """Return the parts of a join of which the columns at ``read`` are wanted."""
    join = lifted(join)
    spans = column_spans(join.inputs)
    units = units_of(join, way)
    inside = [predicate for unit in units for predicate in asked_at(unit, join, spans)]
    rest = tuple(p for p in join.predicates if p not in inside)
    kept = read.union(*map(positions, rest))
    inputs, where = list[Physical](), dict[int, int]()
    for unit in units:
        laid = [p for i in unit.inputs for p in spans[i]]
        if unit.site is not None:
            wanted = [p for p in laid if p in kept] or laid[:1]
            plan = narrowed(together(unit, join), [laid.index(p) for p in wanted])
            laid = wanted
            inputs.append(shipped(plan, unit.site, unit.method))
        else:
            inputs.append(place(join.inputs[unit.inputs[0]]))
        where |= {position: len(where) + place_ for place_, position in enumerate(laid)}
    return Parted(tuple(inputs), tuple(move(p, where.__getitem__) for p in rest), where)


def column_spans(inputs: tuple[Plan, ...]) -> list[range]:
    """Return, for each input, where its columns are in the join's."""
    starts = [sum(len(each.columns) for each in inputs[:i]) for i in range(len(inputs))]
    return [range(start, start + len(plan.columns)) for start, plan in zip(starts, inputs, strict=True)]


def lifted(join: Join) -> Join:
    """Ask above the inputs what their sites cannot run, so that these can be fragments."""
    spans = column_spans(join.inputs)
    inputs, above = list[Plan](), list[Expr]()
    for plan, span in zip(join.inputs, spans, strict=True):
        runs, rest = split(plan)
        inputs.append(runs)
        above += [shifted(predicate, span.start) for predicate in rest]
    return Join(tuple(inputs), (*join.predicates, *above)) if above else join


def split(plan: Plan) -> tuple[Plan, tuple[Expr, ...]]:
    """Return of a selection what the site of its rows can run, and what is asked besides."""
    if not isinstance(plan, Select) or home(plan) is not None or (name := home(plan.child)) is None:
        return plan, ()
    can_run = site_called(name).can_run
    asked = conjuncts(plan.predicate)
    runs = tuple(filter(can_run, asked))
    child = Select(plan.child, conjunction(runs)) if runs else plan.child
    return child, tuple(p for p in asked if p not in runs)


def units_of(join: Join, way: Way) -> list[Unit]:
    """Return what is computed together, each input in one unit."""
    left = list(range(len(join.inputs)))
    found: dict[int, Unit] = {}
    for unit in (*_met(join, way), *_tables(join, way)):
        if set(unit.inputs) <= set(left):
            left = [i for i in left if i not in unit.inputs]
            found[unit.inputs[0]] = unit
    for i in left:
        found[i] = Unit((i,), goes(join.inputs[i], way))
    return [found[i] for i in sorted(found)]


def goes(plan: Plan, way: Way) -> str | None:
    """Return the site to which a plan goes whole, as chosen."""
    site = home(plan)
    return None if site is None or not way.lets_go(plan, site) else site


def _met(join: Join, way: Way) -> Iterable[Unit]:
    met = way.met
    if met is not None and met.left in join.inputs and met.right in join.inputs:
        left = join.inputs.index(met.left)
        right = len(join.inputs) - 1 - join.inputs[::-1].index(met.right)
        if left != right and len(linked(join, [left, right], left, SENSOR_SITE)) == 2:
            yield Unit((left, right), SENSOR_SITE, met.method)


def _tables(join: Join, way: Way) -> Iterable[Unit]:
    for i, plan in enumerate(join.inputs):
        site = goes(plan, way)
        if site is None or site == SENSOR_SITE or site in way.apart:
            continue
        there = [j for j, other in enumerate(join.inputs) if goes(other, way) == site]
        if len(found := linked(join, there, i, site)) > 1:
            yield Unit(found, site)


def linked(join: Join, among: list[int], start: int, site: str) -> tuple[int, ...]:
    """Return those of some inputs that equalities which the site can run link to one of them."""
    of = owners(join.inputs)
    can_run = site_called(site).can_run
    within = [p for p in join.predicates if can_run(p) and {of[i] for i in positions(p)} <= set(among)]
    return tuple(sorted(reached(join.inputs, within, start)))


def asked_at(unit: Unit, join: Join, spans: list[range]) -> tuple[Expr, ...]:
    """Return the predicates that are asked where a unit is computed."""
    if unit.site is None or len(unit.inputs) == 1:
        return ()
    held = {position for i in unit.inputs for position in spans[i]}
    can_run = site_called(unit.site).can_run
    return tuple(p for p in join.predicates if positions(p) and positions(p) <= held and can_run(p))


def of_unit(unit: Unit, join: Join) -> Join:
    """Return the join of a unit's inputs alone, with what is asked there."""
    spans = column_spans(join.inputs)
    laid = [p for i in unit.inputs for p in spans[i]]
    asked = tuple(move(p, laid.index) for p in asked_at(unit, join, spans))
    return Join(tuple(join.inputs[i] for i in unit.inputs), asked)


def together(unit: Unit, join: Join) -> Plan:
    """Return the plan of a unit, over its own columns."""
    return join.inputs[unit.inputs[0]] if len(unit.inputs) == 1 else of_unit(unit, join)


def narrowed(plan: Plan, wanted: list[int]) -> Plan:
    """Return the plan with the columns at these places alone."""
    if wanted == list(range(len(plan.columns))):
        return plan
    columns = tuple(plan.columns[i] for i in wanted)
    if isinstance(plan, Project):
        return Project(plan.child, tuple(plan.expressions[i] for i in wanted), columns)
    fields = tuple(Field(i, plan.columns[i].type, plan.columns[i].name) for i in wanted)
    return Project(plan, fields, columns)
