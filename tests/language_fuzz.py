"""Random texts under random updates: incremental = the oracle's = another engine's, however cut into ticks.

A case is a query, a history of its relations and two ways to cut it. After every tick the view is what
the oracle makes of the log so far; at the end both cuts agree, and DuckDB, given what the windows hold,
gives the same rows for the same text, where it knows what the text uses.
"""

import math
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import duckdb

from engine.lang.datalog import bind_program
from engine.lang.datalog import parse as read_program
from engine.model.catalog import Catalog
from engine.model.errors import SmartCISError
from engine.model.relation import Relation
from engine.model.values import Row, Type
from engine.plan.logical import Plan
from engine.session import Session
from tests import random_datalog
from tests.duckdb_peer import of_duckdb
from tests.memory_log import ORIGIN, Change, Entry, MemoryLog, rows_of
from tests.naive_datalog import relations_of
from tests.oracle import bag_table, evaluate
from tests.oracle_bags import TooMuch
from tests.random_recursion import DUCKDB_RECURSIONS, RECURSIONS
from tests.random_scalars import OURS_ALONE
from tests.random_sql import CATALOG, RELATIONS, SCANNED, Drawn, ours, sql

SECOND = 1_000_000
NOON = 1_772_359_200_000_000
VALUES: dict[Type, list[Any]] = {
    Type.BIGINT: [0, 1, 2, 3, 4, None, 1, 2],
    Type.DOUBLE: [0.0, 0.5, 1.5, 2.0, -1.5, None],
    Type.TEXT: ["a", "b", "ab", "a b", "", None],
    Type.BOOLEAN: [True, False, None],
    Type.TIMESTAMP: [NOON, NOON + 3_725_000_000, NOON + 90_061 * SECOND, None],
}
OURS = OURS_ALONE | (RECURSIONS.keys() - DUCKDB_RECURSIONS)
SHARE = 0.02
BINDER = "BindBuiltinScalarFunction did not return"  # a fault of DuckDB's own
LARGE = "went over 1,000,000 rows"  # which is more than the oracle takes


class Wrong(Exception):
    """An answer that is not what it must be."""


@dataclass
class Tally:
    """What was seen."""

    cases: int = 0
    rows: int = 0
    compared: int = 0
    abandoned: int = 0
    features: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def summary(self, language: str) -> str:
        """What was run, and how many of the cases use each feature, the rarest first."""
        first = (
            f"{self.cases:,} texts of {language}, {len(self.wrong):,} answered wrong; {self.rows:,} rows, "
            f"{self.compared:,} compared with a peer, {self.abandoned:,} too large for the oracle"
        )
        shares = (f"{name} {count / self.cases:.1%}" for name, count in self.by_rarity())
        return "\n".join(
            [first, textwrap.fill(", ".join(shares), 110, initial_indent="  ", subsequent_indent="  ")]
        )

    def by_rarity(self) -> list[tuple[str, int]]:
        return sorted(self.features.items(), key=lambda entry: entry[1])


def history(random: Random, relations: Sequence[Relation] = RELATIONS) -> list[Entry]:
    """What happens: rows come, and go again where their relation lets them."""
    standing: list[Change] = []
    entries, now = [], ORIGIN
    for number in range(random.choice([6, 10, 14])):
        gap = random.choice([0, 1, 300_000, SECOND, 2 * SECOND])
        now += gap
        some = range(random.choice([0, 1, 2, 3]) if number else 3 * len(relations))
        drawn = [change(random, standing, random.choice(relations), now) for _ in some if relations]
        entries.append(Entry(gap, drawn))
    return entries


