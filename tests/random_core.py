"""Random queries of the relational core, for three small tables, as DuckDB and StreamSQL both read them.

query(depth)  →  SELECT over joins of every kind, with queries among the expressions, groups, sets, LIMIT

What features a query has is counted: ``features``. Columns of a derived table have names of their own.
"""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.model.values import Type
from tests.three_tables import BIGINT, BOOLEAN, DOUBLE, SHAPES, TEXT

CONSTANTS = {
    BIGINT: ("0", "1", "2"),
    DOUBLE: ("0.5", "1.0"),
    TEXT: ("'a'", "'b'"),
    BOOLEAN: ("TRUE", "FALSE"),
}
WAYS = ("", "LEFT", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "CROSS")
COMPARISONS = ("=", "=", "=", "<>", "<", "<=", ">", ">=")


class Shown(NamedTuple):
    """A query and the types of its columns."""

    text: str
    types: tuple[Type, ...]


Known = list[tuple[str, Type]]


class Core:
    """Draws queries; ``features`` counts what they are made of."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.features: set[str] = set()
        self._aliases = 0

    def say(self, feature: str) -> None:
        self.features.add(feature)

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance

    def alias(self) -> str:
        self._aliases += 1
        return f"q{self._aliases}"

    # Queries

    def query(self, depth: int = 2, outer: Known | None = None, types: Sequence[Type] = ()) -> Shown:
        """A query of these types, or of any."""
        wanted = tuple(types) or tuple(
            self.rng.choices((BIGINT, BIGINT, TEXT, DOUBLE), k=self.rng.choice((1, 2)))
        )
        text = self.select(depth, outer or [], wanted)
        if depth and self.maybe(0.15):
            word = self.rng.choice(("UNION", "UNION ALL", "EXCEPT", "INTERSECT"))
            self.say(word.lower())
            text = f"({text}) {word} ({self.select(depth - 1, outer or [], wanted)})"
        return Shown(text, wanted)

    def select(self, depth: int, outer: Known, types: Sequence[Type]) -> str:
        from_, own = self.from_(depth, outer)
        where = f" WHERE {self.condition(depth, own, outer)}" if self.maybe(0.6) else ""
        if self.maybe(0.25):
            return self.grouped(depth, own, outer, types, from_ + where)
        items = [self.scalar(kind, depth, own, outer) for kind in types]
        shown = ", ".join(f"{item} AS c{i}" for i, item in enumerate(items))
        distinct = "DISTINCT " if self.maybe(0.15) else ""
        if distinct:
            self.say("distinct")
        return f"SELECT {distinct}{shown} FROM {from_}{where}{self.limited(len(types), outer)}"

    def limited(self, width: int, outer: Known) -> str:
        """An order by every column, so that there is one answer, and a limit; not of a correlated query."""
        if outer or self.maybe(0.85):
            return ""
        self.say("limit")
        ways = ("", " DESC", " DESC NULLS LAST", " ASC NULLS FIRST")
        order = ", ".join(f"{i + 1}{self.rng.choice(ways)}" for i in range(width))
        skip = " OFFSET 1" if self.maybe(0.3) else ""
        return f" ORDER BY {order} LIMIT {self.rng.choice((1, 2, 3))}{skip}"

    def grouped(self, depth: int, own: Known, outer: Known, types: Sequence[Type], rest: str) -> str:
        groups = self.rng.sample(own, k=min(len(own), self.rng.choice((0, 1, 1, 2))))
        self.say("group by" if groups else "aggregate")
        items = []
        for kind in types:
            among = [text for text, each in groups if each is kind]
            items.append(self.rng.choice(among) if among and self.maybe(0.7) else self.aggregate(kind, own))
        shown = ", ".join(f"{item} AS c{i}" for i, item in enumerate(items))
        by = f" GROUP BY {', '.join(text for text, _ in groups)}" if groups else ""
        having = ""
        if self.maybe(0.3):
            self.say("having")
            having = f" HAVING {self.simple([*groups, (self.aggregate(BIGINT, own), BIGINT)], outer)}"
            if groups and self.maybe(0.5):
                having += f" AND {self.condition(depth, groups, outer)}"
        return f"SELECT {shown} FROM {rest}{by}{having}"

    def aggregate(self, kind: Type, own: Known) -> str:
        """An aggregate of a type."""
        among = [text for text, each in own if each is kind]
        any_column = self.rng.choice(own)[0]
        forms = {
            BIGINT: [f"count({any_column})", "count(*)", f"count(DISTINCT {any_column})"]
            + [f"{name}({text})" for text in among[:2] for name in ("sum", "min", "max")],
            DOUBLE: ["CAST(count(*) AS DOUBLE)"]
            + [f"{name}({text})" for text in among[:2] for name in ("avg", "max")],
        }.get(kind, [f"{name}({text})" for text in among[:2] for name in ("min", "max")])
        chosen = self.rng.choice(forms or [f"min({self.rng.choice(CONSTANTS[kind])})"])
        if self.maybe(0.1) and "(*)" not in chosen:
            self.say("filter")
            chosen += f" FILTER (WHERE {any_column} IS NOT NULL)"
        return chosen

    # FROM

    def from_(self, depth: int, outer: Known) -> tuple[str, Known]:
        text, known = self.source(depth)
        for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))):
            text, known = self.joined(text, known, depth, outer)
        return text, known

    def source(self, depth: int) -> tuple[str, Known]:
        alias = self.alias()
        if depth and self.maybe(0.15):
            self.say("derived table")
            inner = self.query(depth - 1)
            return f"({inner.text}) {alias}", [(f"{alias}.c{i}", kind) for i, kind in enumerate(inner.types)]
        name = self.rng.choice(list(SHAPES))
        return f"{name} {alias}", [(f"{alias}.{column}", kind) for column, kind in SHAPES[name].items()]

    def joined(self, text: str, known: Known, depth: int, outer: Known) -> tuple[str, Known]:
        other, fresh = self.source(depth)
        way = f"{self.rng.choice(WAYS)} JOIN".strip()
        self.say(way.lower())
        if way == "CROSS JOIN":
            return f"{text} CROSS JOIN {other}", known + fresh
        on = self.link(known, fresh)
        if self.maybe(0.3):
            on += f" AND {self.simple(known + fresh, [])}"
        both = known if way in ("SEMI JOIN", "ANTI JOIN") else known + fresh
        return f"{text} {way} {other} ON {on}", both

    def link(self, known: Known, fresh: Known) -> str:
        pairs = [(a, b) for a, kind in known for b, other in fresh if kind is other]
        if not pairs:
            return "TRUE"
        a, b = self.rng.choice(pairs)
        return f"{a} {self.rng.choice(('=', '=', '=', '=', '<'))} {b}"

    # Expressions

    def scalar(self, kind: Type, depth: int, own: Known, outer: Known) -> str:
        roll = self.rng.random()
        if depth and roll < 0.12 and kind is BIGINT:
            return self.value(depth, own, outer)
        if depth and roll < 0.18 and kind in (BIGINT, TEXT):
            self.say("case")
            asked = self.condition(depth - 1, own, outer)
            then, otherwise = self.scalar(kind, 0, own, outer), self.scalar(kind, 0, own, [])
            return f"CASE WHEN {asked} THEN {then} ELSE {otherwise} END"
        return self.column(kind, own, outer if self.maybe(0.2) else [])

    def column(self, kind: Type, own: Known, outer: Known) -> str:
        among = [text for text, each in outer or own if each is kind] or [
            t for t, each in own if each is kind
        ]
        return self.rng.choice(among) if among and self.maybe(0.9) else self.rng.choice(CONSTANTS[kind])

    def value(self, depth: int, own: Known, outer: Known) -> str:
        """A query of one row and one value."""
        self.say("scalar query")
        rest, known = self.inner(depth, own, outer)
        if self.maybe(0.2):
            alias, name = self.alias(), self.rng.choice(("max", "min"))
            return f"(SELECT {name}({alias}.c0) FROM ({self.query(depth - 1, types=(BIGINT,)).text}) {alias})"
        return f"(SELECT {self.aggregate(BIGINT, known)} FROM {rest})"

    def inner(self, depth: int, own: Known, outer: Known) -> tuple[str, Known]:
        around = own + outer if self.maybe(0.2) else own
        from_, known = self.from_(depth - 1, around)
        if self.maybe(0.25):
            self.say("uncorrelated")
            asked = self.condition(depth - 1, known, [])
        else:
            self.say("correlated")
            asked = self.link(known, around)
            if self.maybe(0.4):
                asked += f" AND {self.condition(depth - 1, known, around)}"
        return f"{from_} WHERE {asked}", known

    def condition(self, depth: int, own: Known, outer: Known) -> str:
        """AND, OR and NOT of simple conditions and of questions about queries."""
        roll = self.rng.random()
        if roll < 0.25:
            word = self.rng.choice(("AND", "AND", "OR"))
            other = self.condition(max(depth - 1, 0), own, outer)
            return f"({self.condition(depth, own, outer)} {word} {other})"
        if roll < 0.32:
            return f"(NOT {self.condition(depth, own, outer)})"
        if depth and roll < 0.75:
            return self.question(depth, own, outer)
        return self.simple(own, outer)

    def simple(self, own: Known, outer: Known) -> str:
        text, kind = self.rng.choice(own)
        roll = self.rng.random()
        if roll < 0.15:
            return f"({text} IS {self.rng.choice(('NULL', 'NOT NULL'))})"
        if roll < 0.25 and kind is BIGINT:
            return f"({text} IN (0, 2))"
        other = self.column(kind, own, outer if self.maybe(0.3) else [])
        return f"({text} {self.rng.choice(COMPARISONS)} {other})"

    def question(self, depth: int, own: Known, outer: Known) -> str:
        forms: tuple[Callable[[int, Known, Known], str], ...] = (
            self.exists,
            self.exists,
            self.is_in,
            self.is_in,
            self.any_,
            self.compared,
        )
        return self.rng.choice(forms)(depth, own, outer)

    def exists(self, depth: int, own: Known, outer: Known) -> str:
        word = self.rng.choice(("EXISTS", "NOT EXISTS"))
        self.say(word.lower())
        return f"({word} (SELECT 1 FROM {self.inner(depth, own, outer)[0]}))"

    def is_in(self, depth: int, own: Known, outer: Known) -> str:
        word = self.rng.choice(("IN", "NOT IN"))
        self.say(word.lower())
        text, kind = self.rng.choice(own)
        rest, known = self.inner(depth, own, outer)
        return f"({text} {word} (SELECT {self.column(kind, known, [])} FROM {rest}))"

    def any_(self, depth: int, own: Known, outer: Known) -> str:
        self.say("any or all")
        text, kind = self.rng.choice(own)
        rest, known = self.inner(depth, own, outer)
        word = self.rng.choice(("ANY", "ALL"))
        compared = f"{text} {self.rng.choice(COMPARISONS)} {word}"
        return f"({compared} (SELECT {self.column(kind, known, [])} FROM {rest}))"

    def compared(self, depth: int, own: Known, outer: Known) -> str:
        return (
            f"({self.column(BIGINT, own, [])} {self.rng.choice(COMPARISONS)} {self.value(depth, own, outer)})"
        )
