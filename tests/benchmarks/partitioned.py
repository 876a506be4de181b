"""A recursion in shares beside Spark's executors: batches of deletions, over sizes and partitions.

    floor   recomputation by a loop of DataFrames is at least 5 times slower on a batch that deletes 1 %
    floor   this process is no larger after the largest network than 1.25 times what it was after the smallest

Random networks of three links a node; the view is what can be reached from three seeds. Recomputation
starts with its links in Spark's memory, loaded and partitioned before its time is taken; both leave the same
rows, by their count and two sums. The driver's form is the same plan as the operator that it is without
partitions: in this process and not in Spark's, on one core, with all of its state in the driver's memory.
All of it is one machine, so the JVM and the shares take from the same cores as the driver. Megabytes are
those of the driver's Python; its JVM has a heap of 512 MB and no more. ``--quick`` leaves the largest out.
"""

import os
import sys
import tempfile
from pathlib import Path

from engine.spark.jvm import close_spark, open_spark
from engine.spark.partitions.carrier import SparkCarrier
from engine.spark.settings import SparkSettings
from tests.benchmarks._partitioned_links import Links
from tests.benchmarks._partitioned_measure import Measured, at_the_driver, on_shares
from tests.benchmarks._partitioned_model import model
from tests.benchmarks._partitioned_peer import recomputed
from tests.benchmarks._partitioned_policies import policies
from tests.benchmarks._report import Result, report

BATCHES = {1_000: 9, 10_000: 9, 100_000: 7, 1_000_000: 5}
HELD_OUT = 300_000
FOR_THE_MODEL = ((2, 0.001), (2, 0.05), (24, 0.05))
PARTITIONS = (1, 2, 4, 8, 24)
USUAL, SPREAD = 2, 10_000
PEER_FLOOR, FLAT = 5, 1.25
PART = 0.01


class Shares:
    """Networks measured in one session of Spark."""

    def __init__(self, settings: SparkSettings) -> None:
        self.session = lambda: open_spark(settings)

    def measure(self, links: Links, batches: int, partitions: int = USUAL, part: float = PART) -> Measured:
        found = on_shares(links, SparkCarrier(self.session, partitions), batches, part)
        print(
            f"{links.count:,} links, {partitions} partitions, {part:.1%} deleted: load {found.load:.1f} s, "
            f"batches {', '.join(f'{1000 * batch.seconds:,.0f}' for batch in found.batches)} ms",
            flush=True,
        )
        return found


def of_size(found: Measured) -> list[Result]:
    """Return what shares took, and what it comes to a round and a changed row."""
    name, rounds, changed = f"{found.links.count:,} links", found.middle("rounds"), found.middle("changed")
    seconds, shipped = found.middle("seconds"), found.middle("bytes")
    return [
        Result(f"{name}: load", found.load, "s"),
        Result(f"{name}: 1 % deleted, median", 1000 * seconds, "ms"),
        Result(f"{name}: 1 % deleted, most", 1000 * max(each.seconds for each in found.batches), "ms"),
        Result(f"{name}: the same inserted again, median", 1000 * found.middle("again"), "ms"),
        Result(f"{name}: rounds", rounds, "rounds"),
        Result(f"{name}: a round", 1000 * seconds / rounds, "ms"),
        Result(f"{name}: shipped a round", found.middle("rows") / rounds, "rows"),
        Result(f"{name}: shipped a round, bytes", shipped / rounds, "B"),
        Result(f"{name}: rows that changed", changed, "rows"),
        Result(f"{name}: a changed row", 1000 * seconds / max(changed, 1), "ms"),
        Result(f"{name}: shipped a changed row", found.middle("rows") / max(changed, 1), "rows"),
        Result(f"{name}: shipped a changed row, bytes", shipped / max(changed, 1), "B"),
        Result(f"{name}: driver's memory, before", found.megabytes[0], "MB"),
        Result(f"{name}: driver's memory, grown by load and batches", found.grown, "MB"),
    ]


