"""What is sent, as bytes, and counted by kind: between parts, derived, for joins, dead tokens."""

import pickle
from typing import NamedTuple

from engine.network.wiring import Head
from engine.partitions.orders import Came, Mail, Parcel, Restored
from engine.partitions.recursion.share import Dead


class Packed(NamedTuple):
    """A parcel as bytes, with its kind and how many rows or tokens it has."""

    kind: str
    rows: int
    content: bytes


def packed(parcel: Parcel) -> Packed:
    content = pickle.dumps(parcel, pickle.HIGHEST_PROTOCOL)
    if isinstance(parcel, Mail):
        return Packed("between parts", len(parcel.rows), content)
    if isinstance(parcel, Came):
        return Packed("readings", len(parcel.readings), content)
    if isinstance(parcel, Restored):
        return Packed("states", 1, content)
    if isinstance(parcel.content, Dead):
        return Packed("dead tokens", len(parcel.content.tokens), content)
    kind = "derived" if isinstance(parcel.content.port, Head) else "for joins"
    return Packed(kind, len(parcel.content.rows), content)


def unpacked(content: bytes) -> Parcel:
    """Return what a share of ours packed."""
    parcel: Parcel = pickle.loads(content)  # noqa: S301  # nobody else writes to a share
    return parcel
