"""The papers' comparisons of maintenance schemes, in shape: Figures 10 to 16, one function each.

Twelve sites unless said otherwise; each figure is a chart in ``build/bench/shipping``. The networks
with every scheme are small, because eager absorption ships every simple path of a dense network; the
others have the papers' 100 nodes and 400 tuples. Time is that of one process for all sites.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section VIII.
"""

import sys
from random import Random

from engine.provenance.derivation_graph import fragment_size
from tests.benchmarks._report import Result, report
from tests.benchmarks._shipping import DENSE, REACHABLE, SCHEMES, SPARSE, WITHOUT_EAGER, Measured
from tests.benchmarks._shipping_charts import Curves, chart, facts, last, parts, shuffled
from tests.benchmarks._shipping_orders import figure_15
from tests.benchmarks._shipping_policies import policies
from tests.benchmarks._shipping_selections import figure_16
from tests.benchmarks._topology import Link, Shape, sensors, transit_stub
from tests.rules import program

REGION = program(
    "active(x, r) :- seed(x, r), triggered(x)", "active(y, r) :- active(x, r), near(x, y), triggered(y)"
)
FULL, SMALL = Shape(4, 3, 8), Shape(2, 2, 2)
LINKS = transit_stub(FULL, DENSE, Random(10))
SMALL_LINKS = transit_stub(SMALL, 3, Random(10))


def figure_10() -> list[Result]:
    """Insertions only."""
    results = []
    for label, links, names in (("small", SMALL_LINKS, tuple(SCHEMES)), ("full", LINKS, WITHOUT_EAGER)):
        curves: Curves = {name: [] for name in names}
        for name in names:
            measured = Measured(SCHEMES[name], REACHABLE)
            for ratio, rows in parts(shuffled(links, 10), (0.25, 0.5, 0.75, 1.0)):
                measured.insert(0, rows)
                curves[name].append((ratio, measured.cost()))
        chart(f"10-{label}", f"Insertions, {len(links)} links", "links inserted", curves)
        results += facts(f"10 {label}", curves)
        if label == "full":
            carried = whole_graph(links)
            results.append(
                Result("10 full, relative: provenance if the whole graph travels", carried, "B/row")
            )
    return results


def whole_graph(links: list[Link]) -> float:
    """The bytes of a row's annotation under relative provenance, had it to bring its graph with it."""
    measured = Measured(SCHEMES["relative lazy"], REACHABLE)
    measured.insert(0, links)
    known = {token: found for site in measured.engine.sites for token, found in site.derivations()}
    sizes = []
    for fact in Random(1).sample(sorted(known), 40):
        below, unseen = {fact}, [fact]
        while unseen:
            for body in known[unseen.pop()]:
                new = {node for node in body if node in known} - below
                below |= new
                unseen += new
        sizes.append(
            fragment_size(frozenset((("", (node,)), tuple(body)) for node in below for body in known[node]))
        )
    return sum(sizes) / len(sizes)


def figure_11() -> list[Result]:
    """Deletions, one by one."""
    results = []
    for label, links, names, ratios in (
        ("small", SMALL_LINKS, tuple(SCHEMES), (0.1, 0.2, 0.3, 0.4)),
        ("full", LINKS, WITHOUT_EAGER, (0.02, 0.04, 0.06, 0.08)),
    ):
        doomed = shuffled(links, 11)
        curves: Curves = {name: [] for name in names}
        for name in names:
            measured = Measured(SCHEMES[name], REACHABLE)
            measured.insert(0, links)
            measured.cost(restart=True)
            for ratio, rows in parts(doomed, ratios):
                for row in rows:
                    measured.delete(0, [row])
                curves[name].append((ratio, measured.cost()))
        chart(f"11-{label}", f"Deletions from {len(links)} links", "links deleted", curves)
        results += facts(f"11 {label}", curves)
        if label == "full":
            results += peers_on_deletions(curves)
    return results


def peers_on_deletions(curves: Curves) -> list[Result]:
    ours = last(curves, "absorption lazy")
    found = []
    for name, floor in (("DRed", 10), ("relative lazy", 1)):
        other = last(curves, name)
        for what, ratio in (
            ("bytes", other.shipped / ours.shipped),
            ("rows", other.rows / ours.rows),
            ("time", other.milliseconds / ours.milliseconds),
        ):
            bar = floor if what != "time" else 1
            found.append(
                Result(f"deletions: {name} over absorption lazy, {what}", ratio, "times", "higher", bar)
            )
    return found


