"""Random scalar expressions as text, drawn by type; every form says which feature of the language it is.

⟨ours|theirs⟩ in a text is spelled one way in StreamSQL and another way for the engine that checks it.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from engine.model.values import Type

BIGINT, DOUBLE, BOOLEAN, TEXT, TIMESTAMP = Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.TEXT, Type.TIMESTAMP
LITERALS = {
    BIGINT: ["0", "1", "2", "-1", "3", "CAST(NULL AS BIGINT)"],
    DOUBLE: ["0.5", "2.0", "-1.5", "CAST(NULL AS DOUBLE)"],
    BOOLEAN: ["TRUE", "FALSE", "CAST(NULL AS BOOLEAN)"],
    TEXT: ["'a'", "'b'", "''", "'a b'", "CAST(NULL AS TEXT)"],
    TIMESTAMP: ["TIMESTAMP '2026-03-01 10:20:30'"],
}
KINDS = (BIGINT, DOUBLE, TEXT, BOOLEAN)
Use = Callable[[str], None]


class Known(NamedTuple):
    """Something of a type that an expression may name."""

    text: str
    type: Type


class Form(NamedTuple):
    """A way to make a value of a type out of others."""

    feature: str
    result: Type
    text: str
    takes: tuple[Type, ...] = ()


FORMS = (
    Form("numeric functions", BIGINT, "({} + {})", (BIGINT, BIGINT)),
    Form("numeric functions", BIGINT, "({} - {})", (BIGINT, BIGINT)),
    Form("numeric functions", BIGINT, "abs({})", (BIGINT,)),
    Form("numeric functions", BIGINT, "({} % 3)", (BIGINT,)),
    Form("numeric functions", BIGINT, "sign({})", (BIGINT,)),
    Form("numeric functions", DOUBLE, "({} * {})", (DOUBLE, DOUBLE)),
    Form("numeric functions", DOUBLE, "({} / 4)", (BIGINT,)),
    Form("numeric functions", DOUBLE, "sqrt(abs({}))", (DOUBLE,)),
    Form("text functions", BIGINT, "length({})", (TEXT,)),
    Form("text functions", BIGINT, "strpos({}, 'b')", (TEXT,)),
    Form("text functions", TEXT, "({} || {})", (TEXT, TEXT)),
    Form("text functions", TEXT, "upper({})", (TEXT,)),
    Form("text functions", TEXT, "substring({}, 1, 1)", (TEXT,)),
    Form("text functions", TEXT, "replace({}, 'a', 'bb')", (TEXT,)),
    Form("text functions", TEXT, "trim({})", (TEXT,)),
    Form("text functions", BOOLEAN, "starts_with({}, 'a')", (TEXT,)),
    Form("text functions", BOOLEAN, "({} LIKE '%b')", (TEXT,)),
    Form("time functions", BIGINT, "extract(hour FROM {})", (TIMESTAMP,)),
    Form("time functions", BIGINT, "extract(minute FROM {})", (TIMESTAMP,)),
    Form("time functions", BIGINT, "extract(day FROM {})", (TIMESTAMP,)),
    Form("time functions", TIMESTAMP, "date_trunc('hour', {})", (TIMESTAMP,)),
    Form("time functions", TIMESTAMP, "({} + INTERVAL '90 minutes')", (TIMESTAMP,)),
    Form("time functions", BOOLEAN, "({} < {})", (TIMESTAMP, TIMESTAMP)),
    Form("CASE", BIGINT, "CASE WHEN {} THEN {} ELSE {} END", (BOOLEAN, BIGINT, BIGINT)),
    Form("CASE", TEXT, "CASE {} WHEN 1 THEN {} WHEN 2 THEN 'two' END", (BIGINT, TEXT)),
    Form("COALESCE", BIGINT, "coalesce({}, {}, 0)", (BIGINT, BIGINT)),
    Form("COALESCE", TEXT, "coalesce({}, '-')", (TEXT,)),
    Form("COALESCE", BIGINT, "nullif({}, 1)", (BIGINT,)),
    Form("CAST", TEXT, "CAST({} AS TEXT)", (BIGINT,)),
    Form("CAST", DOUBLE, "CAST({} AS DOUBLE)", (BIGINT,)),
    Form("CAST", TEXT, "CAST({} AS TEXT)", (BOOLEAN,)),
    Form("NULL tests", BOOLEAN, "({} IS NULL)", (TEXT,)),
    Form("NULL tests", BOOLEAN, "({} IS NOT DISTINCT FROM {})", (BIGINT, BIGINT)),
    Form("NULL tests", BOOLEAN, "({} IS NOT TRUE)", (BOOLEAN,)),
    Form("comparisons", BOOLEAN, "({} = {})", (BIGINT, BIGINT)),
    Form("comparisons", BOOLEAN, "({} < {})", (BIGINT, BIGINT)),
    Form("comparisons", BOOLEAN, "({} <> {})", (TEXT, TEXT)),
    Form("comparisons", BOOLEAN, "({} BETWEEN 0 AND {})", (BIGINT, BIGINT)),
    Form("comparisons", BOOLEAN, "({} NOT IN (0, {}))", (BIGINT, BIGINT)),
    Form("logic", BOOLEAN, "({} AND {})", (BOOLEAN, BOOLEAN)),
    Form("logic", BOOLEAN, "({} OR {})", (BOOLEAN, BOOLEAN)),
    Form("logic", BOOLEAN, "(NOT {})", (BOOLEAN,)),
    Form("geometry functions", BOOLEAN, "(distance(point({}, 1), point(1, {})) < 2.0)", (BIGINT, BIGINT)),
    Form(
        "geometry functions",
        BOOLEAN,
        "contains(region('POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))'), point({}, {}))",
        (BIGINT, DOUBLE),
    ),
)
OURS_ALONE = frozenset({"geometry functions"})
MADE = {kind: [form for form in FORMS if form.result is kind] for kind in (*KINDS, TIMESTAMP)}


class Scalars:
    """Draws expressions over what is known; ``use`` hears of every feature."""

    def __init__(self, random: Random, known: Sequence[Known], use: Use) -> None:
        self.random, self.known, self.use = random, known, use

    def of(self, kind: Type, depth: int = 1) -> str:
        if depth == 0 or self.random.random() < 0.4:
            return self.leaf(kind)
        form = self.random.choice(MADE[kind])
        self.use(form.feature)
        return form.text.format(*(self.of(each, depth - 1) for each in form.takes))

    def leaf(self, kind: Type) -> str:
        named = [each.text for each in self.known if each.type is kind]
        if named and self.random.random() < 0.85:
            return self.random.choice(named)
        return self.random.choice(LITERALS[kind])

    def condition(self) -> str:
        form = self.random.choice(MADE[BOOLEAN])
        self.use(form.feature)
        return form.text.format(*(self.of(each, 1) for each in form.takes))
