"""What stands in a base relation, by definition: a list of rows with their expiries, the oldest first."""

import math
from random import Random

from engine.model.values import Row
from engine.operators.base_tokens import Kind
from engine.plan.program import Program

STAYS = math.inf


class BaseRows:
    """The incarnations of one relation."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.listed: list[tuple[Row, float]] = []

    @property
    def standing(self) -> set[Row]:
        return {row for row, _ in self.listed}

    def insert(self, row: Row, now: float) -> None:
        key = self.kind.key
        if key is not None:
            self.listed = [(q, until) for q, until in self.listed if any(q[i] != row[i] for i in key)]
        self.listed.append((row, now + self.kind.lifetime))

    def delete(self, row: Row) -> None:
        place = next((place for place, (other, _) in enumerate(self.listed) if other == row), None)
        if place is not None:
            del self.listed[place]

    def expire(self, now: float) -> None:
        self.listed = [(row, until) for row, until in self.listed if now < until]


def sets(program: Program) -> tuple[Kind, ...]:
    """Every input a set whose rows stay."""
    return tuple(Kind(tuple(range(len(columns))), STAYS) for columns in program.inputs)


def any_kinds(program: Program, random: Random) -> tuple[Kind, ...]:
    """For each input a set, keyed by its first column, or a bag; most of them windows."""
    kinds = []
    for columns in program.inputs:
        whole = tuple(range(len(columns)))
        key = random.choice((whole, whole, whole[:1], None))
        kinds.append(Kind(key, random.choice((STAYS, 1, 3, 3, 6))))
    return tuple(kinds)
