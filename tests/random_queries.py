"""Random queries over the whole of StreamSQL, drawn by type, so that every one of them binds.

views  →  CREATE VIEW v0 AS …, CREATE VIEW v1 AS … (over v0, too), …
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from hypothesis import strategies as st

from engine.model.relation import RelationKind
from engine.model.values import Type
from tests.strategies import BIGINT, BOOLEAN, DOUBLE, RELATIONS, TEXT, TIMESTAMP

Draw = Callable[..., Any]

LITERALS = {
    BIGINT: ["0", "1", "2", "-1", "9223372036854775807", "NULL"],
    DOUBLE: ["0.5", "2.0", "-1.5", "1e308", "0.1", "0.0", "NULL"],
    BOOLEAN: ["TRUE", "FALSE", "NULL"],
    TEXT: ["'a'", "'b'", "''", "'a%'", "'😀''\\'", "NULL"],
    TIMESTAMP: ["CAST(3600000000 AS TIMESTAMP)"],
}
WINDOWS = [
    "[ROWS 3]", "[ROWS 3]", "[ROWS 1]", "[PARTITION BY k ROWS 1]", "[PARTITION BY k, x ROWS 2]",
    "[UNBOUNDED]", "[UNBOUNDED]", "[RANGE 6 SECONDS]", "[RANGE 6 SECONDS]", "[RANGE 1 SECONDS]",
    "[RANGE 200 MILLISECONDS]", "[NOW]", "[RANGE 6 SECONDS SLIDE 2 SECONDS]",
    "[RANGE 2 SECONDS SLIDE 5 SECONDS]", "[RANGE 6 SECONDS] SAMPLE PERIOD 2 SECONDS",
    "[ROWS 2] SAMPLE PERIOD 1 SECOND",
]  # fmt: skip


class Known(NamedTuple):
    """Something of a type that a scalar expression may name."""

    text: str
    type: Type


@dataclass(frozen=True)
class Source:
    """Something that FROM may name: columns by name, and the windows that may follow."""

    name: str
    columns: tuple[tuple[str, Type], ...]
    windows: tuple[str, ...] = ("",)


BASE = tuple(
    Source(
        each.name,
        tuple((column.name, column.type) for column in each.columns),
        ("",) if each.kind is RelationKind.TABLE else tuple(WINDOWS + ([""] * 4 if each.window else [])),
    )
    for each in RELATIONS
)


class Scalars:
    """Draws scalar expressions over what is known."""

    literals = LITERALS
    patterns = ("'%'", "'a%'", "'_'", "'%\\%'", "'%😀__'")

    def __init__(self, draw: Draw, known: Sequence[Known]) -> None:
        self.draw, self.known = draw, known

    def pick(self, choices: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(choices))

    def of(self, kind: Type, depth: int = 2) -> str:
        """An expression of a type, or the bare word NULL."""
        inner = self.forms().get(kind)
        if depth == 0 or inner is None or self.draw(st.integers(0, 2)) == 0:
            return self.leaf(kind)
        forms = [self.case, self.coalesce, *inner]
        return str(self.pick(forms)(kind, depth - 1))

    def forms(self) -> dict[Type, list[Callable[[Type, int], str]]]:
        conditions = [
            self.compared,
            self.logical,
            self.negated,
            self.listed,
            self.between,
            self.like,
            self.tested,
        ]
        return {BOOLEAN: conditions, **{kind: [self.computed] * 3 for kind in self.arithmetic()}}

    def arithmetic(self) -> dict[Type, list[tuple[Any, ...]]]:
        return FORMS

    def typed(self, kind: Type, depth: int = 2) -> str:
        """An expression that is not the bare word NULL, which has no type of its own."""
        found = self.of(kind, depth)
        return self.literals[kind][0] if found == "NULL" else found

    def leaf(self, kind: Type) -> str:
        named = [each.text for each in self.known if each.type is kind]
        if named and self.draw(st.integers(0, 5)):
            return str(self.pick(named))
        return str(self.pick(self.literals[kind]))

    def condition(self, depth: int = 2) -> str:
        return self.typed(BOOLEAN, depth)

    def case(self, kind: Type, depth: int) -> str:
        other = f" ELSE {self.of(kind, depth)}" if self.draw(st.booleans()) else ""
        return f"CASE WHEN {self.compared(kind, depth)} THEN {self.typed(kind, 0)}{other} END"

    def coalesce(self, kind: Type, depth: int) -> str:
        return f"coalesce({self.of(kind, depth)}, {self.literals[kind][0]})"

    def compared(self, _: Type, depth: int) -> str:
        kind = self.pick([BIGINT, DOUBLE, TEXT, BOOLEAN])
        symbol = self.pick(["=", "<>", "<", "<=", ">", ">="])
        other = self.pick([BIGINT, DOUBLE]) if kind.is_numeric else kind
        return f"({self.of(kind, depth)} {symbol} {self.of(other, depth)})"

    def logical(self, kind: Type, depth: int) -> str:
        return f"({self.condition(depth)} {self.pick(['AND', 'OR'])} {self.compared(kind, depth)})"

    def negated(self, kind: Type, depth: int) -> str:
        return f"(NOT {self.compared(kind, depth)})"

    def listed(self, _: Type, depth: int) -> str:
        kind = self.pick([BIGINT, DOUBLE, TEXT])
        choices = ", ".join(self.of(kind, 0) for _ in range(self.draw(st.integers(1, 3))))
        return f"({self.of(kind, depth)} {self.pick(['IN', 'NOT IN'])} ({choices}))"

    def between(self, _: Type, depth: int) -> str:
        kind = self.pick([BIGINT, DOUBLE, TEXT])
        word = self.pick(["BETWEEN", "NOT BETWEEN"])
        return f"({self.of(kind, depth)} {word} {self.of(kind, 0)} AND {self.of(kind, 0)})"

    def like(self, _: Type, depth: int) -> str:
        pattern = self.pick(self.patterns)
        return f"({self.of(TEXT, depth)} {self.pick(['LIKE', 'NOT LIKE'])} {pattern})"

    def tested(self, _: Type, depth: int) -> str:
        if self.draw(st.integers(0, 4)) == 4:
            kind = self.pick([BIGINT, DOUBLE, TEXT, BOOLEAN])
            words = self.pick(["IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
            return f"({self.of(kind, depth)} {words} {self.of(kind, 0)})"
        if self.draw(st.booleans()):
            words = self.pick(["TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "NULL"])
            return f"({self.condition(depth)} IS {words})"
        kind = self.pick([BIGINT, DOUBLE, TEXT])
        return f"({self.of(kind, depth)} IS {self.pick(['NULL', 'NOT NULL'])})"

    def computed(self, kind: Type, depth: int) -> str:
        """A form of the type's arithmetic; its places take the types that stand after it."""
        form, *kinds = self.pick(self.arithmetic()[kind])
        return str(form.format(*(self.typed(each, depth if i == 0 else 0) for i, each in enumerate(kinds))))


