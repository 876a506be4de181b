"""A placed plan run here: each site by itself over what it alone can see, then what is above.

a gateway    its devices' readings, told apart by the relation's key
a pair       what all gateways see: how they meet is theirs, the answer is not
a database   its tables
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from engine.model.reading import Reading
from engine.model.relation import SENSOR_SITE
from engine.model.values import Row
from engine.plan.constant import Constant
from engine.plan.leaves import Leaf, Shipped
from engine.plan.physical import HashJoin, Physical, children, leaves
from tests.oracle import run
from tests.oracle_bags import Bag

GATEWAYS = 3


def run_placed(plan: Physical, readings: Sequence[Reading], now: int) -> Bag:
    """The rows of a plan, its fragments computed where they are sent."""
    return run(answered(plan, readings, now), readings, now)


def answered(part: Any, readings: Sequence[Reading], now: int) -> Any:
    """The plan with what the sites answer in the place of each fragment."""
    if isinstance(part, Shipped):
        rows = fragment_rows(part, readings, now)
        return Constant(tuple(rows.elements()), part.columns)
    if isinstance(part, tuple):
        return tuple(answered(each, readings, now) for each in part)
    if not isinstance(part, Physical) or isinstance(part, Leaf):
        return part
    return replace(part, **{f.name: answered(getattr(part, f.name), readings, now) for f in fields(part)})


def fragment_rows(shipped: Shipped, readings: Sequence[Reading], now: int) -> Bag:
    if shipped.site != SENSOR_SITE or has_join(shipped.plan):
        return run(shipped.plan, readings, now)
    (leaf,) = leaves(shipped.plan)
    found: Bag = Counter()
    for gateway in range(GATEWAYS):
        own = [reading for reading in readings if gateway_of(leaf, reading) == gateway]
        found += run(shipped.plan, own, now)
    return found


def gateway_of(leaf: Leaf, reading: Reading) -> int:
    key: Row = tuple(reading.row[i] for i in leaf.relation.key_positions) or reading.row
    return sum(map(ord, repr(key))) % GATEWAYS


def has_join(plan: Physical) -> bool:
    return isinstance(plan, HashJoin) or any(map(has_join, children(plan)))
