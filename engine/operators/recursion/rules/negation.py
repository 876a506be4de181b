"""Negated literals as facts: not(k) stands as long as no row of a relation has key k.

    not(k) dies when a first row with key k comes, and is fresh when the last one goes

There are as many such facts as keys that nobody has, so one is made when a walk asks for it by its
key, and is kept while something may stand on it. A key with a NULL in it nobody has.
"""

from collections.abc import Iterable, Iterator

from engine.model.values import Row
from engine.operators.delta import Delta
from engine.operators.recursion.rules.facts import Fact
from engine.plan.expressions import Expr, compiled
from engine.plan.program import Program, Rule

NOT = -2
FEW = 1_000


class Negation:
    """The facts not(k) of one relation and key; ``number`` is theirs among the tables."""

    def __init__(self, number: int, relation: int, keys: tuple[Expr, ...]) -> None:
        self.number = number
        self.relation = relation
        self.keys = keys
        self._key = [compiled(key) for key in keys]
        self._rows: dict[Row, int] = {}
        self._made: dict[Row, Fact] = {}
        self._kept = 0

    def get(self, key: Row) -> Fact | None:
        """Return not(k), unless a row has key k."""
        fact = self._made.get(key)
        if fact is None and key not in self._rows:
            fact = self._made[key] = Fact(self.number, key, 0, NOT, ())
        return fact

    def take(self, change: Delta[int]) -> tuple[list[Fact], list[Fact]]:
        """Return the facts that die by a relation's change, and those that are fresh."""
        counted: dict[Row, int] = {}
        for row, sign in change.items():
            key = self.key_of(row)
            if None not in key:
                counted[key] = counted.get(key, 0) + sign
        dead: list[Fact] = []
        born: list[Row] = []
        for key, sign in counted.items():
            if self.turns(key, sign):
                if sign < 0:
                    born.append(key)
                elif key in self._made:
                    dead.append(self._made.pop(key))
            self.count(key, sign)
        return dead, [fact for key in born if (fact := self.get(key)) is not None]

    def key_of(self, row: Row) -> Row:
        return tuple([part(row) for part in self._key])

    def turns(self, key: Row, sign: int) -> bool:
        """Tell whether so many rows more or fewer make a key the first, or the last, of its rows."""
        before = self._rows.get(key, 0)
        return None not in key and (before == 0) != (before + sign == 0)

    def count(self, key: Row, sign: int) -> None:
        """Take in that so many rows more or fewer have a key."""
        if None in key:
            return
        rows = self._rows.get(key, 0) + sign
        if rows:
            self._rows[key] = rows
            self._made.pop(key, None)
        else:
            self._rows.pop(key, None)

    def sweep(self) -> None:
        """Forget facts on which nothing stands, once they may be as many as the others."""
        if len(self._made) > 2 * self._kept + FEW:
            self._made = {key: fact for key, fact in self._made.items() if fact.dependents}
            self._kept = len(self._made)

    def __len__(self) -> int:
        return len(self._made) + len(self._rows)


class Negations:
    """The negations of a program, each relation and key once; they are numbered behind its tables."""

    def __init__(self, program: Program) -> None:
        tables = len(program.inputs) + len(program.definitions)
        asked = dict.fromkeys((n.relation, n.right_keys) for rule in program.rules for n in rule.negated)
        self._found = {each: Negation(tables + i, *each) for i, each in enumerate(asked)}
        self._tables = tables

    def of_rule(self, rule: Rule) -> list[Negation]:
        """Return the negations of a rule's literals, in order."""
        return [self._found[each.relation, each.right_keys] for each in rule.negated]

    def of_relation(self, relation: int) -> list[Negation]:
        return [negation for negation in self._found.values() if negation.relation == relation]

    def named(self, facts: Iterable[Fact]) -> list[tuple[Negation, Row]]:
        """Return the negations and keys of those of the facts that are negated literals."""
        every = list(self._found.values())
        return [(every[fact.relation - self._tables], fact.row) for fact in facts if fact.rule == NOT]

    def sweep(self) -> None:
        for negation in self:
            negation.sweep()

    def __iter__(self) -> Iterator[Negation]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)
