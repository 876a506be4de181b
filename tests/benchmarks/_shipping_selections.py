"""Figure 16: what aggregate selections save, several at once and each alone."""

from random import Random

from engine.plan.program import Program
from tests.benchmarks._report import Result
from tests.benchmarks._shipping import DENSE, SCHEMES, SPARSE, Cost, Measured
from tests.benchmarks._shipping_charts import Curves, chart, facts, last
from tests.benchmarks._topology import Shape, transit_stub
from tests.rules import program

PATH = (
    "path(x, y, c, n) :- edge(x, y, c, n)",
    "path(x, y, c + w, n + one) :- edge(x, z, w, one), path(z, y, c, n)",
)


def figure_16() -> list[Result]:
    """Aggregate selections: cost and hops at once, each alone, none."""
    best = {"Single, cost": "min 2", "Single, hops": "min 3", "Multi": "min 2, min 3"}
    results: list[Result] = []
    for what, degree in (("dense", DENSE), ("sparse", SPARSE)):
        curves: Curves = {}
        for shape in (Shape(2, 2, 2), Shape(2, 2, 4), Shape(3, 2, 6)):
            links = transit_stub(shape, degree, Random(16))
            random = Random(16)
            rows = [(a, b, random.randrange(1, 20), 1) for a, b in links]
            for name, text in best.items():
                rules = program(*PATH, best={"path": ((0, 1), text)})
                curves.setdefault(name, []).append((len(rows), paths(rules, rows)))
            if shape.nodes <= 10:
                curves.setdefault("none", []).append((len(rows), paths(program(*PATH), rows)))
        chart(f"16-{what}", f"Aggregate selections, {what}", "links", curves)
        results += facts(f"16 {what}", curves)
        single, hops, multi = (last(curves, name).shipped for name in best)
        results.append(Result(f"16 {what}: Multi over Single by cost, bytes", multi / single, "times"))
        results.append(Result(f"16 {what}: Multi over both Singles, bytes", multi / (single + hops), "times"))
        none = curves["none"][0][1]
        ratio = none.shipped / curves["Single, cost"][0][1].shipped
        case = f"16 {what}: none over Single by cost, bytes, stopped after the limit"
        results.append(Result(case, ratio, "times", "higher", 10))
    return results


def paths(rules: Program, rows: list[tuple[int, ...]]) -> Cost:
    measured = Measured(SCHEMES["absorption lazy"], rules)
    measured.insert(0, rows)
    return measured.cost()
