"""What a leaf holds, divided among owners and put together again, in the form that its class has for it.

joined(divided(state)) holds what state holds
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from engine.model.values import Row
from engine.operators.base import Bag
from engine.operators.event_window import EventWindow
from engine.operators.leaf import Leaf, State
from engine.operators.restated import Restated
from engine.operators.window import RangeWindow
from engine.partitions.hashing import Partition

BY_TIME = itemgetter(0)
Parts = list[list[Any]]


def divided(leaf: Leaf[int], state: State, owner: Callable[[Row], Partition], partitions: int) -> list[State]:
    """Return the state of each share of a leaf."""

    def parts(items: Iterable[Any], row_in: Callable[[Any], Row]) -> Parts:
        found: Parts = [[] for _ in range(partitions)]
        for item in items:
            found[owner(row_in(item))].append(item)
        return found

    match leaf:
        case EventWindow():
            late, waiting, held = state
            both = zip(parts(waiting, itemgetter(1)), parts(held, itemgetter(1)), strict=True)
            return [[0 if number else late, *each] for number, each in enumerate(both)]
        case RangeWindow():
            return parts(state, itemgetter(1))
        case Restated():
            is_answered, *rows = state
            return [[is_answered, *each] for each in parts(rows, itemgetter(0))]
        case Bag():
            return parts(state, itemgetter(0))
    return parts(state, lambda row: row)


def joined(leaf: Leaf[int], states: Sequence[State]) -> State:
    """Return the state of a leaf, of those of its shares."""
    match leaf:
        case EventWindow():
            late, waiting, held = zip(*states, strict=True)
            return [sum(late), *(sorted(chain(*each), key=BY_TIME) for each in (waiting, held))]
        case RangeWindow():
            return sorted(chain(*states), key=BY_TIME)
        case Restated():
            return [all(state[0] for state in states), *chain(*(state[1:] for state in states))]
    return list(chain(*states))
