"""Random joins of three to five inputs, and what stands above and below them, over windows and tables.

views(random)  →  CREATE VIEW v0 AS …, CREATE VIEW v1 AS … (which may read v0)
"""

from random import Random

from engine.model.values import Value
from tests.memory_log import ORIGIN, Change, Entry

WINDOWED = {
    "seats": ("", "[ROWS 3]", "[PARTITION BY k ROWS 1]", "[RANGE 4 SECONDS]"),
    "tags": ("", "[PARTITION BY k ROWS 2]", "[RANGE 900 MILLISECONDS]"),
    "events": ("", "[RANGE 4 SECONDS]"),
    "rooms": ("",),
    "notes": ("",),
}
RELATIONS = (*WINDOWED, "link", "blocked")
SECOND_COLUMN = {"seats": "n", "tags": "k", "events": "n", "rooms": "n", "notes": "k"}
REACH = (
    "WITH RECURSIVE p(x, y) AS (SELECT a, b FROM link UNION SELECT p.x, l.b FROM p, link l WHERE p.y = l.a) "
)
OVER_JOIN = (
    "WITH RECURSIVE p(x, y) AS (SELECT s.k, r.n FROM {joined} UNION "
    "SELECT p.x, l.b FROM p, link l WHERE p.y = l.a) SELECT x, y FROM p"
)
GAPS = (1, 1, 200_000, 1_000_000, 3_000_000)


def joined(random: Random, names: list[str], count: int) -> tuple[str, str]:
    """Return FROM and WHERE of a join; the first two inputs are called s and r."""
    aliases = ["s", "r", "a3", "a4", "a5"][:count]
    relations = ["seats", "rooms", *random.choices(names, k=count - 2)]
    parts = [f"{name} {random.choice(WINDOWED[name])} {alias}".replace("  ", " ")
             for name, alias in zip(relations, aliases, strict=True)]  # fmt: skip
    asked = []
    for i in range(1, count):
        other = random.randrange(i)
        mine, its = (random.choice(["k", SECOND_COLUMN[relations[j]]]) for j in (i, other))
        sign = random.choice(["=", "=", "=", "=", "<", "<>"])
        asked.append(f"{aliases[i]}.{mine} {sign} {aliases[other]}.{its}")
    if random.random() < 0.4:
        asked.append(f"{random.choice(aliases)}.k + {random.choice(aliases)}.k < 4")
    if random.random() < 0.2:
        del asked[0]
    return ", ".join(parts), " AND ".join(asked) or "TRUE"


def query(random: Random, count: int) -> str:
    tables, where = joined(random, list(WINDOWED), count)
    kind = random.choice(["plain", "plain", "group", "distinct", "outer", "anti", "below", "above"])
    if kind == "group":
        return f"SELECT s.k, count(*) AS c, count(DISTINCT r.n) AS d FROM {tables} WHERE {where} GROUP BY s.k"
    if kind == "distinct":
        return f"SELECT DISTINCT s.k, r.t FROM {tables} WHERE {where}"
    if kind == "outer":
        inner = f"SELECT s.k AS k, r.n AS n FROM {tables} WHERE {where}"
        return f"SELECT o.k, i.n FROM notes o LEFT JOIN ({inner}) i ON o.k = i.k"
    if kind == "anti":
        return f"SELECT o.k, o.t FROM notes o WHERE o.k NOT IN (SELECT s.k FROM {tables} WHERE {where})"
    if kind == "below":
        return f"{REACH} SELECT p.x, p.y, r.t FROM p, {tables} WHERE p.x = s.k AND {where}"
    if kind == "above":
        return OVER_JOIN.format(joined=f"{tables} WHERE {where}")
    return f"SELECT s.k AS k, r.n AS n, s.t AS t FROM {tables} WHERE {where}"


def views(random: Random, most: int = 5) -> list[str]:
    """Two views; the second may read the first, or stand on the same join."""
    count = random.randint(3, most)
    first = query(random, count)
    again = random.choice(
        [query(random, 3), f"SELECT DISTINCT * FROM ({first}) q", "SELECT w.*, n.t AS u FROM v0 w, notes n"]
    )
    if first.startswith("WITH") and "FROM (" in again:
        again = "SELECT DISTINCT * FROM v0"
    return [f"CREATE VIEW v0 AS {first}", f"CREATE VIEW v1 AS {again}"]


def row(random: Random, name: str, at: int) -> tuple[Value, ...]:
    key = random.choice([0, 1, 2, 3, None]) if name != "rooms" else random.randrange(4)
    other = random.choice([0, 1, 2, None])
    text = random.choice(["a", "b", None])
    return {
        "seats": (key, other, text),
        "tags": (key, 0.5, at),
        "events": (key, other, at - random.choice([0, 300_000, 2_000_000])),
        "rooms": (key, other, text),
        "notes": (key, text, True),
        "link": (random.randrange(4), random.randrange(4)),
        "blocked": (key,),
    }[name]


def entries(random: Random, ticks: int, shift: int | None = None) -> list[Entry]:
    """A log; from the tick ``shift`` on other relations are the busy ones."""
    names = list(RELATIONS)
    standing: list[Change] = []
    found = []
    busy = random.sample(names, 3)
    at = ORIGIN
    for tick in range(ticks):
        gap = random.choice(GAPS)
        at += gap
        if tick == shift:
            busy = [name for name in names if name not in busy]
        changes = []
        for _ in range(random.choice([0, 1, 2, 4])):
            if standing and random.random() < 0.25:
                gone = standing.pop(random.randrange(len(standing)))
                changes.append(gone._replace(sign=-1))
                continue
            name = random.choice(busy if random.random() < 0.7 else names)
            coming = Change(name, 1, row(random, name, at))
            changes.append(coming)
            if name in ("rooms", "notes", "link"):
                standing.append(coming)
        found.append(Entry(gap, changes))
    return found
