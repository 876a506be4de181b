"""Random StreamSQL over a small world, as text, with the features that each text uses.

    sql(random)  →  Drawn(text, features)

«relation|window» in a text is a relation through a window, so that the engine that checks the answer can
be given what the window holds; ⟨ours|theirs⟩ is where the two spell a thing differently.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from engine.model.catalog import Catalog
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from tests.random_recursion import RECURSIONS
from tests.random_scalars import BIGINT, BOOLEAN, DOUBLE, KINDS, TEXT, TIMESTAMP, Known, Scalars


def relation(name: str, window: str | None = None, key: tuple[str, ...] = (), **columns: Type) -> Relation:
    kind = RelationKind.TABLE if window is None else RelationKind.STREAM
    return Relation(name, kind, tuple(Column(c, t) for c, t in columns.items()), key, window or None)


CATALOG = Catalog(
    [
        relation("seats", "ROWS 6", k=BIGINT, n=BIGINT, t=TEXT),
        relation("tags", "RANGE 5 SECONDS", k=BIGINT, x=DOUBLE, moment=TIMESTAMP),
        relation("events", "ROWS 4", k=BIGINT, n=BIGINT, happened=TIMESTAMP),
        relation("rooms", None, ("k",), k=BIGINT, n=BIGINT, t=TEXT),
        relation("notes", None, (), k=BIGINT, t=TEXT, b=BOOLEAN),
        relation("link", None, (), a=BIGINT, b=BIGINT),
        relation("blocked", None, (), k=BIGINT),
    ]
)
CATALOG = Catalog(
    replace(each, event_time="happened", lateness=500_000) if each.name == "events" else each
    for each in CATALOG
    if each.source != "log"
)
RELATIONS = [each for each in CATALOG if each.source != "log"]
WINDOWS = {
    "ROWS": ["ROWS 3", "ROWS 1"],
    "PARTITION BY": ["PARTITION BY k ROWS 1", "PARTITION BY k ROWS 2"],
    "RANGE": ["RANGE 4 SECONDS", "RANGE 900 MILLISECONDS"],
    "SLIDE": ["RANGE 4 SECONDS SLIDE 2 SECONDS", "RANGE 3 SECONDS SLIDE 1 SECOND"],
    "NOW": ["NOW"],
    "UNBOUNDED": ["UNBOUNDED"],
    "SIZE": ["SIZE 4 TIME", "SIZE 2 TUPLE PARTITION BY k"],
}
Columns = tuple[tuple[str, Type], ...]


class Drawn(NamedTuple):
    """A query and what it uses."""

    text: str
    features: Counter[str]


class Selected(NamedTuple):
    """A query's text and its columns."""

    text: str
    columns: Columns


