"""Optimization again after a change at each level: pushed, against from scratch and all costs anew.

A change doubles or halves the rows of a set of k relations and of all that contain it. Both the push and the
recosting of everything begin with the change; from scratch is the fastest of the optimizers that enumerate.
Recosting by arrays is told besides: above 1,000 alternatives it is the memo's own form.
"""

from collections.abc import Callable
from itertools import cycle
from random import Random
from statistics import median
from time import process_time
from typing import NamedTuple

from federated.memo.memo import Memo
from federated.memo.rules.declarative import Declarative
from federated.memo.searched import Searched
from federated.memo.system_r import SystemR
from federated.memo.volcano import Volcano
from tests.benchmarks._optimizer_cases import JOINED, MICROSECONDS, Case, in_turns, spent
from tests.benchmarks._report import Result

CHANGES, REPEATED = 30, 25
BATCHES = 25
NEVER_SLOWER = 1.1
BARRED = (JOINED, "Q8Join")
Form = Declarative | SystemR | Volcano
Changes = list[tuple[int, float]]


class Level(NamedTuple):
    """Medians of a level's changes in µs: pushed, and all costs anew, in the memo's form and by arrays."""

    pushed: float
    anew: float
    by_arrays: float


def again(case: Case, scratch: float) -> list[Result]:
    """Return the rows of each level."""
    memo, arrays = case.memo(), Memo(case.graph, physical=case.physical, arrays=True)
    results = []
    for k in range(1, case.size + 1):
        level = measured(memo, arrays, k)
        barred = case.name in BARRED
        what = f"{level.pushed:.2f} µs pushed, {level.anew:.0f} anew, {level.by_arrays:.0f} anew by arrays"
        saved = {
            "scratch / push": (scratch, _scratch_floor(k, case.size)),
            "all costs anew / push": (level.anew, _anew_floor(k, case.size)),
            "all costs anew by arrays / push": (level.by_arrays, None),
        }
        results += [
            Result(
                f"{case.name}, k={k}: {name}",
                took / level.pushed,
                "x",
                better="higher",
                floor=floor if barred else None,
                peer=what,
            )
            for name, (took, floor) in saved.items()
        ]
    return results


def _scratch_floor(k: int, n: int) -> float | None:
    return {2: 12.0, n: 300.0}.get(k)


def _anew_floor(k: int, n: int) -> float | None:
    return {1: 2.5, 2: 5.0, n - 1: 50.0}.get(k)


