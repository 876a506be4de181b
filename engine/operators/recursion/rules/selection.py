"""Aggregate selection inside a stratum: which facts of a group take part.

Of a group those facts take part whose rows are best (``engine.operators.best``); the others are
kept, as alternates. A fact that leaves the selection is suppressed, not deleted: nothing that it
stands on has died.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009, section VII, with the corrections that REFERENCES.md lists.
"""

from typing import Any

from engine.operators.best import best_of
from engine.operators.recursion.rules.facts import Fact, key_at
from engine.plan.program import Defined


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
            selected = best_of(self._best, [fact.row for fact in group])
            enter += [fact for fact in group if not fact.active and fact.row in selected]
            leave += [fact for fact in group if fact.active and fact.row not in selected]
        self._touched.clear()
        return enter, leave
