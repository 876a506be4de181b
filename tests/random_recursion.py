"""Random recursive WITH clauses over links of a few nodes, one maker a feature.

maker(random)  →  the clause, the name that a query may then read, and its columns
"""

from collections.abc import Callable
from random import Random

from tests.random_scalars import BIGINT, Type

Columns = tuple[tuple[str, Type], ...]
PAIR: Columns = (("x", BIGINT), ("y", BIGINT))
TRIPLE: Columns = (*PAIR, ("n", BIGINT))
LINK = "«link|»"


def links(random: Random) -> str:
    """Links, perhaps of few nodes or from a stream."""
    return random.choice([LINK, LINK, f"(SELECT a, b FROM {LINK} WHERE a < 4)"])


def seed(random: Random) -> str:
    return random.choice([f"SELECT a, b FROM {LINK}", f"SELECT a, b FROM {LINK} WHERE a <> 1"])


def linear(random: Random) -> tuple[str, str, Columns]:
    step = random.choice(
        [
            f"SELECT p.x, l.b FROM p, {links(random)} l WHERE p.y = l.a",
            f"SELECT l.a, p.y FROM {links(random)} l JOIN p ON l.b = p.x",
        ]
    )
    return f"WITH RECURSIVE p(x, y) AS ({seed(random)} UNION {step})", "p", PAIR


def counted(random: Random) -> tuple[str, str, Columns]:
    bound = random.choice([2, 3, 4])
    step = f"SELECT p.x, l.b, p.n + 1 FROM p, {links(random)} l WHERE p.y = l.a AND p.n < {bound}"
    return f"WITH RECURSIVE p(x, y, n) AS (SELECT a, b, 1 FROM {LINK} UNION {step})", "p", TRIPLE


def non_linear(random: Random) -> tuple[str, str, Columns]:
    step = "SELECT p.x, q.y FROM p, p q WHERE p.y = q.x"
    return f"WITH RECURSIVE p(x, y) AS ({seed(random)} UNION {step})", "p", PAIR


def mutual(random: Random) -> tuple[str, str, Columns]:
    step = f"SELECT e.x, l.b FROM even e, {links(random)} l WHERE e.y = l.a"
    odd = f"odd(x, y) AS ({seed(random)} UNION {step})"
    even = f"even(x, y) AS (SELECT o.x, l.b FROM odd o, {LINK} l WHERE o.y = l.a)"
    return f"WITH RECURSIVE {odd}, {even}", random.choice(["odd", "even"]), PAIR


def shortest(random: Random) -> tuple[str, str, Columns]:
    step = (
        f"SELECT p.x, l.b, min(p.n + 1 + l.a % 2) FROM p, {links(random)} l WHERE p.y = l.a GROUP BY p.x, l.b"
    )
    return f"WITH RECURSIVE p(x, y, n) AS (SELECT a, b, 1 FROM {LINK} UNION {step})", "p", TRIPLE


def avoiding(random: Random) -> tuple[str, str, Columns]:
    """Negation of what is finished, inside and above."""
    column = random.choice(["l.b", "p.x", "l.a"])
    closed = f"NOT EXISTS (SELECT 1 FROM «blocked|» k WHERE k.k = {column})"
    step = f"SELECT p.x, l.b FROM p, {LINK} l WHERE p.y = l.a AND {closed}"
    return f"WITH RECURSIVE p(x, y) AS ({seed(random)} UNION {step})", "p", PAIR


def unreached(random: Random) -> tuple[str, str, Columns]:
    clause, name, _ = linear(random)
    pairs = f"SELECT s.a, t.b FROM {LINK} s, {LINK} t"
    return f"{clause}, u(x, y) AS ({pairs} EXCEPT SELECT x, y FROM {name})", "u", PAIR


def simple_paths(random: Random) -> tuple[str, str, Columns]:
    """The path itself as a vector, by which it does not meet itself."""
    base = f"SELECT a, b, ARRAY[a, b] FROM {LINK} WHERE a <> b"
    step = (
        f"SELECT p.x, l.b, array_append(p.way, l.b) FROM p, {LINK} l "
        "WHERE p.y = l.a AND NOT (l.b = ANY(p.way))"
    )
    clause = f"WITH RECURSIVE p(x, y, way) AS ({base} UNION {step})"
    return f"{clause}, lengths(x, y, n) AS (SELECT x, y, cardinality(way) FROM p)", "lengths", TRIPLE


Maker = Callable[[Random], tuple[str, str, Columns]]
RECURSIONS: dict[str, Maker] = {
    "linear recursion": linear,
    "bounded recursion": counted,
    "non-linear recursion": non_linear,
    "mutual recursion": mutual,
    "aggregate selection": shortest,
    "negation inside recursion": avoiding,
    "negation above recursion": unreached,
    "paths as vectors": simple_paths,
}
DUCKDB_RECURSIONS = frozenset(
    {
        "linear recursion",
        "bounded recursion",
        "negation above recursion",
        "negation inside recursion",
        "paths as vectors",
    }
)
