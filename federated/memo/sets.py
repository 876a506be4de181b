"""Sets of relations as bitmasks, and what is connected in a graph of them."""

from collections.abc import Iterator, Sequence


def members(mask: int) -> Iterator[int]:
    """Yield the numbers in a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def subsets(mask: int) -> Iterator[int]:
    """Yield every set inside one that is not empty, the set itself first."""
    taken = mask
    while taken:
        yield taken
        taken = (taken - 1) & mask


def around(mask: int, neighbours: Sequence[int]) -> int:
    """Return all that a member of the set is joined with."""
    met = 0
    for r in members(mask):
        met |= neighbours[r]
    return met


def parts_of(mask: int, neighbours: Sequence[int]) -> list[int]:
    """Cut a set into its connected parts, by their lowest members."""
    parts = []
    while mask:
        part, grown = 0, mask & -mask
        while grown != part:
            part, grown = grown, grown | around(grown & ~part, neighbours) & mask
        parts.append(part)
        mask &= ~part
    return parts


def connected_around_lowest(mask: int, neighbours: Sequence[int]) -> Iterator[int]:
    """Yield each connected set inside one that has its lowest member, once.

    A set grows by any of the neighbours that no earlier one was offered: none is met twice
    (Moerkotte, Neumann. Analysis of two existing and one new dynamic programming algorithm. VLDB 2006).
    """
    lowest = mask & -mask
    yield lowest
    growing = [(lowest, lowest)]
    while growing:
        taken, offered = growing.pop()
        fresh = around(taken, neighbours) & mask & ~offered
        for more in subsets(fresh):
            yield taken | more
            growing.append((taken | more, offered | fresh))
