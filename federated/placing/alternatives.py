"""Every way to place a plan that could be chosen, each a plan that runs, with its price.

    ways  =  {no join in the network, each pair × method}  ×  {joined, apart} of each database
             ×  {totals beside the rows, totals here}  ×  {asked anew, from what runs}

A query that asks only for what comes by itself has one.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import combinations, islice, product
from typing import NamedTuple

from engine.model.relation import SENSOR_SITE
from engine.plan.leaves import AT_BASE, BLOOM, NATURAL, SEMI, Shipped
from engine.plan.logical import Aggregate, Distinct, Join, Plan, Scan
from engine.plan.outer_join import parted as keys_apart
from engine.plan.physical import Physical
from engine.plan.rewriting import bottom_up
from engine.plan.sharing import remembered
from federated.choosing.price import Price
from federated.estimating.cost import is_key_of
from federated.placing.fragments import home, sent
from federated.placing.partition import Unit, goes, lifted, linked, of_unit
from federated.placing.running import with_running
from federated.placing.totals import can_begin
from federated.placing.way import AS_IT_COMES, Met, Way

MOST = 128
"""So many ways are looked at; those without a join in the network come first."""


class Alternative(NamedTuple):
    """A way to place a plan, what comes of it, and its price."""

    way: Way
    plan: Physical
    price: Price
    shares: bool = False

    @property
    def name(self) -> str:
        """What it is, for people."""
        return f"{self.way}; from what runs" if self.shares else str(self.way)


def alternatives(
    plan: Plan,
    place: Callable[[Plan, Way], Physical],
    price: Callable[[Physical], Price],
    running: Collection[Shipped] = (),
) -> tuple[Alternative, ...]:
    """Return what could be chosen, each physical plan once."""
    found: dict[Physical, Alternative] = {}
    for way in islice(ways(plan), MOST):
        placed = place(plan, way)
        for made in dict.fromkeys((placed, with_running(placed, running))):
            if made not in found:
                found[made] = Alternative(way, made, price(made), made != placed)
    return tuple(found.values())


def ways(plan: Plan) -> Iterator[Way]:
    """Yield the ways to place a plan, the plainest first."""
    nodes = bottom_up(plan)
    if comes_by_itself(plan):
        yield AS_IT_COMES
        return
    joins = [lifted(node) for node in nodes if isinstance(node, Join)]
    sites = sorted({site for join in joins for site in several(join)})
    totalled = any(map(may_be_totalled_there, nodes))
    for met in (None, *dict.fromkeys(pair for join in joins for pair in pairs(join))):
        for apart in product((False, True), repeat=len(sites)):
            named = frozenset(site for site, is_apart in zip(sites, apart, strict=True) if is_apart)
            for totals in (True, False) if totalled else (True,):
                yield Way(met, named, totals)


def may_be_totalled_there(node: Plan) -> bool:
    """Tell whether a site of its own can make a total, or begin it."""
    if isinstance(node, Aggregate) and can_begin(node):
        return True
    return isinstance(node, Aggregate | Distinct) and home(node) is not None


@remembered
def comes_by_itself(plan: Plan) -> bool:
    """Tell whether nothing that a plan reads has to be asked for."""
    scans = [node for node in bottom_up(plan) if isinstance(node, Scan)]
    return all(scan.relation.comes_by_itself for scan in scans)


def several(join: Join) -> Iterator[str]:
    """Yield the databases of which a join reads several tables."""
    sites = [goes(plan, AS_IT_COMES) for plan in join.inputs]
    for site in {each for each in sites if each is not None and each != SENSOR_SITE}:
        if sites.count(site) > 1:
            yield site


def pairs(join: Join) -> Iterator[Met]:
    """Yield the pairs of one join that may meet in the network, and how.

    Where one side is met by its key, each row of the other meets one of it at most: the other goes first.
    """
    sensed = [i for i, plan in enumerate(join.inputs) if home(plan) == SENSOR_SITE]
    for i, j in combinations(sensed, 2):
        if len(linked(join, [i, j], i, SENSOR_SITE)) == 2:
            is_keyed = [met_by_key(join, j, i), met_by_key(join, i, j)]
            yield Met(join.inputs[i], join.inputs[j], AT_BASE)
            for (a, b), may_go_first in (((i, j), is_keyed[1]), ((j, i), is_keyed[0])):
                if may_go_first or not any(is_keyed):
                    yield from (Met(join.inputs[a], join.inputs[b], how) for how in (NATURAL, SEMI, BLOOM))


def met_by_key(join: Join, first: int, second: int) -> bool:
    """Tell whether the rows of one input are found by the other's key."""
    unit = Unit((first, second), SENSOR_SITE)
    both = of_unit(unit, join)
    _, keys, _ = keys_apart(both.predicates, len(both.inputs[0].columns))
    return is_key_of(keys, sent(both.inputs[1]))