FORMS: dict[Type, list[tuple[Any, ...]]] = {
    BIGINT: [
        ("({} + {})", BIGINT, BIGINT), ("({} - {})", BIGINT, BIGINT), ("({} * {})", BIGINT, BIGINT),
        ("({} % {})", BIGINT, BIGINT), ("(- {})", BIGINT), ("abs({})", BIGINT), ("length({})", TEXT),
        ("floor({})", DOUBLE), ("CAST({} AS BIGINT)", DOUBLE), ("CAST({} AS BIGINT)", TEXT),
        ("CAST({} AS BIGINT)", BOOLEAN), ("hour({})", TIMESTAMP), ("mod({}, {})", BIGINT, BIGINT),
        ("div({}, {})", BIGINT, BIGINT), ("nullif({}, {})", BIGINT, BIGINT), ("strpos({}, {})", TEXT, TEXT),
        ("cardinality(ARRAY[{}, {}])", TEXT, TEXT), ("(ARRAY[{}, 7, {}])[2]", BIGINT, BIGINT),
        ("extract(dow FROM {})", TIMESTAMP), ("({} - TIMESTAMP '2000-01-01')", TIMESTAMP),
    ],
    DOUBLE: [
        ("({} + {})", DOUBLE, DOUBLE), ("({} - {})", DOUBLE, BIGINT), ("({} * {})", BIGINT, DOUBLE),
        ("({} / {})", DOUBLE, DOUBLE), ("({} / {})", BIGINT, BIGINT), ("(- {})", DOUBLE), ("abs({})", DOUBLE),
        ("round({}, 1)", DOUBLE), ("round({})", DOUBLE), ("power({}, 2)", DOUBLE),
        ("CAST({} AS DOUBLE)", BIGINT), ("CAST({} AS DOUBLE)", TEXT), ("sqrt({})", DOUBLE),
        ("distance({}, {}, 0, 1)", DOUBLE, DOUBLE), ("x(point({}, {}))", DOUBLE, DOUBLE),
        ("least({}, {})", DOUBLE, BIGINT),
    ],
    TEXT: [
        ("({} || {})", TEXT, TEXT), ("upper({})", TEXT), ("lower({})", TEXT), ("CAST({} AS TEXT)", BIGINT),
        ("CAST({} AS TEXT)", DOUBLE), ("CAST({} AS TEXT)", BOOLEAN), ("concat({}, {})", TEXT, BIGINT),
        ("substring({}, {}, 2)", TEXT, BIGINT), ("array_to_string(ARRAY[{}, {}], '-')", TEXT, TEXT),
        ("lpad({}, 3, {})", TEXT, TEXT), ("greatest({}, {})", TEXT, TEXT),
    ],
}  # fmt: skip
KINDS = [BIGINT, DOUBLE, TEXT, BOOLEAN]


