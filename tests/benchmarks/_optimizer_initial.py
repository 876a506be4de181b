"""Optimization from nothing: the declarative form, with and without each pruning, next to its peers."""

from federated.memo.rules.declarative import Declarative, Held
from federated.memo.rules.tables import Prunings
from federated.memo.system_r import SystemR
from federated.memo.volcano import Volcano
from tests.benchmarks._optimizer_cases import Case, in_turns
from tests.benchmarks._report import Result

WITHOUT = {
    "declarative": Prunings(),
    "declarative without suppression": Prunings(suppression=False),
    "declarative without counting": Prunings(counting=False),
    "declarative without bounding": Prunings(bounding=False),
    "declarative without any": Prunings(suppression=False, counting=False, bounding=False),
}
EVITA_RACED = Prunings(counting=False, bounding=False)
ENTRIES = "thesis 35-80 %"
ALTERNATIVES = "thesis 55-75 %"


def initial(case: Case, rounds: int) -> list[Result]:
    """Return each form's time as a multiple of Volcano's."""
    runs = {
        "Volcano": lambda: Volcano(case.searched()),
        "System R": lambda: SystemR(case.searched()),
        "memo for the push": case.memo,
    }
    for name, prunings in WITHOUT.items():
        runs[name] = lambda prunings=prunings: Declarative(case.searched(), prunings)
    took = in_turns(runs, rounds)
    base = took["Volcano"]
    return [
        Result(
            f"{case.name}: {name}",
            took[name] / base,
            "x Volcano",
            peer=f"{base:,.0f} µs",
            ratio=took[name] / base,
        )
        for name in runs
        if name != "Volcano"
    ]


def pruned(case: Case) -> list[Result]:
    """Return which parts of the plan table and of the alternatives each way of pruning spares."""
    every = Declarative(case.searched(), WITHOUT["declarative without any"]).held
    ours = Declarative(case.searched()).held
    raced = Declarative(case.searched(), EVITA_RACED).held
    never, left = _shares(every, ours.entries, ours.alternatives), _shares(every, *ours[2:])
    theirs = _shares(every, *raced[2:])
    return [
        _row(case, "entries never enumerated", never[0], ENTRIES),
        _row(case, "alternatives never enumerated", never[1], ALTERNATIVES),
        _row(case, "entries not kept", left[0], ENTRIES),
        _row(case, "alternatives not kept", left[1], ALTERNATIVES),
        _row(case, "alternatives not kept by suppression alone", theirs[1], "thesis 47-71 %"),
    ]


def _shares(every: Held, entries: int, alternatives: int) -> tuple[float, float]:
    return 100 * (1 - entries / every.entries), 100 * (1 - alternatives / every.alternatives)


def _row(case: Case, what: str, percent: float, thesis: str) -> Result:
    return Result(f"{case.name}: {what}", percent, "%", better="higher", peer=thesis)
