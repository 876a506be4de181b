"""Random programs under random changes: `python -m tests.fuzz --steps 100000 --seed 1`.

A step is one tick of one program in every physical form that can run it, or one event in a network of
sites. Then come random texts of both languages (``tests.language_fuzz``). Prints how many views, deltas,
witnesses and answers were wrong, and the least history or the text that shows each; ends with 1 if there
were any. `--case SEED` runs one program again, `--text SEED` the texts of one seed.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from random import Random

from engine.model.values import Row
from engine.partitions.in_place import InPlace
from engine.partitions.operator import Carry
from engine.plan.explaining import as_text
from federated.optimizer import FederatedOptimizer
from tests import network_fuzz
from tests.language_fuzz import fuzz
from tests.memory_log import Entry
from tests.oracle_bags import TooMuch
from tests.random_programs import RandomProgram, random_history, random_program
from tests.watched_plan import FORMS, WatchedPlan, Wrong

TICKS = 30
LATE, RESTARTED = 14, 21
CHECKED = (9, 19, 29)
KINDS = {"view": "wrong views", "delta": "wrong deltas", "witness": "invalid witnesses"}
SHARE_OF_NETWORKS = 0.25
NETWORK_CHUNK = 500
Ticks = list[list[Entry]]


@dataclass
class Tally:
    """What was seen."""

    steps: int = 0
    programs: int = 0
    rows: int = 0
    witnesses: int = 0
    abandoned: int = 0
    found: Counter[str] = field(default_factory=Counter)
    seeds: list[tuple[int, str]] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        return self.found.total()


def fuzz_programs(steps: int, seed: int, tell: Callable[[str], None] = lambda _: None) -> Tally:
    """Run programs, each from a seed of its own, until so many ticks were closed."""
    tally = Tally()
    seeds = Random(seed)
    while tally.steps < steps:
        own = seeds.randrange(10**9)
        program, history = case(own)
        tally.programs += 1
        try:
            live(program, history, tally)
        except TooMuch:
            tally.abandoned += 1
        except Wrong as wrong:
            tally.found[wrong.kind] += 1
            tally.seeds.append((own, wrong.kind))
            tell(shown(own, program, history))
    return tally


def case(seed: int) -> tuple[RandomProgram, Ticks]:
    random = Random(seed)
    program = random_program(random)
    return program, list(random_history(program, random).ticks(TICKS))


def live(
    program: RandomProgram,
    history: Sequence[Sequence[Entry]],
    tally: Tally,
    forms: Sequence[str] = FORMS,
    carry: Carry = InPlace,
) -> None:
    """Close every tick in every form; later views begin on what is there, and then all of it starts again."""
    watched = WatchedPlan(program.plan, program.relations, forms, carry)
    for number, entries in enumerate(history):
        tally.rows += len(watched.tick_of(entries))
        tally.steps += 1
        if number in CHECKED:
            tally.witnesses += watched.check_witnesses(a_dozen)
        if number == LATE:
            for form in forms:
                watched.watch_late(form)
        if number == RESTARTED:
            watched.restart()
    watched.end()


def a_dozen(rows: list[Row]) -> list[Row]:
    """About twelve rows, from everywhere."""
    return rows[:: 1 + len(rows) // 12]


def shown(seed: int, program: RandomProgram, history: Ticks) -> str:
    """The least history that goes wrong, for people."""

    def fails(ticks: Ticks) -> Wrong | None:
        try:
            live(program, ticks, Tally())
        except Wrong as wrong:
            return wrong
        return None

    least = smallest(history, lambda ticks: fails(ticks) is not None)
    optimizer = FederatedOptimizer()
    plan = as_text(optimizer.explain(optimizer.optimize(program.plan)))
    lines = [
        f"case {seed}: {program.plan}",
        plan,
        *(f"  tick {i}: {tick}" for i, tick in enumerate(least) if tick),
    ]
    return "\n".join([*lines, f"  {fails(least)}"])


def smallest(history: Ticks, fails: Callable[[Ticks], object]) -> Ticks:
    """Leave out entries and changes, one after the other, while what is left still fails."""
    for number, tick in enumerate(history):
        for place in reversed(range(len(tick))):
            without = [*tick[:place], *tick[place + 1 :]]
            candidate = [*history[:number], without, *history[number + 1 :]]
            if fails(candidate):
                history, tick = candidate, without
                continue
            for change in reversed(range(len(tick[place].changes))):
                entry = tick[place]
                fewer = entry._replace(changes=[*entry.changes[:change], *entry.changes[change + 1 :]])
                without = [*tick[:place], fewer, *tick[place + 1 :]]
                candidate = [*history[:number], without, *history[number + 1 :]]
                if fails(candidate):
                    history, tick = candidate, without
    return history


def fuzz_networks(steps: int, seed: int, tell: Callable[[str], None] = lambda _: None) -> Tally:
    """Run random networks of sites, windows and the peers in turn, until so many events happened."""
    tally = Tally()
    schemes = cycle((network_fuzz.fuzz_network, network_fuzz.fuzz_windows, network_fuzz.fuzz_peers))
    while tally.steps < steps:
        chunk, fuzz = min(NETWORK_CHUNK, steps - tally.steps), next(schemes)
        try:
            fuzz(chunk, seed + tally.steps)
        except network_fuzz.Wrong as wrong:
            tally.found[kind_of(str(wrong))] += 1
            tell(f"{fuzz.__name__}, seed {seed + tally.steps}: {wrong}")
        tally.steps += chunk
    return tally


def kind_of(message: str) -> str:
    """What was wrong in a network, in the words of ``KINDS``."""
    if message.startswith("rows that"):
        return "delta"
    return "view" if message.startswith("a view") else "witness"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="run the one program of this seed")
    parser.add_argument("--texts", type=int, default=10_000, help="how many texts of StreamSQL")
    parser.add_argument("--text", type=int, help="run the texts of this seed")
    asked = parser.parse_args(arguments)
    if asked.text is not None:
        return 1 if fuzz_texts(1, asked.seed, asked.text) else 0
    if asked.case is not None:
        print(shown(asked.case, *case(asked.case)))
        return 0
    began = time.monotonic()
    on_sites = int(asked.steps * SHARE_OF_NETWORKS)
    programs = fuzz_programs(asked.steps - on_sites, asked.seed, print)
    networks = fuzz_networks(on_sites, asked.seed, print)
    print(f"{programs.steps:,} ticks of {programs.programs:,} programs, {programs.witnesses:,} witnesses")
    print(f"{programs.abandoned:,} of the programs were too large for the oracle and cut short")
    print(f"{networks.steps:,} events in networks, {time.monotonic() - began:,.0f} s, seed {asked.seed}")
    found = programs.found + networks.found
    for kind in {**KINDS, **found}:
        print(f"{found[kind]:>6} {KINDS.get(kind, kind)}")
    wrong = fuzz_texts(asked.texts, asked.seed)
    return 1 if found or wrong else 0


def fuzz_texts(cases: int, seed: int, only: int | None = None) -> int:
    """Run texts of both languages, of Datalog a fifth as many; return how many were answered wrong."""
    wrong = 0
    for language, count in (("StreamSQL", cases), ("Datalog", -(-cases // 5))):
        tally = fuzz(language, count, seed, only)
        print("\n\n".join([*tally.wrong, tally.summary(language)]))
        wrong += len(tally.wrong)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
