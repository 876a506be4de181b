"""How the figures of ``shipping`` are cut into steps, drawn, and put into the report."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from tests.benchmarks._charts import Panel, write_chart
from tests.benchmarks._report import FOLDER, Result
from tests.benchmarks._shipping import Cost
from tests.benchmarks._topology import Link

CHARTS = FOLDER / "shipping"
Curves = dict[str, list[tuple[float, Cost]]]
T = TypeVar("T")


def shuffled(links: Sequence[Link], seed: int) -> list[Link]:
    return Random(seed).sample(links, len(links))


def parts(rows: Sequence[T], ratios: Sequence[float]) -> list[tuple[float, Sequence[T]]]:
    """Cut rows where these fractions of them are reached."""
    ends = [round(ratio * len(rows)) for ratio in ratios]
    return [(ratio, rows[a:b]) for ratio, a, b in zip(ratios, [0, *ends], ends, strict=False)]


def chart(name: str, title: str, x: str, curves: Curves, *, log: bool = True) -> None:
    """Four panels, as in the papers."""
    panels = [
        Panel("provenance, bytes a row", x, drawn(curves, lambda cost: cost.provenance)),
        Panel("shipped, bytes", x, drawn(curves, lambda cost: cost.shipped), log),
        Panel("state a site, bytes", x, drawn(curves, lambda cost: cost.state), log),
        Panel("until quiet, ms", x, drawn(curves, lambda cost: cost.milliseconds), log),
    ]
    write_chart(CHARTS / f"{name}.svg", title, panels)


def drawn(curves: Curves, of: Callable[[Cost], float]) -> dict[str, list[tuple[float, float]]]:
    return {name: [(x, of(cost)) for x, cost in line] for name, line in curves.items() if line}


def facts(figure: str, curves: Curves) -> list[Result]:
    """The last point of each curve, as rows of the report."""
    found = []
    for name, line in curves.items():
        cost = line[-1][1]
        label = f"{figure}, {name}" + ("" if cost.finished else " (did not finish)")
        found += [
            Result(f"{label}: provenance", cost.provenance, "B/row"),
            Result(f"{label}: shipped", cost.shipped, "B"),
            Result(f"{label}: rows", cost.rows, "rows"),
            Result(f"{label}: state", cost.state, "B/site"),
            Result(f"{label}: time", cost.milliseconds, "ms"),
            Result(f"{label}: rounds", cost.rounds, "rounds"),
        ]
    return found


def last(curves: Curves, name: str) -> Cost:
    return curves[name][-1][1]