def beside_peer(found: Measured, shares: Shares, *, is_largest: bool) -> list[Result]:
    """Return what recomputing takes after the first batch; it has the same rows."""
    links, name = found.links, f"{found.links.count:,} links"
    left, seeds = links.without(0, PART), list(links.seeds)
    theirs = recomputed(shares.session(), left, seeds, found.partitions, tries=1 if is_largest else 2)
    assert theirs.told == found.batches[0].told, (theirs.told, found.batches[0].told)
    ratio = theirs.seconds / found.middle("seconds")
    floor = PEER_FLOOR if is_largest else None
    return [
        Result(f"{name}: recomputed in Spark", 1000 * theirs.seconds, "ms", peer="DataFrames"),
        Result(f"{name}: recomputed in Spark, rounds", theirs.rounds, "rounds", peer="DataFrames"),
        Result(
            f"{name}: recomputed in Spark over ours",
            ratio,
            "times",
            "higher",
            floor,
            peer="DataFrames",
            ratio=ratio,
        ),
    ]


def beside_driver(found: Measured, theirs: Measured) -> list[Result]:
    """Return what the driver's form takes for the same batches, which leave it the same rows."""
    name, ratio = f"{found.links.count:,} links", over(found, theirs)
    assert [each.told for each in theirs.batches] == [each.told for each in found.batches]
    return [
        Result(f"{name}: driver's form, load", theirs.load, "s"),
        Result(f"{name}: driver's form, 1 % deleted, median", 1000 * theirs.middle("seconds"), "ms"),
        Result(f"{name}: shares over the driver's form", ratio, "times", ratio=ratio),
    ]


def over(ours: Measured, theirs: Measured) -> float:
    return ours.middle("seconds") / theirs.middle("seconds")


def crossover(ratios: dict[int, float]) -> Result:
    """State where shares are quicker than the driver's form."""
    quicker = [size for size, ratio in ratios.items() if ratio < 1]
    if quicker:
        return Result("crossover with the driver's form, from", min(quicker), "links")
    size = max(ratios)
    return Result(f"crossover: none up to {size:,} links, where shares take", ratios[size], "times")


def flat(smallest: Measured, largest: Measured) -> Result:
    ratio = max(largest.megabytes) / max(smallest.megabytes)
    case = f"driver's memory, {largest.links.count:,} over {smallest.links.count:,} links"
    return Result(case, ratio, "times", floor=FLAT, ratio=ratio)


def over_partitions(found: list[Measured]) -> list[Result]:
    results = []
    for each in found:
        name = f"{each.links.count:,} links, {each.partitions} partitions"
        results += [
            Result(f"{name}: 1 % deleted, median", 1000 * each.middle("seconds"), "ms"),
            Result(f"{name}: rounds", each.middle("rounds"), "rounds"),
            Result(f"{name}: shipped", each.middle("rows"), "rows"),
        ]
    return results


def measured(shares: Shares, sizes: list[int]) -> list[Result]:
    found = [shares.measure(Links(size), BATCHES[size]) for size in sizes]
    smallest, largest = found[0], found[-1]
    spread = [shares.measure(Links(SPREAD), BATCHES[SPREAD], each) for each in PARTITIONS]
    middling = [shares.measure(Links(100_000), 3, *each) for each in FOR_THE_MODEL]
    held_out = shares.measure(Links(HELD_OUT), 5)
    results, ratios = [], {}
    for each in found:
        results += of_size(each)
        results += beside_peer(each, shares, is_largest=each is largest)
        theirs = at_the_driver(each.links, len(each.batches), PART)
        results += beside_driver(each, theirs)
        ratios[each.links.count] = over(each, theirs)
    results.append(Result(f"{largest.links.count:,} links: driver's form, memory grown", theirs.grown, "MB"))
    results += [crossover(ratios), flat(smallest, largest), *over_partitions(spread)]
    return results + model([*found, *spread, *middling], held_out, spread[-1], largest)


def main() -> int:
    sizes = [size for size in BATCHES if size < 1_000_000 or "--quick" not in sys.argv]
    with tempfile.TemporaryDirectory() as folder:
        try:
            results = measured(Shares(SparkSettings(Path(folder), partitions=USUAL)), sizes)
        finally:
            close_spark()
    print(f"{os.cpu_count()} cores; other processes and ours wanted {os.getloadavg()[2]:.1f} of them")
    return report("partitioned", [*results, *policies()])


if __name__ == "__main__":
    sys.exit(main())
