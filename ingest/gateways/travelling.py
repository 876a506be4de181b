"""The rows of one side of a join, and which gateways have them.

    with(k)   =  the gateways that want rows with the key k
    sent to g =  { row of this side : g in with(key of the row) }       kept true by rows sent and taken back

A key that has a NULL in it meets nothing and goes nowhere.
"""

from collections.abc import Callable, Iterable, Mapping

from engine.model.values import Row
from engine.operators.delta import Delta, add
from engine.provenance.counting import COUNTING

Wanted = Callable[[Row], frozenset[str]]
Ship = Callable[[str, Row, int], None]


class Travelling:
    """``wanted`` says who wants a key, ``ship`` sends one change to one gateway."""

    def __init__(self, key_of: Callable[[Row], Row], wanted: Wanted, ship: Ship) -> None:
        self._key_of = key_of
        self._wanted = wanted
        self._ship = ship
        self._held: dict[Row, Delta[int]] = {}
        self._with: dict[Row, frozenset[str]] = {}

    def take(self, change: Mapping[Row, int]) -> tuple[set[Row], set[Row]]:
        """Take a change; return the keys that came to be and those that are no more."""
        touched: dict[Row, bool] = {}
        for row, count in change.items():
            key = self._key_of(row)
            if None in key:
                continue
            touched.setdefault(key, key in self._held)
            add(self._held.setdefault(key, {}), row, count, COUNTING)
            if key not in self._with:
                self._with[key] = self._wanted(key)
            for gateway in self._with[key]:
                self._ship(gateway, row, count)
        gone = {key for key in touched if not self._held[key]}
        for key in gone:
            del self._held[key], self._with[key]
        came = {key for key, was in touched.items() if not was and key not in gone}
        return came, {key for key in gone if touched[key]}

    def again(self, keys: Iterable[Row] | None = None) -> None:
        """Look again at who wants some keys, or all."""
        for key in list(self._held) if keys is None else self._held.keys() & set(keys):
            before, after = self._with[key], self._wanted(key)
            self._with[key] = after
            for row, count in self._held[key].items():
                for gateway in sorted(after - before):
                    self._ship(gateway, row, count)
                for gateway in sorted(before - after):
                    self._ship(gateway, row, -count)
