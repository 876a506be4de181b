"""The optimizer: from nothing, again after changes at each level, and in a stable stream; ratios of one run.

The bars are of the thesis's queries: again 12 times faster than from scratch at two relations and 300 times
at the top, 2.5, 5 and 50 times faster than all costs anew at one, two and all but one; in no batch a tenth
slower; a stable tick under 2 % of scratch. Pruning stands next to the thesis's figures 23b and 23c.
"""

import sys
from time import perf_counter

from tests.benchmarks._optimizer_again import again, batches, first_time, peers_again
from tests.benchmarks._optimizer_cases import JOINED, Case, cases, from_scratch
from tests.benchmarks._optimizer_initial import initial, pruned
from tests.benchmarks._optimizer_ticks import ticks
from tests.benchmarks._report import Result, report, shown

LARGE = 1_500
"""Alternatives from which fewer rounds are enough."""
THESIS = "thesis: 35-80 % of entries, 55-75 % of alternatives"


def measured(case: Case) -> list[Result]:
    """Measure one case, and tell of it while the next is measured."""
    considered = case.memo().statistics().considered
    rounds = 15 if considered.ands < LARGE else 3
    scratch = from_scratch(case, rounds)
    print(f"{case.name}: {considered.ors} entries, {considered.ands} alternatives; {scratch:,.0f} µs")
    sections = {
        "x Volcano": initial(case, rounds),
        f"% pruned ({THESIS})": pruned(case),
        "x faster than": again(case, scratch),
        "x slower": [batches(case), first_time(case)],
    }
    if case.name in (JOINED, "Q8Join"):
        sections["x faster again than itself from scratch"] = peers_again(case, rounds)
    if case.name == "SegTollS":
        sections["%"] = ticks(case, scratch)
    for title, results in sections.items():
        print(f"  {title}: " + "; ".join(f"{_short(case, r)} {shown(r.value)}" for r in results), flush=True)
    return [result for results in sections.values() for result in results]


def _short(case: Case, result: Result) -> str:
    return result.case.removeprefix(case.name).lstrip(":, ")


def main() -> int:
    started = perf_counter()
    results = [result for case in cases() for result in measured(case)]
    print(f"{perf_counter() - started:.0f} s")
    return report("optimizer", results, only_floors=True)


if __name__ == "__main__":
    sys.exit(main())
