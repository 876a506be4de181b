"""Which site owns a value.

    owner(v)  =  hash(v) mod sites        equal values have one owner, in every process

A relation's row lives with the owner of its first value.
"""

import zlib
from collections.abc import Callable

from engine.model.values import Value
from engine.network.channels import Address

Owner = Callable[[Value], Address]


def hashed(sites: int) -> Owner:
    """Return the owner function that spreads values over sites; 1, 1.0 and TRUE are equal."""

    def owner(value: Value) -> Address:
        if isinstance(value, str):
            return zlib.crc32(value.encode()) % sites
        return hash(value) % sites if value is not None else 0

    return owner
