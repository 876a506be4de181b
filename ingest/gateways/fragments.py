"""What a gateway is asked to run, read and checked before anything is built.

alone    σ, π, γ, δ, ∪  over windows of the own devices' streams
a join   the same over  L ⋈ R,  where L and R are such plans and have an equality in common
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.model.errors import PlanError, SourceError, nearest
from engine.model.relation import Relation
from engine.plan.functions import FUNCTIONS
from engine.plan.leaves import Leaf as LeafPlan
from engine.plan.leaves import Windowed
from engine.plan.physical import SHIPPABLE, Filter, GroupBy, HashJoin, Map, Physical, Unique, children
from engine.plan.wire import from_wire
from ingest.decoding.payload import parse
from ingest.decoding.values import FieldError
from ingest.gateways.methods import METHODS


class Fragment(NamedTuple):
    """``version`` tells apart what is installed, removed and installed again."""

    name: str
    version: int
    method: str
    plan: Physical
    join: HashJoin | None

    @property
    def key(self) -> str:
        """The end of its topics."""
        return self.name.partition(":")[2]


def read_fragment(payload: bytes, streams: Mapping[str, Relation]) -> Fragment:
    """Return what a message asks, or raise why it cannot run here."""
    try:
        body = parse(payload)
    except FieldError as error:
        raise SourceError(str(error)) from error
    if not isinstance(body, dict) or not isinstance(body.get("plan"), dict):
        msg = 'a fragment is no {"name": …, "method": …, "plan": …}'
        raise SourceError(msg)
    method, version = body.get("method"), body.get("version", 0)
    if method not in tuple(METHODS) or not isinstance(version, int):
        msg = f"method {method!r} of version {version!r} is not known; expected one of {', '.join(METHODS)}"
        raise SourceError(msg)
    _check_functions(body["plan"])
    plan = from_wire(body["plan"], SHIPPABLE)
    nodes = list(_nodes(plan))
    for node in nodes:
        if isinstance(node, LeafPlan):
            _check_leaf(node, streams)
    return Fragment(str(body.get("name")), version, method, plan, _join_of(plan, nodes))


def _check_functions(part: Any) -> None:
    """Find what a newer engine knows and this one does not, before it is computed with."""
    if isinstance(part, list):
        for each in part:
            _check_functions(each)
    elif isinstance(part, dict):
        name = part.get("function")
        if part.get("is") == "Call" and name not in FUNCTIONS:
            msg = f"function {name} is not known to this gateway; run the same version as the engine does"
            raise PlanError(msg)
        _check_functions(list(part.values()))


def _nodes(plan: Physical) -> Iterator[Physical]:
    yield plan
    for child in children(plan):
        yield from _nodes(child)


def _check_leaf(leaf: Physical, streams: Mapping[str, Relation]) -> None:
    if not isinstance(leaf, Windowed):
        msg = "a gateway holds windows on what its devices say; tables stay where they are"
        raise PlanError(msg)
    name = leaf.relation.name
    known = streams.get(name)
    if known is None or leaf.fragment.relation != name:
        there = f"there are {', '.join(streams) or 'none'}{nearest(name, list(streams))}"
        msg = f"no device here speaks stream {name}; {there}"
        raise PlanError(msg)
    if known.columns != leaf.relation.columns or known.columns != leaf.fragment.columns:
        msg = f"stream {name} has other columns here; give the gateway the sources.yaml of the building"
        raise PlanError(msg)


def _join_of(plan: Physical, nodes: list[Physical]) -> HashJoin | None:
    """Return the only join of a plan, which only operators of one input may stand above."""
    joins = [node for node in nodes if isinstance(node, HashJoin)]
    if not joins:
        return None
    top = plan
    while isinstance(top, Filter | Map | GroupBy | Unique):
        top = top.child
    if len(joins) > 1 or not isinstance(top, HashJoin):
        msg = f"{len(joins)} joins, or one in a union; gateways run one, below all else of its fragment"
        raise PlanError(msg)
    if not top.left_keys:
        msg = "a join of devices needs an equality; without one it is computed where the results are"
        raise PlanError(msg)
    return top
