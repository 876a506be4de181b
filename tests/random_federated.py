"""Random queries over relations at three sites, and random histories of those.

FROM 1 to 4 relations, joined where names are equal, more often than not; selections; columns or totals
"""

from itertools import pairwise
from random import Random
from typing import NamedTuple

from engine.model.relation import Relation, RelationKind
from engine.model.values import Row, Type
from tests.memory_log import Change, Entry, MemoryLog
from tests.three_sites import BIGINT, BOOLEAN, CATALOG, DOUBLE, TEXT

VALUES = {
    TEXT: ["a", "b", "c", None],
    BIGINT: [0, 1, 2, None],
    DOUBLE: [0.5, 1.5, 2.5, None],
    BOOLEAN: [True, False, None],
    Type.TIMESTAMP: [0, 1_700_000_000_000_000],
}
KEYS = "abcdefgh"
WINDOWS = ["", "", "[RANGE 5 SECONDS]", "[UNBOUNDED]"]
RELATIONS = sorted(
    (each for each in CATALOG if each.name not in ("rejects", "sites")), key=lambda each: each.name
)

ELSEWHERE = [each for each in RELATIONS if each.name in ("seats", "lights", "machines", "people")]


class Asked(NamedTuple):
    """A query's text, and how many conditions stand in it."""

    sql: str
    conditions: int


def query(random: Random) -> Asked:
    chosen = [random.choice(RELATIONS + ELSEWHERE) for _ in range(random.choice([1, 2, 2, 3, 3, 4]))]
    named = [(f"r{i}", each) for i, each in enumerate(chosen)]
    asked = list(dict.fromkeys(links(random, named) + selections(random, named)))
    where = f" WHERE {' AND '.join(asked)}" if asked else ""
    sources = ", ".join(f"{each.name} {window(random, each)} {name}" for name, each in named)
    select, *group = wanted(random, named)
    return Asked(f"{select} FROM {sources}{where}{''.join(group)}", len(asked))


def window(random: Random, of: Relation) -> str:
    if of.kind is RelationKind.TABLE:
        return ""
    return "[UNBOUNDED]" if of.event_time else random.choice(WINDOWS)


def links(random: Random, named: list[tuple[str, Relation]]) -> list[str]:
    """An equality between neighbours, of texts or of numbers."""
    found = []
    for (a, left), (b, right) in pairwise(named):
        if random.random() < 0.8:
            kind = random.choice([TEXT, TEXT, BIGINT])
            mine, its = columns(left, kind), columns(right, kind)
            if mine and its:
                found.append(f"{a}.{random.choice(mine)} = {b}.{random.choice(its)}")
    return found


def columns(of: Relation, kind: Type) -> list[str]:
    return [column.name for column in of.columns if column.type is kind]


def selections(random: Random, named: list[tuple[str, Relation]]) -> list[str]:
    found = []
    for name, of in named:
        column = random.choice(of.columns)
        if random.random() < 0.6 and column.type in CONDITIONS:
            found.append(random.choice(CONDITIONS[column.type]).format(f"{name}.{column.name}"))
    return found


CONDITIONS = {
    TEXT: ["{0} = 'a'", "{0} <> 'b'", "{0} LIKE 'a%'", "{0} IS NOT NULL"],
    BIGINT: ["{0} > 0", "{0} = 1", "{0} + 1 < 3", "{0} IS NULL"],
    DOUBLE: ["{0} < 2.0", "{0} > 1.0"],
    BOOLEAN: ["{0}", "NOT {0}"],
}


def wanted(random: Random, named: list[tuple[str, Relation]]) -> list[str]:
    """Columns, perhaps each row once, or totals by a group or without."""
    every = [(f"{name}.{column.name}", column.type) for name, of in named for column in of.columns]
    texts = [column for column, kind in every if kind is TEXT]
    form = random.choice(["plain", "plain", "distinct", "grouped", "total"])
    if form in ("plain", "distinct"):
        some = random.sample([column for column, _ in every], min(len(every), random.choice([1, 2, 3])))
        shown = ", ".join(f"{column} AS c{i}" for i, column in enumerate(some))
        return [f"SELECT {'DISTINCT ' if form == 'distinct' else ''}{shown}"]
    totals = ", ".join(f"{total(random, every)} AS t{i}" for i in range(random.choice([1, 2])))
    if form == "total":
        return [f"SELECT {totals}"]
    group = random.choice(texts)
    return [f"SELECT {group} AS g, {totals}", f" GROUP BY {group}"]


def total(random: Random, every: list[tuple[str, Type]]) -> str:
    column, kind = random.choice(every)
    calls = ["count(*)", "count({0})", "min({0})", "max({0})", "count(DISTINCT {0})"]
    calls += ["sum({0})", "avg({0})"] if kind in (BIGINT, DOUBLE) else []
    calls += ["bool_and({0})", "bool_or({0})"] if kind is BOOLEAN else []
    return random.choice(calls).format(column)


def history(random: Random) -> MemoryLog:
    """Readings of all streams, and rows of the tables."""
    log = MemoryLog()
    for _ in range(30):
        of = random.choice(RELATIONS)
        log.append(Entry(random.choice([0, 200_000, 1_000_000]), [Change(of.name, 1, row(random, of))]))
    return log


def row(random: Random, of: Relation) -> Row:
    return (random.choice(KEYS), *(random.choice(VALUES[column.type]) for column in of.columns[1:]))
