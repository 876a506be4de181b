"""Which partition owns a key: the same one in every process, for equal values of any type.

    owner(k)  =  stable(k) mod partitions            1, 1.0 and TRUE are equal; a NaN is like another

Python's own hash of a text differs from process to process.
"""

import zlib
from collections.abc import Callable

from engine.model.values import Row, Value

MIXED = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1
Partition = int
Owner = Callable[[Value], Partition]


def stable(value: Value) -> int:
    """Return a number of 32 bits that equal values share."""
    if type(value) is int or type(value) is bool:
        return ((hash(value) * MIXED & WORD) >> 32) & 0xFFFFFFFF
    if type(value) is str:
        return zlib.crc32(value.encode("utf-8", "surrogatepass"))
    if value is None:
        return 0
    if isinstance(value, tuple | list):
        number = len(value)
        for part in value:
            number = (number * 31 + stable(part)) & 0xFFFFFFFF
        return number
    if isinstance(value, float):
        return ((hash(value) * MIXED & WORD) >> 32) & 0xFFFFFFFF if value == value else 1
    return zlib.crc32(repr(value).encode())


def owner_of_value(partitions: int) -> Owner:
    return lambda value: stable(value) % partitions


def owner_of_key(partitions: int) -> Callable[[Row], Partition]:
    """Return the owner of a key of several values; of one, it is the owner of the value."""

    def owner(key: Row) -> Partition:
        return stable(key[0] if len(key) == 1 else key or None) % partitions

    return owner
