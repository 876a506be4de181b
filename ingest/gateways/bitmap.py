"""A set of keys as a bitmap that may say yes to a stranger, never no to a member.

    bit h₁(k) and bit h₂(k) of 512          false positives among n keys:  (1 - (1 - 1/512)²ⁿ)²

The own keys are counted, so that one can leave; what is sent is the bits.

References:
    Bloom. Space/Time Trade-offs in Hash Coding with Allowable Errors. CACM 1970.
"""

import hashlib
import json
from collections import Counter

from engine.model.values import Row

BITS = 512
HASHES = 2


def bits_of(key: Row) -> int:
    """Return the bits that stand for a key, the same in every process."""
    text = json.dumps([int(each) if isinstance(each, float) and each.is_integer() else each for each in key])
    digest = hashlib.blake2b(text.encode(), digest_size=4 * HASHES).digest()
    places = (int.from_bytes(digest[4 * i : 4 * i + 4], "big") % BITS for i in range(HASHES))
    found = 0
    for place in places:
        found |= 1 << place
    return found


def may_have(bits: int, key: Row) -> bool:
    """Tell whether a key may be one of those that a bitmap stands for."""
    asked = bits_of(key)
    return bits & asked == asked


class CountedKeys:
    """The own keys and their bitmap."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, key: Row) -> None:
        self._counts[bits_of(key)] += 1

    def remove(self, key: Row) -> None:
        bits = bits_of(key)
        self._counts[bits] -= 1
        if not self._counts[bits]:
            del self._counts[bits]

    @property
    def bits(self) -> int:
        found = 0
        for bits in self._counts:
            found |= bits
        return found
