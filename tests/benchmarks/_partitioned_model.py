"""What a batch of deletions costs on machines that are not here.

    seconds  =  a·rounds  +  b·rounds·partitions  +  c·derived/cores  +  d·deleted·partitions/cores

a round's own time, what starting each of its tasks takes the driver, what each row that is derived anew
takes, and each token that every partition looks under. Fitted to single batches, those of one network held
out, by least squares of the relative error, weighed until it is its amount that is least, as some batches
meet other processes; a term whose factor would be negative is left out. What a token takes is too little to
be told apart here, and is measured on its own. Where links
lead at random, a row stands on as many links as it is far, so derived rows and rounds grow with the depth.
What is not in it: the wire, which two cores of one machine do not show (the bytes are told), stragglers, and
a tick that finds its executors busy.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.network.wiring import wired
from engine.partitions.orders import Told
from engine.partitions.packing import packed, unpacked
from engine.partitions.recursion.share import Dead, StratumShare
from tests.benchmarks._partitioned_links import HOT, Links
from tests.benchmarks._partitioned_measure import BUDGET, Batch, Measured
from tests.benchmarks._report import Result

TERMS = ("a round", "a task", "a row derived", "a token at a partition")
HERE = 2
FAR_LINKS, FAR_PARTITIONS, FAR = 10**8, 200, "10⁸ links, 50 executors of 4 cores"
PART = 0.01
WEIGHED, SMALL = 30, 0.01
TOKENS = 300_000


def derived(batch: Batch, partitions: int) -> float:
    """Return how many rows were derived anew, of those of them that had another owner."""
    return batch.derived * partitions / (partitions - 1)


def terms(rounds: float, of: float, deleted: float, partitions: int, cores: int) -> list[float]:
    return [rounds, rounds * partitions, of / cores, deleted * partitions / cores]


def features(batch: Batch, partitions: int) -> list[float]:
    rows = derived(batch, partitions)
    return terms(batch.rounds, rows, batch.deleted, partitions, min(HERE, partitions))


def fitted(points: Sequence[Measured]) -> Any:
    """Return the factors; one partition ships nothing that could be counted, and is left out."""
    batches = [
        (batch, point.partitions) for point in points if point.partitions > 1 for batch in point.batches
    ]
    seconds = np.array([batch.seconds for batch, _ in batches])
    scaled = np.array([features(*each) for each in batches]) / seconds[:, None]
    factors = np.array([0.0] * (len(TERMS) - 1) + [of_a_token()])
    wanted = np.maximum(1 - scaled @ factors, 0)
    used, weights = list(range(len(TERMS) - 1)), np.ones(len(seconds))
    for _ in range(WEIGHED):
        while True:
            found = np.linalg.lstsq(scaled[:, used] * weights[:, None], wanted * weights, rcond=None)[0]
            if (found >= 0).all():
                break
            used.pop(int(np.argmin(found * scaled[:, used].mean(axis=0))))
        weights = 1 / np.sqrt(np.maximum(np.abs(scaled[:, used] @ found - wanted), SMALL))
    factors[used] = found
    return factors


def of_a_token() -> float:
    """Return the seconds that a partition takes to read of a dead token, and to look under it."""
    share = StratumShare(wired(HOT), 0, HERE, BUDGET)
    content = packed(Told(0, Dead(frozenset(range(TOKENS))))).content
    started = time.perf_counter()
    told = unpacked(content)
    assert isinstance(told, Told)
    share.take([told.content])
    return (time.perf_counter() - started) / TOKENS


def model(points: Sequence[Measured], held_out: Measured, many: Measured, large: Measured) -> list[Result]:
    """Fit, check on what was held out, and say what is far away.

    ``many`` has the most partitions, and tells rounds; ``large`` the most links, and tells rows and bytes.
    """
    factors = fitted(points)
    results = [
        Result(f"model: {name}", 1e6 * factor, "µs") for name, factor in zip(TERMS, factors, strict=True)
    ]
    results += checked("held out", held_out, factors)
    results += checked(
        "fitted to what is smaller", large, fitted([each for each in points if each is not large])
    )
    far = Links(FAR_LINKS)
    rounds = many.middle("rounds") * far.depth / many.links.depth
    deleted = PART * far.count
    a_link = sum(derived(each, large.partitions) for each in large.batches) / total(large, "deleted")
    rows = deleted * a_link * far.depth / large.links.depth
    seconds = float(np.dot(terms(rounds, rows, deleted, FAR_PARTITIONS, FAR_PARTITIONS), factors))
    a_row = total(large, "derived_bytes") / total(large, "derived")
    a_token = (total(large, "bytes") - total(large, "derived_bytes")) / total(large, "deleted")
    shipped = a_row * rows + a_token * deleted * FAR_PARTITIONS
    return [
        *results,
        Result(f"model: {FAR}, 1 % deleted", seconds, "s"),
        Result(f"model: {FAR}, 1 % deleted, rounds", rounds, "rounds"),
        Result(f"model: {FAR}, 1 % deleted, shipped", shipped / 1e6, "MB"),
    ]


def checked(how: str, point: Measured, factors: Any) -> list[Result]:
    """Return what is predicted for a network's batches beside what was measured."""
    said = [float(np.dot(features(batch, point.partitions), factors)) for batch in point.batches]
    case, predicted = f"model: {point.links.count:,} links, {how}", float(np.median(said))
    ratio = predicted / point.middle("seconds")
    return [
        Result(f"{case}, predicted", 1000 * predicted, "ms"),
        Result(f"{case}, predicted over measured", ratio, "ratio", ratio=ratio),
    ]


def total(of: Measured, name: str) -> float:
    return float(sum(getattr(batch, name) for batch in of.batches))
