"""Aggregate selection inside a stratum: which facts of a group take part.

    selected(g)  =  ∪ᵢ { t ∈ g : t[cᵢ] = bestᵢ(g) }        ties kept, NULL never best

What is not selected is kept as an alternate. A fact that leaves the selection is suppressed, not
deleted: nothing that it stands on has died.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section VII, with the corrections that REFERENCES.md lists.
"""

from collections.abc import Iterable
from typing import Any

from engine.model.values import Row
from engine.operators.recursion.rules.facts import Fact, key_at
from engine.plan.logical import Best
from engine.plan.program import Defined

CHOOSE = {"min": min, "max": max}


class Selection:
    """The groups of one definition and what is selected of each."""

    def __init__(self, definition: Defined) -> None:
        self._group_of = key_at(definition.group)
        self._best = definition.best
        self._groups: dict[Any, dict[Fact, None]] = {}
        self._touched: dict[Any, None] = {}

    def add(self, fact: Fact) -> None:
        key = self._group_of(fact.row)
        self._groups.setdefault(key, {})[fact] = None
        self._touched[key] = None

    def remove(self, fact: Fact) -> None:
        key = self._group_of(fact.row)
        group = self._groups[key]
        del group[fact]
        if not group:
            del self._groups[key]
        self._touched[key] = None

    def changes(self) -> tuple[list[Fact], list[Fact]]:
        """Return the facts that enter and that leave the selection of the groups touched since."""
        enter: list[Fact] = []
        leave: list[Fact] = []
        for key in self._touched:
            group = self._groups.get(key, {})
            selected = set(chosen(self._best, group))
            enter += [fact for fact in group if fact in selected and not fact.active]
            leave += [fact for fact in group if fact not in selected and fact.active]
        self._touched.clear()
        return enter, leave


def chosen(best: Iterable[Best], group: Iterable[Fact]) -> list[Fact]:
    """Return what is best in at least one of the named columns."""
    rows: list[tuple[Fact, Row]] = [(fact, fact.row) for fact in group]
    found: list[Fact] = []
    for function, position in ((b.function, b.position) for b in best):
        values: list[Any] = [row[position] for _, row in rows if row[position] is not None]
        if values:
            value = CHOOSE[function](values)
            found += [fact for fact, row in rows if row[position] == value]
    return found