def change(random: Random, standing: list[Change], relation: Relation, now: int) -> Change:
    if standing and random.random() < 0.3:
        gone = standing.pop(random.randrange(len(standing)))
        return gone._replace(sign=-1)
    row = tuple(random.choice(VALUES[column.type]) for column in relation.columns)
    if relation.event_time is not None:
        row = (*row[:-1], now + random.choice([-4, -2, -1, 0, 0, 1]) * SECOND // 2)
    come = Change(relation.name, 1, row)
    if relation.kind == "table":
        standing.append(come)
    return come


def cut(random: Random, length: int) -> list[int]:
    return sorted({*random.choices(range(1, length + 1), k=random.choice([1, 2, 3])), length})


def check(drawn: Drawn, random: Random, tally: Tally) -> None:
    """Run one case."""
    named = {name for name, _ in SCANNED.findall(drawn.text)}
    log = MemoryLog(history(random, [each for each in RELATIONS if each.name in named]))
    text = ours(drawn.text)
    plan = answered(text, log, cut(random, log.end))
    once = log.session(CATALOG)
    name = once.query(text) if random.random() < 0.7 else ""
    log.tick(once)
    found = rows_of(once, name or once.query(text))
    must_equal(found, recomputed(plan, log, log.end), text, "in one tick" if name else "begun late")
    tally.rows += found.total()
    if not drawn.features.keys() & OURS:
        try:
            other = of_duckdb(drawn.text, log, plan)
        except duckdb.OutOfRangeException:  # its small types overflow where ours have 64 bits
            return
        except duckdb.InvalidInputException as error:
            if BINDER not in str(error):
                raise
            return
        tally.compared += 1
        must_equal(found, other, text, "DuckDB")


def answered(text: str, log: MemoryLog, ends: Iterable[int]) -> Plan:
    """Close the ticks, asking after each; return the plan."""
    session = log.session(CATALOG)
    name = session.query(text)
    plan = session._views[name].logical
    for end in ends:
        log.tick(session, end)
        must_equal(standing(session, name, text), recomputed(plan, log, end), text, f"after {end} entries")
    return plan


def standing(session: Session, name: str, text: str) -> Counter[Row]:
    suspended = session._views[name].suspended
    if suspended is not None and LARGE in suspended:
        raise TooMuch(suspended)
    if suspended is not None:
        raise Wrong(f"{name} is suspended: {suspended}\n{text}")
    return rows_of(session, name)


def recomputed(plan: Plan, log: MemoryLog, end: int) -> Counter[Row]:
    return evaluate(plan, log.prefix(end), log.stamps[end])


def must_equal(found: Counter[Row], expected: Counter[Row], text: str, where: str) -> None:
    if found != expected and not about_equal(found, expected):
        more, less = found - expected, expected - found
        raise Wrong(f"{where}: too much {dict(more)}, missing {dict(less)}\n{text}")


def about_equal(found: Counter[Row], expected: Counter[Row]) -> bool:
    """Doubles that two engines round otherwise are the same."""
    left, right = (sorted(map(ordered, bag.elements()), key=repr_of) for bag in (found, expected))
    return len(left) == len(right) and all(map(alike, left, right))


def ordered(row: Row) -> Row:
    return tuple(float(f"{v:.9g}") if isinstance(v, float) else v for v in row)


def repr_of(row: Row) -> str:
    return repr(row)


def alike(left: Row, right: Row) -> bool:
    return all(map(same, left, right))


def same(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-9)
    return type(a) is type(b) and bool(a == b)


def check_datalog(drawn: Drawn, random: Random, tally: Tally) -> None:
    """Run one program: every relation that it puts out, after every tick."""
    log = MemoryLog(history(random, random_datalog.RELATIONS))
    catalog = Catalog(random_datalog.RELATIONS)
    plans = bind_program(drawn.text, catalog, {})
    session = log.session(catalog)
    for name, plan in plans.items():
        session.install(name, plan)
    for end in cut(random, log.end):
        log.tick(session, end)
        for name, plan in plans.items():
            found = standing(session, name, drawn.text)
            tally.rows += found.total()
            must_equal(found, recomputed(plan, log, end), drawn.text, f"{name} after {end} entries")
    if "XY-stratified" in drawn.features:
        return
    told = relations_of(read_program(drawn.text), known_facts(log))
    tally.compared += 1
    for name in plans:
        must_equal(rows_of(session, name), Counter(dict.fromkeys(told[name], 1)), drawn.text, "the bare text")


def known_facts(log: MemoryLog) -> dict[str, set[Row]]:
    """What stands of the inputs; Datalog has no NULL."""
    bags = {
        each.name: bag_table([r for r in log.readings if r.relation == each.name])
        for each in random_datalog.RELATIONS
    }
    return {name: {row for row in bag if None not in row} for name, bag in bags.items()}


# Many cases

LANGUAGES: dict[str, tuple[Callable[[Random], Drawn], Callable[[Drawn, Random, Tally], None]]] = {
    "StreamSQL": (sql, check),
    "Datalog": (random_datalog.program, check_datalog),
}


def fuzz(language: str, cases: int, seed: int, only: int | None = None) -> Tally:
    """Run so many cases, each from a seed of its own; or one of them again."""
    draw, run = LANGUAGES[language]
    tally = Tally()
    for own in [only] if only is not None else seeds(cases, seed):
        random = Random(own)
        drawn = draw(random)
        tally.cases += 1
        tally.features.update(drawn.features.keys())
        try:
            run(drawn, random, tally)
        except TooMuch:
            tally.abandoned += 1
        except (Wrong, SmartCISError, duckdb.Error) as error:
            tally.wrong.append(f"{language} case {own}: {type(error).__name__}: {error}\n{ours(drawn.text)}")
    return tally


def seeds(count: int, seed: int) -> Iterator[int]:
    random = Random(seed)
    return (random.randrange(10**9) for _ in range(count))
