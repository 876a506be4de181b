"""A small catalog, random logs of its relations, random cuts into ticks, and how long to look.

The values are few, so that rows meet, repeat and disappear; among them are the extremes.
"""

from random import Random

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type, Value
from tests.memory_log import Change, Entry

BIGINT, DOUBLE, BOOLEAN, TEXT, TIMESTAMP = Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.TEXT, Type.TIMESTAMP

VALUES: dict[Type, list[Value]] = {
    BIGINT: [0, 1, 2, None, -1, 7, 2**53 + 1, 2**63 - 1, -(2**63)],
    DOUBLE: [0.0, 0.5, 2.0, None, -1.5, 0.1, 1e308, -1e308, 5e-324],
    BOOLEAN: [True, False, None],
    TEXT: ["a", "b", "c", None, "", "a%", "ä\u0308", "😀'\\"],
    TIMESTAMP: [0, 3_600_000_000, None, 1_700_000_000_000_000],
}


def relation(
    name: str, kind: RelationKind, window: str | None = None, key: tuple[str, ...] = (), **columns: Type
) -> Relation:
    return Relation(name, kind, tuple(Column(c, t) for c, t in columns.items()), key, window)


CATALOG = Catalog(
    [
        relation(
            "seats", RelationKind.STREAM, "PARTITION BY k ROWS 1", k=TEXT, n=BIGINT, x=DOUBLE, b=BOOLEAN
        ),
        relation("tags", RelationKind.STREAM, None, k=TEXT, x=DOUBLE, at=TIMESTAMP),
        relation("rooms", RelationKind.TABLE, None, ("k",), k=TEXT, n=BIGINT, x=DOUBLE),
        relation("notes", RelationKind.TABLE, None, (), k=TEXT, n=BIGINT, b=BOOLEAN),
    ]
)
RELATIONS = [each for each in CATALOG if each.source != "log"]
GAPS = [0, 0, 1, 200_000, 999_999, 1_000_000, 5_000_000]

# How long to look


def few(examples: int) -> settings:
    """The everyday run: the same examples every time."""
    return settings(PLAIN, max_examples=examples, derandomize=True)


def many(examples: int) -> settings:
    """The long run: other examples every time."""
    return settings(PLAIN, max_examples=examples, print_blob=True)


PLAIN = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)

# Logs and cuts


def pool(of: Relation, size: int, random: Random) -> list[Row]:
    """Rows of which most values are of the three first of their type."""
    common = {kind: values[:3] * 4 + values for kind, values in VALUES.items()}
    return [tuple(random.choice(common[column.type]) for column in of.columns) for _ in range(size)]


def changes() -> list[Change]:
    """What an entry may say: so few rows of each table that deletes often find theirs."""
    random = Random(20)
    found = []
    for of in RELATIONS:
        is_table = of.kind is RelationKind.TABLE
        for row in pool(of, 16 if is_table else 40, random):
            found += [Change(of.name, sign, row) for sign in ((1, 1, -1) if is_table else (1,))]
    return found


CHANGES = changes()


def log_entries(seed: int, length: int) -> list[Entry]:
    random = Random(seed)
    sizes = (0, 1, 1, 1, 2, 3)
    return [
        Entry(random.choice(GAPS), random.choices(CHANGES, k=random.choice(sizes))) for _ in range(length)
    ]


def entries(longest: int = 24) -> st.SearchStrategy[list[Entry]]:
    """Logs by seed: drawn value by value most would be too short for rows to meet."""
    lengths = st.sampled_from([2, 4, 8, longest // 2, longest, longest, longest, longest])
    return st.builds(log_entries, st.integers(0, 2**32), lengths)


def cuts(length: int) -> st.SearchStrategy[list[int]]:
    """Where ticks end; the last ends where the log does."""
    return st.sets(st.integers(1, length)).map(lambda ends: sorted({*ends, length}))