class Queries:
    """Draws queries; the deeper, the plainer."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.features: Counter[str] = Counter()
        self.names = 0
        self.named: list[tuple[str, Columns]] = []
        self.awaited = False

    def use(self, feature: str) -> None:
        self.features[feature] += 1

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def query(self, depth: int = 2) -> Selected:
        shapes: list[Callable[[int], Selected]] = [self.plain, self.plain, self.grouped, self.grouped]
        if depth:
            shapes += [self.combined, self.combined, self.top, self.with_name, self.recursive, self.recursive]
        return self.random.choice(shapes)(depth)

    # FROM

    def source(self, depth: int) -> tuple[str, Columns]:
        if self.awaited or (self.named and self.random.random() < 0.3):
            self.awaited = False
            return self.named[-1]
        if depth and self.random.random() < 0.12:
            inner = self.query(depth - 1)
            self.use("subquery in FROM")
            return f"({inner.text})", inner.columns
        chosen = self.random.choice(RELATIONS)
        columns = tuple((column.name, column.type) for column in chosen.columns)
        if chosen.kind is RelationKind.TABLE:
            return f"«{chosen.name}|»", columns
        feature = self.random.choice(list(WINDOWS))
        self.use(f"[{feature}]")
        if chosen.event_time:
            self.use("event time")
        return f"«{chosen.name}|{self.random.choice(WINDOWS[feature])}»", columns

    def joined(self, depth: int) -> tuple[str, list[Known]]:
        text, known, word = "", list[Known](), ""
        for number in range(self.random.choice([1, 1, 2, 2, 2, 3])):
            shown, columns = self.source(depth)
            alias = self.fresh("r")
            fresh = [Known(f"{alias}.{name}", kind) for name, kind in columns]
            if number == 0:
                text, known = f"{shown} {alias}", fresh
                continue
            # What stands before a comma is out of sight of an ON after it.
            word = word if word == "," else self.random.choice(list(JOINS))
            text += self.link(word, f"{shown} {alias}", known, fresh)
            known = known if word in ("SEMI", "ANTI") else known + fresh
        return text, known

    def link(self, word: str, shown: str, known: list[Known], fresh: list[Known]) -> str:
        self.use(JOINS[word])
        if word in (",", "CROSS"):
            return f", {shown}" if word == "," else f" CROSS JOIN {shown}"
        return f" {word} JOIN {shown} ON {self.meeting(known, fresh)}"

    def meeting(self, known: Sequence[Known], fresh: Sequence[Known]) -> str:
        pairs = [(a, b) for a in known for b in fresh if a.type is b.type is not BOOLEAN]
        if not pairs:
            return self.scalars([*known, *fresh]).condition()
        a, b = self.random.choice(pairs)
        symbol = self.random.choice(["=", "=", "=", "<"])
        more = f" AND {self.scalars([*known, *fresh]).condition()}" if self.random.random() < 0.25 else ""
        return f"{a.text} {symbol} {b.text}{more}"

    def scalars(self, known: Sequence[Known]) -> Scalars:
        return Scalars(self.random, known, self.use)

    # WHERE

    def where(self, known: list[Known], depth: int) -> str:
        asked = [self.scalars(known).condition()] if self.random.random() < 0.4 else []
        if depth and self.random.random() < 0.45:
            ask = self.random.choice([self.exists, self.exists, self.member, self.compared])
            asked.append(ask(known))
        return f" WHERE {self.random.choice([' AND ', ' AND ', ' OR ']).join(asked)}" if asked else ""

    def exists(self, known: list[Known]) -> str:
        word = self.random.choice(["EXISTS", "NOT EXISTS"])
        self.use(word)
        shown, columns = self.source(0)
        alias = self.fresh("e")
        inner = [Known(f"{alias}.{name}", kind) for name, kind in columns]
        return f"{word} (SELECT 1 FROM {shown} {alias} WHERE {self.meeting(known, inner)})"

    def member(self, known: list[Known]) -> str:
        word = self.random.choice(["IN", "NOT IN"])
        self.use(f"{word} (query)")
        inner = self.column(self.random.choice([BIGINT, TEXT]))
        return f"{self.scalars(known).of(inner.columns[0][1], 1)} {word} ({inner.text})"

    def column(self, kind: Type) -> Selected:
        shown, columns = self.source(0)
        alias = self.fresh("i")
        inner = self.scalars([Known(f"{alias}.{name}", t) for name, t in columns])
        return Selected(f"SELECT {inner.of(kind, 0)} AS c0 FROM {shown} {alias}", (("c0", kind),))

    def compared(self, known: list[Known]) -> str:
        return f"{self.scalars(known).of(BIGINT, 0)} <= {self.scalar_query(known)}"

    def scalar_query(self, known: Sequence[Known]) -> str:
        self.use("scalar subquery")
        shown, columns = self.source(0)
        alias = self.fresh("q")
        inner = [Known(f"{alias}.{name}", kind) for name, kind in columns]
        met = f" WHERE {self.meeting(known, inner)}" if known and self.random.random() < 0.6 else ""
        call = self.random.choice(["count(*)", f"max({self.scalars(inner).of(BIGINT, 0)})"])
        return f"(SELECT {call} FROM {shown} {alias}{met})"

    # SELECT

    def plain(self, depth: int) -> Selected:
        text, known = self.joined(depth)
        where = self.where(known, depth)
        kinds = [self.random.choice(KINDS) for _ in range(self.random.choice([1, 2, 2, 3]))]
        items = [self.scalars(known).of(kind, 2) for kind in kinds]
        if depth and self.random.random() < 0.08:
            kinds, items = [*kinds, BIGINT], [*items, self.scalar_query(known)]
        distinct = "DISTINCT " if self.random.random() < 0.2 else ""
        if distinct:
            self.use("DISTINCT")
        return selected(distinct, items, kinds, f"{text}{where}")

    def grouped(self, depth: int) -> Selected:
        self.use("GROUP BY")
        text, known = self.joined(depth)
        where = self.where(known, depth)
        scalars = self.scalars([each for each in known if each.type is not TIMESTAMP] or known)
        groups = [each for each in scalars.known if self.random.random() < 0.4][:2]
        calls = [self.call(scalars) for _ in range(self.random.choice([1, 2]))]
        having = ""
        if self.random.random() < 0.3:
            self.use("HAVING")
            having = f" HAVING {self.scalars([*groups, *calls, Known('count(*)', BIGINT)]).condition()}"
        by = f" GROUP BY {', '.join(group.text for group in groups)}" if groups else ""
        items = [*groups, *calls]
        return selected(
            "", [item.text for item in items], [item.type for item in items], f"{text}{where}{by}{having}"
        )

    def call(self, scalars: Scalars) -> Known:
        name, takes, result, shown = self.random.choice(CALLS)
        self.use(f"{name}()")
        return Known(shown.replace("{}", scalars.of(takes, 1)), result)

    # Queries of queries

    def combined(self, depth: int) -> Selected:
        word = self.random.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
        self.use(word)
        left = self.simple(depth - 1, None)
        right = self.simple(depth - 1, left.columns)
        return Selected(f"({left.text}) {word} ({right.text})", left.columns)

    def simple(self, depth: int, columns: Columns | None) -> Selected:
        """A query of given columns, mostly of plain ones, so that both sides meet."""
        text, known = self.joined(0)
        kinds = [kind for _, kind in columns] if columns else [self.random.choice(KINDS) for _ in range(2)]
        items = [self.scalars(known).of(kind, 0) for kind in kinds]
        return selected("", items, kinds, f"{text}{self.where(known, depth)}")

    def top(self, depth: int) -> Selected:
        self.use("ORDER BY … LIMIT")
        inner = self.query(depth - 1)
        names = [name for name, _ in inner.columns]
        key = self.random.choice(names)
        how = self.random.choice(["", " DESC", " ASC NULLS FIRST", " DESC NULLS LAST"])
        rest = "".join(f", {name} ASC NULLS LAST" for name in names)
        alias = self.fresh("o")
        skip = f" OFFSET {self.random.choice([1, 2])}" if self.random.random() < 0.3 else ""
        text = f"SELECT {', '.join(names)} FROM ({inner.text}) {alias} ORDER BY {key}{how}⟨|{rest}⟩"
        return Selected(f"{text} LIMIT {self.random.choice([1, 2, 3, 5])}{skip}", inner.columns)

    def with_name(self, depth: int) -> Selected:
        self.use("WITH")
        inner, name = self.query(depth - 1), self.fresh("w")
        outer = self.reading(name, inner.columns)
        return Selected(f"WITH {name} AS ({inner.text}) {outer.text}", outer.columns)

    def recursive(self, depth: int) -> Selected:
        feature, draw = self.random.choice(list(RECURSIONS.items()))
        self.use(feature)
        text, name, columns = draw(self.random)
        outer = self.reading(name, columns)
        return Selected(f"{text} {outer.text}", outer.columns)

    def reading(self, name: str, columns: Columns) -> Selected:
        """A query that reads what WITH names, at least once."""
        self.named.append((name, columns))
        self.awaited = True
        outer = self.random.choice([self.plain, self.grouped])(0)
        self.named.pop()
        return outer


JOINS = {
    ",": "inner join", "INNER": "inner join", "CROSS": "inner join", "LEFT": "left join",
    "RIGHT": "right join", "FULL": "full join", "SEMI": "semi join", "ANTI": "anti join",
}  # fmt: skip
CALLS = (
    ("count", TEXT, BIGINT, "count({})"),
    ("count", BIGINT, BIGINT, "count(*)"),
    ("count distinct", BIGINT, BIGINT, "count(DISTINCT {})"),
    ("sum", BIGINT, BIGINT, "sum({})"),
    ("sum", DOUBLE, DOUBLE, "sum({})"),
    ("avg", BIGINT, DOUBLE, "avg({})"),
    ("min", TEXT, TEXT, "min({})"),
    ("max", BIGINT, BIGINT, "max({})"),
    ("stddev", BIGINT, DOUBLE, "stddev({})"),
    ("string_agg", TEXT, TEXT, "string_agg({}, ','⟨| ORDER BY {}⟩)"),
    ("string_agg", TEXT, TEXT, "string_agg({}, ',' ORDER BY {} DESC)"),
)


def selected(distinct: str, items: Sequence[str], kinds: Sequence[Type], rest: str) -> Selected:
    names = [f"c{i}" for i in range(len(items))]
    shown = ", ".join(f"{item} AS {name}" for item, name in zip(items, names, strict=True))
    return Selected(f"SELECT {distinct}{shown} FROM {rest}", tuple(zip(names, kinds, strict=True)))


def sql(random: Random) -> Drawn:
    queries = Queries(random)
    text = queries.query().text
    return Drawn(text, queries.features)


SPELLED = re.compile(r"⟨([^|⟨⟩]*)\|([^⟨⟩]*)⟩")
SCANNED = re.compile(r"«(\w+)\|([^»]*)»")


def ours(text: str) -> str:
    """The text as StreamSQL."""
    spelled = SPELLED.sub(lambda found: found[1], text)
    return SCANNED.sub(lambda found: f"{found[1]} [{found[2]}]" if found[2] else found[1], spelled)


def theirs(text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """The text for an engine without windows: each relation through a window is a table of its own."""
    scanned: dict[tuple[str, str], str] = {}

    def table(found: re.Match[str]) -> str:
        return scanned.setdefault((found[1], found[2]), f"{found[1]}_{len(scanned)}")

    spelled = SCANNED.sub(table, SPELLED.sub(lambda found: found[2], text))
    return spelled, {name: scan for scan, name in scanned.items()}
