"""The price of a physical plan: what its fragments cost where they are computed and on their way.

    latency  =  the slowest fragment's  +  rows handled here · a row's time
    bytes, energy  =  the sum of the fragments'; nothing for one that runs anyway

A fragment of the sensor site costs hop-messages, of a database the rows it scans at every poll. Which
part of the devices a selection keeps is observed where it was alone in a fragment, else guessed.
"""

from collections.abc import Collection
from typing import NamedTuple

from engine.model.relation import SENSOR_SITE, Column
from engine.model.values import Type
from engine.plan.leaves import AT_BASE, NATURAL, Shipped, Windowed
from engine.plan.physical import GroupBy, HashJoin, Physical, children, leaves
from engine.plan.windows import Range
from federated.choosing.price import Price
from federated.estimating.cost import GROUPS_OF_ROWS, CostModel, is_key_of
from federated.estimating.selectivity import Selectivities
from federated.sites.network import GUESS_POLL, Network
from federated.sites.radio import bytes_of, energy_of, latency_of, lifetime_of
from federated.sites.sensor import Pair, flips, hop_messages

A_ROW_HERE, A_ROW_SCANNED, A_CHANGE = 2e-6, 1e-6, 0.01
WIDTHS = {Type.TEXT: 12.0, Type.BOOLEAN: 1.0}
A_NUMBER = 8.0
A_TICK = 1.0


class Delivery(NamedTuple):
    """A fragment's way here: messages by hop, bytes and seconds; ``samples`` are its devices' readings."""

    messages: float
    row: float
    latency: float
    samples: float = 0.0


class Pricing:
    """Prices plans by what is known of the sites and by what runs already."""

    def __init__(
        self, model: CostModel, network: Network, kept: Selectivities, running: Collection[Physical] = ()
    ) -> None:
        self._model = model
        self._network = network
        self._kept = kept
        self._running = running

    def price(self, plan: Physical) -> Price:
        """Return the price of a plan."""
        sent = [leaf for leaf in leaves(plan) if isinstance(leaf, Shipped)]
        paid = [leaf for leaf in sent if leaf not in self._running]
        radioed = [self._sensed(leaf) for leaf in paid if leaf.site == SENSOR_SITE]
        radio = self._network.radio
        power = sum(energy_of(each.messages, each.row, each.samples, radio) for each in radioed)
        carried = sum(bytes_of(each.messages, each.row, radio) for each in radioed)
        carried += sum(self._polled_bytes(leaf) for leaf in paid if leaf.site != SENSOR_SITE)
        slowest = max(map(self._latency, sent), default=0.0)
        here = self._model.estimate(plan).cost * A_ROW_HERE
        lifetime = lifetime_of(power, self._network.busiest_share, radio)
        return Price(slowest + here, carried, power, lifetime).rounded()

    def _latency(self, leaf: Shipped) -> float:
        if leaf.site == SENSOR_SITE:
            return self._sensed(leaf).latency
        scanned = sum(self._model.estimate(each).rows for each in leaves(leaf.plan))
        return self._poll(leaf) / 2 + scanned * A_ROW_SCANNED

    def _polled_bytes(self, leaf: Shipped) -> float:
        return self._model.estimate(leaf).rows * width(leaf.columns) * A_CHANGE / self._poll(leaf)

    def _poll(self, leaf: Shipped) -> float:
        return self._network.polls.get(leaf.site.partition(":")[2], GUESS_POLL)

    def _sensed(self, leaf: Shipped) -> Delivery:
        join = join_in(leaf.plan)
        return self._alone(leaf) if join is None else self._met(leaf, join)

    def _alone(self, leaf: Shipped) -> Delivery:
        (relation,) = windows_of(leaf.plan)
        name, network = relation.relation.name, self._network
        devices = network.number_of(name).value
        said = devices * self._travels(leaf.plan, relation)
        if isinstance(leaf.plan, GroupBy):
            said = min(said, self._totals(leaf.plan, devices))
        row = width(leaf.columns)
        way = latency_of(network.farthest(name), row, network.radio, network.epoch or 0.0)
        return Delivery(said * network.to_base(name), row, way, devices * network.rate_of(name).value)

    def _travels(self, plan: Physical, leaf: Windowed) -> float:
        """Return how many rows of one device travel a second: once an epoch, or as they change."""
        rate = self._network.rate_of(leaf.relation.name).value
        kept = self._kept.of(plan, self._network).value
        if self._network.epoch is not None:
            return kept / self._network.epoch
        if isinstance(leaf.window, Range):
            return 2.0 * kept * rate
        return kept * rate if says_measures(plan) else flips(kept, rate)

    def _totals(self, plan: GroupBy, devices: float) -> float:
        """Return how many totals can change a second: those of each group once a tick at each gateway."""
        groups = max(1.0, GROUPS_OF_ROWS * devices / self._network.motes) if plan.groups else 1.0
        return groups * self._network.motes / A_TICK

    def pair(self, join: HashJoin) -> Pair:
        """Return what is known of two kinds of devices that are to meet."""
        (left,), (right,) = windows_of(join.left), windows_of(join.right)
        mine, its, network = left.relation.name, right.relation.name, self._network
        by_event = network.epoch is None
        return Pair(
            network.number_of(mine).value,
            network.number_of(its).value,
            self._kept.of(join.left, network).value,
            self._kept.of(join.right, network).value,
            network.between(mine, its),
            network.to_base(mine),
            network.motes,
            rate=network.rate_of(mine).value if by_event else None,
            right_rate=network.rate_of(its).value if by_event else None,
            meetings=self._meetings(join, network.number_of(mine).value, network.number_of(its).value),
        )

    def _meetings(self, join: HashJoin, left: float, right: float) -> float:
        """Return how many devices have one key: those of a side that meets the other by its key."""
        if is_key_of(join.right_keys, join.right):
            return left
        return right if is_key_of(join.left_keys, join.left) else max(left, right)

    def _met(self, leaf: Shipped, join: HashJoin) -> Delivery:
        pair, network = self.pair(join), self._network
        messages = hop_messages(pair, leaf.method) / (network.epoch or 1.0)
        row = width(leaf.columns)
        names = [each.relation.name for each in windows_of(leaf.plan)]
        extra = 0.0 if leaf.method == AT_BASE else pair.between * (1 if leaf.method == NATURAL else 2)
        hops = max(map(network.farthest, names)) + extra
        samples = sum(network.number_of(name).value * network.rate_of(name).value for name in names)
        return Delivery(messages, row, latency_of(hops, row, network.radio, network.epoch or 0.0), samples)


def join_in(plan: Physical) -> HashJoin | None:
    """Return the join of a fragment, if it has one."""
    while not isinstance(plan, HashJoin):
        below = children(plan)
        if not below:
            return None
        plan = below[0]
    return plan


def windows_of(plan: Physical) -> list[Windowed]:
    return [leaf for leaf in leaves(plan) if isinstance(leaf, Windowed)]


def says_measures(plan: Physical) -> bool:
    """Tell whether a row changes with what is measured, and not only as it comes and goes; names stay."""
    if isinstance(plan, GroupBy):
        return any(call.function in ("min", "max") for call in plan.calls)
    return any(column.type is not Type.TEXT for column in plan.columns)


def width(columns: tuple[Column, ...]) -> float:
    """Return the bytes of a row."""
    return sum(WIDTHS.get(column.type, A_NUMBER) for column in columns)
