"""Figure 15: what the order of a BDD's variables saves."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from engine.network.network import Network
from engine.operators.ship import Policy
from engine.provenance.absorption import Absorption
from engine.provenance.ordering import Edge, breadth_first, depth_first
from tests.benchmarks._charts import Panel, write_chart
from tests.benchmarks._report import Result
from tests.benchmarks._shipping import REACHABLE
from tests.benchmarks._shipping_charts import CHARTS, parts, shuffled
from tests.benchmarks._topology import Link, Shape, transit_stub

SMALL = Shape(2, 2, 2)
BATCHES = tuple((i + 1) / 8 for i in range(8))
GRAPHS = 8
Order = Callable[[list[Edge]], list[int]]


def figure_15() -> list[Result]:
    """Variable orders: links arrive in random order, a few at a time, every order recomputed each time."""
    orders = {"order of arrival": None, "depth first": depth_first, "breadth first": breadth_first}
    sums: dict[str, list[list[float]]] = {name: [[0.0] * len(BATCHES) for _ in range(3)] for name in orders}
    for seed in range(GRAPHS):
        links = shuffled(transit_stub(SMALL, 3, Random(seed)), seed)
        for name, order in orders.items():
            for batch, values in enumerate(ordered_run(links, order)):
                for measure, value in enumerate(values):
                    sums[name][measure][batch] += value / GRAPHS
    titles = ("provenance shipped, bytes", "shipped, bytes", "state, bytes")
    panels = [
        Panel(
            title,
            "links inserted",
            {name: list(zip(BATCHES, each[i], strict=True)) for name, each in sums.items()},
        )
        for i, title in enumerate(titles)
    ]
    write_chart(CHARTS / "15.svg", "Variable orders, eager after four derivations", panels)
    base = sums["order of arrival"]
    return [
        Result(f"15, {name} over order of arrival: {title}", each[i][-1] / base[i][-1], "times")
        for name, each in sums.items()
        for i, title in enumerate(titles)
        if name != "order of arrival"
    ]


def ordered_run(links: list[Link], order: Order | None) -> Iterator[tuple[float, float, float]]:
    """Insert links in batches; yield what was shipped, and what is held, after each."""
    shared = Absorption()
    network = Network(REACHABLE, lambda: shared, 12, Policy(count=4))
    traffic = network.channels.traffic
    for _, batch in parts(links, BATCHES):
        network.insert(0, batch)
        if order is not None:
            shared.order(order(edges(network, links)))
        network.flush()
        yield traffic.provenance, traffic.size, sum(site.state_size() for site in network.sites)


def edges(network: Network[Any], links: list[Link]) -> list[Edge]:
    """The links that are there, with their tokens."""
    return [Edge(network.token_of(0, pair), *pair) for pair in links if network.has(0, pair)]