def measured(memo: Memo, arrays: Memo, k: int) -> Level:
    """Double and halve sets of k relations in turn; push one time, recost the others."""
    masks = [mask for mask in memo.space.masks if mask.bit_count() == k]
    pushed, anew, by_arrays = [], [], []
    for i in range(CHANGES):
        mask = masks[i % len(masks)]
        pushed.append(_pushed(memo, mask))
        for changed, of in ((memo, anew), (arrays, by_arrays)):
            of.append(_recost(changed, [(mask, (2.0, 0.5)[i // len(masks) % 2])]))
    return Level(median(pushed), median(anew), median(by_arrays))


def _pushed(memo: Memo, mask: int) -> float:
    """Return the microseconds of one change and what follows; of several, a clock is as slow as one."""
    started = process_time()
    for _ in range(REPEATED):
        memo.change(mask, 2.0)
        memo.settle()
        memo.change(mask, 0.5)
        memo.settle()
    return (process_time() - started) * MICROSECONDS / (2 * REPEATED)


def _push(memo: Memo, changes: Changes) -> float:
    """Return the microseconds of changes and what follows."""
    started = process_time()
    for mask, factor in changes:
        memo.change(mask, factor)
    memo.settle()
    return (process_time() - started) * MICROSECONDS


def _recost(memo: Memo, changes: Changes) -> float:
    """Return the microseconds of changes and all costs anew."""
    started = process_time()
    for mask, factor in changes:
        memo.change(mask, factor)
    memo.recost()
    return (process_time() - started) * MICROSECONDS


def batches(case: Case) -> Result:
    """Return how much slower than recosting everything the worst kind of batch is."""
    memo, random = case.memo(), Random(7)
    masks = memo.space.masks
    kinds: dict[str, Callable[[], list[int]]] = {
        "all leaves": lambda: [mask for mask in masks if mask.bit_count() == 1],
        "all pairs": lambda: [mask for mask in masks if mask.bit_count() == 2],
        "everything": lambda: list(masks),
        **{f"{size} of any": lambda size=size: random.choices(masks, k=size) for size in (1, 2, 4, 8, 16)},
        **{
            f"{size} leaves": lambda size=size: [1 << random.randrange(case.size) for _ in range(size)]
            for size in (1, 2, 3)
        },
    }
    worst = max((_slower(memo, draw), kind) for kind, draw in kinds.items())
    return Result(
        f"{case.name}: worst batch, push / all costs anew",
        worst[0],
        "x",
        floor=NEVER_SLOWER,
        peer=f"of {', '.join(kinds)}: {worst[1]}",
    )


def _slower(memo: Memo, draw: Callable[[], list[int]]) -> float:
    """Compare in turns; each batch was made once before, so that what a set reaches is known."""
    pushed, anew = [], []
    for _ in range(BATCHES):
        changes = list(zip(draw(), cycle((2.0, 0.5))))
        back = [(mask, 1 / factor) for mask, factor in changes]
        _push(memo, changes)
        _push(memo, back)
        pushed.append(_push(memo, changes))
        anew.append(_recost(memo, back))
    return median(pushed) / median(anew)


def first_time(case: Case) -> Result:
    """Return how much slower than recosting everything a change is of a set that never changed before."""
    memo = case.memo()
    masks = Random(5).sample(memo.space.masks, k=min(BATCHES, len(memo.space.masks)))
    pushed = median(_push(memo, [(mask, 2.0)]) for mask in masks)
    anew = median(_recost(memo, [(mask, 0.5)]) for mask in masks)
    return Result(f"{case.name}: first change of a set, push / all costs anew", pushed / anew, "x")


def peers_again(case: Case, rounds: int) -> list[Result]:
    """Return how much faster than itself from scratch each other form is, over all levels and both ways."""
    forms = {
        "declarative": Declarative,
        "System R, all remembered": SystemR,
        "System R, bests remembered": lambda space: SystemR(space, remembers_all=False),
        "Volcano": Volcano,
    }
    results = []
    for name, form in forms.items():
        space = case.searched()
        running = form(space)
        scratch = in_turns({name: lambda form=form: form(case.searched())}, rounds)[name]
        for k in (1, 2, case.size - 1, case.size):
            up, down = _told(case, space, running, k)
            thesis = "thesis 12-300x" if name == "declarative" else "thesis 4-30x"
            results += [
                Result(
                    f"{case.name}, k={k}: {name} again, rows doubled",
                    scratch / up,
                    "x",
                    "higher",
                    peer=thesis,
                ),
                Result(
                    f"{case.name}, k={k}: {name} again, halved", scratch / down, "x", "higher", peer=thesis
                ),
            ]
    return results


def _told(case: Case, space: Searched, running: Form, k: int) -> tuple[float, float]:
    """Return the medians of what an optimizer takes after an increase and after a decrease."""
    masks = [mask for mask in case.memo().space.masks if mask.bit_count() == k]
    times: dict[float, list[float]] = {2.0: [], 0.5: []}
    for mask in masks[:10]:
        for factor in (2.0, 0.5):
            space.scale(mask, factor)
            times[factor].append(spent(lambda mask=mask, factor=factor: _tell(running, mask, factor)))
    return median(times[2.0]), median(times[0.5])


def _tell(running: Form, mask: int, factor: float) -> None:
    running.scaled(mask, factor)
    running.settle()
