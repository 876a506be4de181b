"""Values by small numbers, for the operators that compute on bits and matrices.

    number_of(value)  →  the lowest number that no other value has

A number is given out again once as many uses were dropped as taken, so sets of numbers stay small
however many values pass by.
"""

from heapq import heappop, heappush
from itertools import compress
from typing import Any

import numpy as np

FEW_BITS = 24


class Interned:
    """Values with a number each; a set of values is an integer with a bit for each number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._uses: list[int] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, value: Any) -> int:
        return self._numbers[value]

    def take(self, value: Any) -> int:
        """Use a value once more; return its number."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = self._new(value)
        self._uses[number] += 1
        return number

    def _new(self, value: Any) -> int:
        if self._free:
            number = heappop(self._free)
            self.values[number] = value
            return number
        self.values.append(value)
        self._uses.append(0)
        return len(self.values) - 1

    def drop(self, value: Any) -> int | None:
        """Use a value once less; return its number where that was the last use."""
        number = self._numbers[value]
        self._uses[number] -= 1
        if self._uses[number]:
            return None
        del self._numbers[value]
        self.values[number] = None
        heappush(self._free, number)
        return number

    def members(self, bits: int) -> list[Any]:
        """Return the values of a set: bit by bit where they are few, all bits at once where not."""
        if bits.bit_count() > FEW_BITS:
            packed = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
            chosen = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
            return list(compress(self.values, chosen.tobytes()))
        values = []
        while bits:
            lowest = bits & -bits
            values.append(self.values[lowest.bit_length() - 1])
            bits ^= lowest
        return values
