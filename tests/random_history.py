"""Random histories of base relations: rows come, go, come back, and some were never there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Row, Type, Value
from tests.memory_log import Change, Entry

TEXT, BIGINT, DOUBLE = Type.TEXT, Type.BIGINT, Type.DOUBLE
NODES: dict[Type, list[Value]] = {BIGINT: [0, 1, 2, 3, 4], TEXT: ["a", "b", "c", "d", "e"]}
Weights = dict[Type, list[Value]]
WEIGHTS: Weights = {BIGINT: [0, 1, 2, 3], DOUBLE: [0.0, 0.1, 0.2, 0.3, 0.7, 1.1]}
HEAVY: Weights = {
    BIGINT: [0, 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1],
    DOUBLE: [0.0, 5e-324, 0.1, 1e16, 1e300, 1.7e308],
}
SECOND = 1_000_000
GAPS = [0, 1, 1, 1, SECOND, 2 * SECOND, 5 * SECOND]


@dataclass
class History:
    """Draws what happens to base relations: few rows, so that they come back after they went."""

    relations: Sequence[Relation]
    random: Random
    nulls: bool = False
    weights: Mapping[Type, list[Value]] = field(default_factory=lambda: WEIGHTS)
    standing: list[Change] = field(default_factory=list)
    gone: list[Change] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.wanted = self.random.choice([6, 15, 25, 40])

    def ticks(self, count: int) -> Iterator[list[Entry]]:
        """What so many ticks read; the first one brings much at once."""
        yield [Entry(1, [change for _ in range(self.wanted) for change in self.coming()])]
        for _ in range(count - 1):
            yield self.tick()

    def tick(self) -> list[Entry]:
        """What one tick reads."""
        return [self.entry() for _ in range(self.random.choice([1, 1, 1, 2]))]

    def entry(self) -> Entry:
        size = self.random.choice([0, 1, 1, 1, 1, 2, 3, 6])
        changes = [change for _ in range(size) for change in self.changes()]
        return Entry(self.random.choice(GAPS), changes)

    def changes(self) -> list[Change]:
        if not self.standing or self.random.random() < (0.7 if len(self.standing) < self.wanted else 0.3):
            return self.coming()
        return self.going(self.random.choice(self.standing))

    def coming(self) -> list[Change]:
        """A row that was there before, is there already, or any."""
        again = self.random.random()
        if again < 0.2 and self.gone:
            return self.insert(self.random.choice(self.gone))
        if again < 0.3 and self.standing:
            return self.insert(self.random.choice(self.standing))
        of = self.random.choice(self.relations)
        return self.insert(Change(of.name, 1, self.row(of)))

    def going(self, change: Change) -> list[Change]:
        """A row that goes, comes back at once, was never there, or takes all of its relation along."""
        how = self.random.random()
        if how < 0.08:
            return [*self.delete(change), *self.insert(change)]
        if how < 0.16:
            of = next(each for each in self.relations if each.name == change.relation)
            return [Change(of.name, -1, self.row(of))]
        if how < 0.19:
            return [
                gone
                for each in self.standing[:]
                if each.relation == change.relation
                for gone in self.delete(each)
            ]
        return self.delete(change)

    def insert(self, change: Change) -> list[Change]:
        if self.is_table(change.relation):
            self.standing.append(change)
        return [change]

    def delete(self, change: Change) -> list[Change]:
        self.standing.remove(change)
        self.gone = [*self.gone[-5:], change]
        return [change._replace(sign=-1)]

    def is_table(self, name: str) -> bool:
        return any(each.name == name and each.kind is RelationKind.TABLE for each in self.relations)

    def row(self, of: Relation) -> Row:
        return tuple(self.value(column) for column in of.columns)

    def value(self, column: Column) -> Value:
        if self.nulls and self.random.random() < 0.06:
            return None
        return self.random.choice((self.weights if column.name == "w" else NODES)[column.type])
