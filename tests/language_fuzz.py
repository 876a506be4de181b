"""Random queries under random updates: incremental = the oracle's = another engine's, however cut into ticks.

A case is a query, a history of its relations and two ways to cut it. After every tick the view is what
the oracle makes of the log so far; at the end both cuts agree, and DuckDB, given what the windows hold,
gives the same rows for the same text, where it knows what the text uses.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import duckdb

from engine.lang.streamsql import Query, parse
from engine.lang.streamsql.select import SelectBinder
from engine.model.errors import SmartCISError
from engine.model.relation import Relation
from engine.model.values import Row, Type
from engine.plan.logical import Plan
from tests.memory_log import ORIGIN, Change, Entry, MemoryLog, rows_of
from tests.oracle import evaluate
from tests.oracle_bags import TooMuch
from tests.random_recursion import DUCKDB_RECURSIONS, RECURSIONS
from tests.random_scalars import OURS_ALONE
from tests.random_sql import CATALOG, RELATIONS, Drawn, ours, sql, theirs

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
DUCKDB_TYPES = {Type.TIMESTAMP: "TIMESTAMP", Type.TEXT: "VARCHAR"}
SHARE = 0.02


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

    def table(self) -> str:
        """How many of the cases use each feature, the rarest first."""
        lines = [f"{count:>6}  {count / self.cases:6.1%}  {name}" for name, count in self.by_rarity()]
        return "\n".join(lines)

    def by_rarity(self) -> list[tuple[str, int]]:
        return sorted(self.features.items(), key=lambda entry: entry[1])


def history(random: Random, relations: Sequence[Relation] = RELATIONS) -> list[Entry]:
    """What happens: rows come, and go again where their relation lets them."""
    standing: list[Change] = []
    entries, now = [], ORIGIN
    for _ in range(random.choice([8, 12, 18])):
        gap = random.choice([0, 1, 300_000, SECOND, 2 * SECOND])
        now += gap
        some = range(random.choice([0, 1, 2, 3]))
        entries.append(Entry(gap, [change(random, standing, random.choice(relations), now) for _ in some]))
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
    text, log = ours(drawn.text), MemoryLog(history(random))
    try:
        plan = answered(text, log, cut(random, log.end), tally)
        once = log.session(CATALOG)
        late = random.random() < 0.3
        name = "" if late else once.query(text)
        log.tick(once)
        found = rows_of(once, name or once.query(text))
        must_equal(found, recomputed(plan, log, log.end), text, "in one tick" if name else "begun late")
    except TooMuch:
        tally.abandoned += 1
        return
    tally.rows += found.total()
    if not drawn.features.keys() & OURS:
        tally.compared += 1
        must_equal(found, of_duckdb(drawn.text, log, plan), text, "DuckDB")


def answered(text: str, log: MemoryLog, ends: Iterable[int], tally: Tally) -> Plan:
    """Close the ticks, asking after each; return the plan."""
    session = log.session(CATALOG)
    name = session.query(text)
    plan = session._views[name].logical
    for end in ends:
        log.tick(session, end)
        suspended = session._views[name].suspended
        if suspended is not None:
            if "over one row" in suspended or "2 rows" in suspended:
                raise TooMuch
            raise Wrong(f"suspended: {suspended}\n{text}")
        must_equal(rows_of(session, name), recomputed(plan, log, end), text, f"after {end} entries")
    return plan


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


# The other engine

DATABASE = duckdb.connect(":memory:", config={"threads": 1})


def of_duckdb(text: str, log: MemoryLog, plan: Plan) -> Counter[Row]:
    """What DuckDB makes of the text over what its windows hold."""
    spelled, scanned = theirs(text)
    for table, (relation, window) in scanned.items():
        load(table, relation, window, log)
    kinds = [column.type for column in plan.columns]
    rows = DATABASE.execute(spelled).fetchall()
    return Counter(tuple(map(cell, row, kinds)) for row in rows)


def load(table: str, relation: str, window: str, log: MemoryLog) -> None:
    scan = parse(f"SELECT * FROM {relation}" + (f" [{window}]" if window else ""))
    assert isinstance(scan, Query)
    held = evaluate(SelectBinder(CATALOG, {}).bind(scan.select), log.readings, log.stamps[-1])
    columns = CATALOG[relation].columns
    shape = ", ".join(f"{c.name} {DUCKDB_TYPES.get(c.type, str(c.type))}" for c in columns)
    DATABASE.execute(f"CREATE OR REPLACE TEMP TABLE {table} ({shape})")
    if held:
        rows = ", ".join(
            f"({', '.join(map(literal, row, (c.type for c in columns)))})" for row in held.elements()
        )
        DATABASE.execute(f"INSERT INTO {table} VALUES {rows}")


def literal(value: Any, kind: Type) -> str:
    if value is None:
        return "NULL"
    if kind is Type.TIMESTAMP:
        return f"make_timestamp({value})"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def cell(value: Any, kind: Type) -> Any:
    if value is None:
        return None
    if kind is Type.TIMESTAMP:
        return round(value.timestamp() * SECOND) if value.tzinfo else microseconds(value)
    return {Type.BIGINT: int, Type.DOUBLE: float, Type.BOOLEAN: bool, Type.TEXT: str}[kind](value)


def microseconds(moment: Any) -> int:
    from datetime import datetime, timedelta

    return (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)


# Many cases


def fuzz(cases: int, seed: int, draw: Callable[[Random], Drawn] = sql) -> Tally:
    """Run so many cases, each from a seed of its own."""
    tally = Tally()
    for own in seeds(cases, seed):
        random = Random(own)
        drawn = draw(random)
        tally.cases += 1
        tally.features.update(drawn.features.keys())
        try:
            check(drawn, random, tally)
        except (Wrong, SmartCISError, duckdb.Error) as error:
            tally.wrong.append(f"case {own}: {type(error).__name__}: {error}\n{ours(drawn.text)}")
    return tally


def seeds(count: int, seed: int) -> Iterator[int]:
    random = Random(seed)
    return (random.randrange(10**9) for _ in range(count))