def figure_12() -> list[Result]:
    """The region query while sensors are triggered: seeds first, then half of all."""
    results = []
    for label, count, side, names in (
        ("small", 25, 50.0, tuple(SCHEMES)),
        ("full", 100, 100.0, WITHOUT_EAGER),
    ):
        random = Random(12)
        near = sensors(count, side, 20.0, random)
        seeds = [(sensor, region) for region, sensor in enumerate(random.sample(range(count), 5))]
        first = [sensor for sensor, _ in seeds]
        others = [x for x in random.sample(range(count), count // 2 + 5) if x not in first]
        triggered = [(sensor,) for sensor in [*first, *others][: count // 2]]
        curves: Curves = {name: [] for name in names}
        for name in names:
            measured = Measured(SCHEMES[name], REGION)
            measured.assume(2, near)
            measured.insert(0, seeds)
            measured.cost(restart=True)
            for ratio, rows in parts(triggered, (0.25, 0.5, 0.75, 1.0)):
                measured.insert(1, rows)
                curves[name].append((ratio, measured.cost()))
        chart(f"12-{label}", f"Regions of {count} sensors", "sensors triggered", curves)
        results += facts(f"12 {label}", curves)
    return results


def figure_13() -> list[Result]:
    """More links: eager and lazy, dense and sparse."""
    curves: Curves = {f"{how} {what}": [] for what in ("dense", "sparse") for how in ("eager", "lazy")}
    dense = (Shape(2, 1, 3), Shape(2, 2, 2), Shape(2, 2, 3), Shape(4, 3, 8))
    sparse = (Shape(2, 2, 2), Shape(2, 2, 6), Shape(4, 3, 4), Shape(4, 3, 8), Shape(8, 3, 8))
    for what, degree, shapes in (("dense", DENSE, dense), ("sparse", SPARSE, sparse)):
        for how in ("eager", "lazy"):
            for shape in shapes:
                links = transit_stub(shape, degree, Random(13))
                if not all(cost.finished for _, cost in curves[f"{how} {what}"]):
                    break
                measured = Measured(SCHEMES[f"absorption {how}"], REACHABLE)
                measured.insert(0, links)
                curves[f"{how} {what}"].append((len(links), measured.cost()))
    chart("13", "More links, insertions", "links", curves)
    results = facts("13", curves)
    common = [(e, z) for (_, e), (_, z) in zip(curves["eager dense"], curves["lazy dense"], strict=False)]
    eager, lazy = common[-1]
    ratio = eager.shipped / lazy.shipped
    more = "" if eager.finished else ", when stopped"
    results.append(Result(f"dense: eager over lazy, bytes{more}", ratio, "times", "higher", 10))
    return results


def figure_14() -> list[Result]:
    """More sites: insertions, then ten deletions."""
    doomed = shuffled(LINKS, 14)[:10]
    inserts: Curves = {name: [] for name in WITHOUT_EAGER}
    deletes: Curves = {name: [] for name in WITHOUT_EAGER}
    for sites in (1, 4, 8, 12, 16, 24):
        for name in WITHOUT_EAGER:
            measured = Measured(SCHEMES[name], REACHABLE, sites)
            measured.insert(0, LINKS)
            inserts[name].append((sites, measured.cost(restart=True)))
            for row in doomed:
                measured.delete(0, [row])
            deletes[name].append((sites, measured.cost()))
    chart("14-inserts", f"More sites, {len(LINKS)} insertions", "sites", inserts)
    chart("14-deletes", "More sites, 10 deletions", "sites", deletes)
    return facts("14 inserts", inserts) + facts("14 deletes", deletes)


def figure_policies() -> list[Result]:
    """From eager to lazy."""
    return policies(SMALL_LINKS)


FIGURES = (figure_10, figure_11, figure_12, figure_13, figure_14, figure_15, figure_16, figure_policies)


def main() -> int:
    wanted = set(sys.argv[1:])
    results = [
        result
        for figure in FIGURES
        if not wanted or figure.__name__.removeprefix("figure_") in wanted
        for result in figure()
    ]
    return report("shipping", results)


if __name__ == "__main__":
    sys.exit(main())