class Selected(NamedTuple):
    """A query's text and its columns."""

    text: str
    columns: tuple[tuple[str, Type], ...]


class Queries:
    """Draws queries over sources."""

    scalars = Scalars
    is_ordered = True
    calls: ClassVar[list[tuple[str, Type, Type]]]

    def __init__(self, draw: Draw, sources: Sequence[Source]) -> None:
        self.draw, self.sources = draw, sources

    def select(self, inputs: int = 4, nested: bool = True) -> Selected:
        text, known = self.joined(inputs, nested)
        scalars = self.scalars(self.draw, known)
        if self.draw(st.integers(0, 4)) > 2:
            text += f" WHERE {scalars.condition()}"
        grouped = self.draw(st.integers(0, 2)) == 2
        items, tail = self.grouped(scalars) if grouped else (self.plain(scalars), "")
        names = [f"c{i}" for i in range(len(items))]
        distinct = "DISTINCT " if self.draw(st.integers(0, 4)) == 4 else ""
        shown = ", ".join(f"{item.text} AS {name}" for item, name in zip(items, names, strict=True))
        columns = tuple((name, item.type) for item, name in zip(items, names, strict=True))
        first = self.first(names) if self.is_ordered and self.draw(st.integers(0, 4)) == 4 else ""
        return Selected(f"SELECT {distinct}{shown} FROM {text}{tail}{first}", columns)

    def first(self, names: list[str]) -> str:
        """An order, and how many of its first rows."""
        words = st.sampled_from(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])
        keys = self.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
        limit = self.draw(st.sampled_from(["", " LIMIT 1", " LIMIT 2", " LIMIT 3 OFFSET 1", " OFFSET 2"]))
        return f" ORDER BY {', '.join(key + self.draw(words) for key in keys)}{limit}"

    def joined(self, inputs: int, nested: bool) -> tuple[str, list[Known]]:
        """Up to ``inputs`` relations, with a predicate between neighbours more often than not."""
        count = min(inputs, self.draw(st.sampled_from([1, 1, 2, 2, 2, 3, 4])))
        text, known = "", list[Known]()
        for i in range(count):
            alias = f"r{i}"
            shown, columns = self.source(alias, nested and count < 3)
            fresh = [Known(f"{alias}.{name}", kind) for name, kind in columns]
            if i:
                text += self.link(shown, known, fresh)
            else:
                text = shown
            known += fresh
        return text, known

    def link(self, shown: str, known: list[Known], fresh: list[Known]) -> str:
        pairs = [(a, b) for a in known for b in fresh if a.type is b.type]
        word = self.draw(st.sampled_from(["on", "on", "on", "comma", "cross"]))
        if word == "on" and pairs:
            natural = [pair for pair in pairs if pair[0].text[2:] == pair[1].text[2:]]
            chosen = self.draw(
                st.lists(st.sampled_from(natural * 3 + pairs), min_size=1, max_size=2, unique=True)
            )
            symbol = self.draw(st.sampled_from(["=", "=", "=", "<"]))
            return f" JOIN {shown} ON " + " AND ".join(f"{a.text} {symbol} {b.text}" for a, b in chosen)
        return f" CROSS JOIN {shown}" if word == "cross" else f", {shown}"

    def source(self, alias: str, nested: bool) -> tuple[str, tuple[tuple[str, Type], ...]]:
        if nested and self.draw(st.integers(0, 5)) == 5:
            inner = self.select(inputs=2, nested=False)
            return f"({inner.text}) {alias}", inner.columns
        chosen = self.draw(st.sampled_from(self.sources))
        window = self.draw(st.sampled_from(chosen.windows))
        return f"{chosen.name} {window} {alias}", chosen.columns

    def plain(self, scalars: Scalars) -> list[Known]:
        kinds = self.draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
        depths = st.sampled_from([0, 1, 2])
        return [Known(scalars.typed(kind, self.draw(depths)), kind) for kind in kinds]

    def grouped(self, scalars: Scalars) -> tuple[list[Known], str]:
        kinds = self.draw(st.lists(st.sampled_from(KINDS), max_size=2))
        groups = [Known(self.group(scalars, kind), kind) for kind in kinds]
        outer = self.scalars(self.draw, [*groups, *self.aggregates(scalars)])
        by = f" GROUP BY {', '.join(group.text for group in groups)}" if groups else ""
        having = f" HAVING {outer.condition(1)}" if self.draw(st.integers(0, 3)) == 3 else ""
        items = [group for group in groups if self.draw(st.booleans())]
        items += [outer.known[-1], *(Known(outer.typed(kind, 1), kind) for kind in kinds)]
        return items, by + having

    def group(self, scalars: Scalars, kind: Type) -> str:
        """An expression; a bare integer would be the number of a column."""
        found = scalars.typed(kind, self.draw(st.sampled_from([0, 0, 1])))
        return "(n + 1)".replace("n", found) if found.isdigit() else found

    def aggregates(self, scalars: Scalars) -> list[Known]:
        found = [Known("count(*)", BIGINT)]
        for form, kind, result in self.draw(st.lists(st.sampled_from(self.calls), max_size=3)):
            argument = scalars.typed(kind, 1)
            found.append(Known(form.format(argument, kept=scalars.condition(0)), result))
        return found


