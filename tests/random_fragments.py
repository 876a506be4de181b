"""Random plans of what a database may be shipped, over random tables: NULL, extremes, Unicode, duplicates."""

from collections.abc import Callable, Sequence
from random import Random

from engine.model.relation import Column
from engine.model.values import Row, Type, Value
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import AggregateCall
from engine.plan.physical import Filter, GroupBy, HashJoin, Map, Merge, Physical, Unique
from tests.corpus import BIGINT, BOOLEAN, DOUBLE, TEXT, TIMESTAMP, WINTER_ENDS

KINDS = (BIGINT, DOUBLE, BOOLEAN, TEXT, TIMESTAMP)
COLUMNS = tuple(Column(f"{kind[:2]}_{i}", kind) for i, kind in enumerate(KINDS))
FEW: dict[Type, list[Value]] = {
    BIGINT: [None, 0, 1, -1, 2**53 + 1, 2**63 - 1, -(2**63)],
    DOUBLE: [None, 0.0, 1.0, -1.5, 0.1, 5e-324, 1.7976931348623157e308, -1e308],
    BOOLEAN: [None, True, False],
    TEXT: [
        None,
        "",
        "a",
        "A",
        "a ",
        "ß",
        "é",
        "e\u0301",
        "\uffff",
        "😀",
        "%",
        "_",
        "\\",
        "a\\",
        "'",
        "%(x)s",
        ":x",
    ],
    TIMESTAMP: [None, 0, -1, WINTER_ENDS - 1, WINTER_ENDS, 1_700_000_000_123_456],
}
TOTALS = {
    BIGINT: ("count", "sum", "min", "max"),
    DOUBLE: ("count", "min", "max"),
    BOOLEAN: ("count", "bool_and", "bool_or"),
    TEXT: ("count", "min", "max"),
    TIMESTAMP: ("count", "min", "max"),
}


def random_rows(random: Random, count: int) -> list[Row]:
    """Rows of ``COLUMNS``, some of them twice."""
    rows = [tuple(random.choice(FEW[kind]) for kind in KINDS) for _ in range(count)]
    return rows + [random.choice(rows) for _ in range(count // 3)]


class Fragments:
    """Draws plans over the given leaves."""

    def __init__(self, random: Random, leaves: Sequence[Physical]) -> None:
        self._random, self._leaves = random, leaves

    def plan(self, depth: int) -> Physical:
        if depth == 0:
            return self._random.choice(self._leaves)
        forms = (self._filter, self._filter, self._map, self._join, self._group, self._unique, self._merge)
        return self._random.choice(forms)(depth - 1)

    def _filter(self, depth: int) -> Physical:
        child = self.plan(depth)
        return Filter(child, self.condition(child.columns, 2))

    def _map(self, depth: int) -> Physical:
        child = self.plan(depth)
        kinds = [self._random.choice(KINDS) for _ in range(self._random.randint(1, 4))]
        expressions = tuple(self.value(child.columns, kind, 2) for kind in kinds)
        return Map(child, expressions, tuple(Column(f"m{i}", kind) for i, kind in enumerate(kinds)))

    def _join(self, depth: int) -> Physical:
        left, right = self.plan(depth), self.plan(0)
        kind = self._random.choice((BOOLEAN, BIGINT, TEXT, TIMESTAMP, DOUBLE))
        return HashJoin(
            left, right, (self.value(left.columns, kind, 1),), (self.value(right.columns, kind, 0),)
        )

    def _group(self, depth: int) -> Physical:
        child = self.plan(depth)
        groups = tuple(
            self.value(child.columns, self._random.choice(KINDS), 1)
            for _ in range(self._random.randint(0, 2))
        )
        calls = [AggregateCall("count", None)]
        for _ in range(self._random.randint(0, 3)):
            argument = self.value(child.columns, self._random.choice(KINDS), 1)
            name = self._random.choice(TOTALS[argument.type])
            calls.append(
                AggregateCall(
                    name, argument, distinct=name in ("count", "sum") and self._random.random() < 0.4
                )
            )
        kinds = [g.type for g in groups] + [
            BIGINT if c.argument is None or c.function == "count" else c.argument.type for c in calls
        ]
        return GroupBy(child, groups, tuple(calls), tuple(Column(f"g{i}", k) for i, k in enumerate(kinds)))

    def _unique(self, depth: int) -> Physical:
        return Unique(self._map(depth))

    def _merge(self, depth: int) -> Physical:
        left, right = self._filter(0), self._random.choice(self._leaves)
        return Merge((left, right, left)) if depth else Merge((left, right))

    def condition(self, columns: Sequence[Column], depth: int) -> Expr:
        if depth and self._random.random() < 0.5:
            name = self._random.choice(("and", "or", "not"))
            args = tuple(self.condition(columns, depth - 1) for _ in range(1 if name == "not" else 2))
            return Call(name, args, BOOLEAN)
        kind = self._random.choice(KINDS)
        name = self._random.choice(("=", "<>", "<", "<=", ">", ">=", "is_null", "like", "starts_with"))
        kind = TEXT if name in ("like", "starts_with") else kind
        args = tuple(self.value(columns, kind, 1) for _ in range(1 if name == "is_null" else 2))
        return Call(name, args, BOOLEAN)

    def value(self, columns: Sequence[Column], kind: Type, depth: int) -> Expr:
        fields = [Field(i, kind) for i, column in enumerate(columns) if column.type is kind]
        if depth and self._random.random() < 0.4:
            return self._made(kind, lambda of: self.value(columns, of, depth - 1))
        if fields and self._random.random() < 0.8:
            return self._random.choice(fields)
        return Literal(self._random.choice(FEW[kind]), kind)

    def _made(self, kind: Type, draw: Callable[[Type], Expr]) -> Expr:
        special = {
            BIGINT: (
                *((name, BIGINT, BIGINT) for name in ("+", "-", "*", "%", "div")),
                ("-", TIMESTAMP, TIMESTAMP),
                ("length", TEXT),
                ("strpos", TEXT, TEXT),
                ("bigint_of_boolean", BOOLEAN),
                ("bigint_of_timestamp", TIMESTAMP),
            ),
            DOUBLE: (("double_of_bigint", BIGINT),),
            BOOLEAN: (("boolean_of_bigint", BIGINT), ("not", BOOLEAN)),
            TEXT: (("text_of_bigint", BIGINT), ("||", TEXT, TEXT)),
            TIMESTAMP: (("timestamp_of_bigint", BIGINT), ("+", TIMESTAMP, BIGINT)),
        }[kind]
        general = tuple((name, kind, kind) for name in ("coalesce", "nullif", "least", "greatest"))
        name, *takes = self._random.choice((*special, *general))
        return Call(str(name), tuple(draw(Type(each)) for each in takes), kind)
