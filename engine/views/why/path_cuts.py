"""Minimal cuts of a block: sets of edges without which no path leads from the entry to the exit.

A minimal cut is what leaves a set S of vertices, for exactly those S where

    entry ∈ S and every vertex of S is reached within S;   every head of a leaving edge leads to the
    exit without S

A head that cannot must belong to S (``_closed``). So S grows from the entry: some head joins it or
stays out for good, and whichever is chosen a cut is left to be found. The time between two cuts is
polynomial, though there may be exponentially many; the smallest of all is a maximum flow.

References:
    Provan, Shier. A Paradigm for Listing (s, t)-Cuts in Graphs. Algorithmica 1996.
    Ford, Fulkerson. Maximal Flow through a Network. Canadian J. Math. 1956.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from engine.views.why.effort import Effort
from engine.views.why.web import Arc, Web, bits


def minimal_cuts(web: Web, entry: int, exit_: int, effort: Effort) -> Iterator[list[Arc]]:
    """Yield every minimal cut once; nothing where no path is."""
    first = _closed(web, 1 << entry, exit_)
    waiting = [(first, 1 << exit_)] if _heads(web, first) else []
    while waiting:
        effort.spend(len(web.out))
        inside, outside = waiting.pop()
        open_ = _heads(web, inside) & ~outside
        if not open_:
            yield _leaving(web, inside)
            continue
        head = open_ & -open_
        waiting.append((inside, outside | head))
        grown = _closed(web, inside | head, exit_)
        if not grown & outside:
            waiting.append((grown, outside))


def smallest_cut(web: Web, entry: int, exit_: int, weight: Callable[[Arc], int], effort: Effort) -> list[Arc]:
    """Return a cut of the least weight, by augmenting paths."""
    flow: Counter[Arc] = Counter()
    while True:
        effort.spend(len(web.out))
        came = _augmenting(web, entry, exit_, weight, flow)
        if exit_ not in came:
            return _leaving(web, sum(1 << vertex for vertex in came))
        at = exit_
        while at != entry:
            before = came[at]
            if flow[at, before]:
                flow[at, before] -= 1
            else:
                flow[before, at] += 1
            at = before


def _closed(web: Web, inside: int, exit_: int) -> int:
    """Add the heads that do not lead to the exit from outside."""
    everything = (1 << len(web.out)) - 1
    while True:
        leading = web.leading_to(exit_, everything & ~inside)
        stray = _heads(web, inside) & ~leading
        if not stray:
            return inside
        inside |= stray


def _heads(web: Web, inside: int) -> int:
    heads = 0
    for vertex in bits(inside):
        heads |= web.out[vertex]
    return heads & ~inside


def _leaving(web: Web, inside: int) -> list[Arc]:
    return [(vertex, head) for vertex in bits(inside) for head in bits(web.out[vertex] & ~inside)]


def _augmenting(
    web: Web, entry: int, exit_: int, weight: Callable[[Arc], int], flow: Counter[Arc]
) -> dict[int, int]:
    """Return where each vertex was come to from that the flow leaves a way to."""
    back: dict[int, int] = {}
    for vertex, head in +flow:
        back[head] = back.get(head, 0) | 1 << vertex
    came = {entry: entry}
    front = [entry]
    for vertex in front:
        backwards = back.get(vertex, 0)
        for head in bits(web.out[vertex] | backwards):
            is_open = backwards >> head & 1 or flow[vertex, head] < weight((vertex, head))
            if head not in came and is_open:
                came[head] = vertex
                front.append(head)
        if exit_ in came:
            break
    return came
