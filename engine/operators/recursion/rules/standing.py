"""What is told of a stratum's facts, however they are kept: its rows, and what each stands on.

witness       one derivation, down to the inputs           derivations   the bodies, one step down

A negated literal is no row, so it is in neither; ``denied`` tells it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from engine.model.values import Row
from engine.operators.operator import ITSELF, Denied, Origin, Origins, Quiet
from engine.operators.recursion.rules.facts import INPUT, Fact, Table
from engine.operators.recursion.rules.negation import NOT, Negations
from engine.operators.recursion.rules.walks import Facts
from engine.plan.program import Program

WIDE = 80


def shorten(row: Row) -> str:
    """Write a row for people, as far as it goes."""
    text = str(row)
    return text if len(text) <= WIDE else f"{text[: WIDE - 1]}…"


class Standing(Quiet, ABC):
    """The facts of a program over its inputs; of several definitions, each row behind its number."""

    def __init__(self, program: Program, tables: Sequence[Table], negations: Negations) -> None:
        self._names = ", ".join(definition.name for definition in program.definitions)
        self._inputs = len(program.inputs)
        self._is_tagged = len(program.definitions) > 1
        self._tables = tables
        self._negations = negations

    @abstractmethod
    def _below(self, fact: Fact) -> Facts:
        """Return the body that a fact stands on."""

    @abstractmethod
    def _bodies(self, fact: Fact) -> Iterable[Facts]:
        """Return every body that derives a fact in one step."""

    def _shown(self, relation: int, row: Row) -> Row:
        return (relation - self._inputs, *row) if self._is_tagged else row

    def rows(self) -> Iterator[Row]:
        """Yield what the view holds."""
        for relation in range(self._inputs, len(self._tables)):
            for fact in self._tables[relation].facts.values():
                if fact.active:
                    yield self._shown(relation, fact.row)

    def witness(self, row: Row) -> Origins:
        """Return the rows of the inputs that hold a row up."""
        stands_on = self._stands_on(row)
        return tuple(dict.fromkeys((fact.relation, fact.row) for fact in stands_on if fact.rule == INPUT))

    def denied(self, row: Row) -> Iterator[Denied]:
        """Yield what must not be there for the witness to hold a row up."""
        for negation, key in self._negations.named(self._stands_on(row)):
            yield Denied(negation.relation, negation.keys, key)

    def derivations(self, row: Row) -> Iterator[Origins]:
        """Yield the bodies that derive a row of the view in one step."""
        for body in self._bodies(self._fact(row)):
            yield tuple([self._origin(below) for below in body if below.rule != NOT])

    def entries(self) -> int:
        """Count the facts that are kept."""
        return sum(map(len, self._tables)) + sum(map(len, self._negations))

    def _stands_on(self, row: Row) -> Iterator[Fact]:
        """Yield a row's fact and all that it stands on, each once."""
        unseen = [self._fact(row)]
        seen = set(unseen)
        while unseen:
            fact = unseen.pop()
            yield fact
            body = self._below(fact)
            unseen += [below for below in reversed(body) if below not in seen]
            seen.update(body)

    def _fact(self, row: Row) -> Fact:
        if not self._is_tagged:
            return self._tables[self._inputs].facts[row]
        number, *plain = row
        assert isinstance(number, int)
        return self._tables[self._inputs + number].facts[tuple(plain)]

    def _origin(self, fact: Fact) -> Origin:
        is_input = fact.relation < self._inputs
        return (fact.relation, fact.row) if is_input else (ITSELF, self._shown(fact.relation, fact.row))