PLAIN_CALLS: list[tuple[str, Type, Type]] = [
    ("count({})", TEXT, BIGINT), ("count({})", BOOLEAN, BIGINT), ("sum({})", BIGINT, BIGINT),
    ("sum({})", DOUBLE, DOUBLE), ("avg({})", BIGINT, DOUBLE), ("avg({})", DOUBLE, DOUBLE),
    ("min({})", TEXT, TEXT), ("min({})", DOUBLE, DOUBLE), ("max({})", BIGINT, BIGINT),
    ("max({})", TEXT, TEXT),
    ("max({})", BOOLEAN, BOOLEAN), ("count(DISTINCT {})", TEXT, BIGINT), ("sum(DISTINCT {})", BIGINT, BIGINT),
    ("count(*) FILTER (WHERE {})", BOOLEAN, BIGINT),
]  # fmt: skip
Queries.calls = [
    *PLAIN_CALLS, ("stddev({})", DOUBLE, DOUBLE), ("var_pop({})", BIGINT, DOUBLE),
    ("bool_and({})", BOOLEAN, BOOLEAN), ("string_agg({}, ',')", TEXT, TEXT),
    ("string_agg(DISTINCT {}, '')", TEXT, TEXT), ("array_to_string(array_agg({}), '-', '?')", TEXT, TEXT),
    ("max({}) FILTER (WHERE {kept})", TEXT, TEXT), ("avg(DISTINCT {})", DOUBLE, DOUBLE),
    ("max_by({0}, length({0}))", TEXT, TEXT), ("consumed({0}, to_timestamp({0}))", DOUBLE, DOUBLE),
    ("steady({0}, length({0}), to_timestamp(length({0}))) FILTER (WHERE {kept})", TEXT, TEXT),
]  # fmt: skip


@st.composite
def views(
    draw: Draw,
    most: int = 3,
    inputs: int = 4,
    base: Sequence[Source] = BASE,
    queries: type[Queries] = Queries,
) -> list[str]:
    """CREATE VIEW statements, the later over the earlier."""
    sources = list(base)
    statements = []
    for i in range(draw(st.integers(1, most))):
        query = queries(draw, sources).select(inputs)
        statements.append(f"CREATE VIEW v{i} AS {query.text}")
        sources.append(Source(f"v{i}", query.columns))
    return statements
