"""When an alarm is raised and when it ends: a row by row machine, with times for both.

    raised at   s + hold      where a row that raises it came at s and stayed that long
    ended at    g + linger    where no row that keeps it was left at g, and none came back that long

An alarm that by g was raised, or would have been but for its lingering, ``flaps`` times within ``flapping``
lingers for ``flapping``: one that flaps is one, and not many. What is told depends on when rows came and went
alone, and never on how often ``settle`` is asked.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from app.alarming.rule import Rule

REMEMBERED = 10_000  # keys of which the last raisings are known


class Seen(Enum):
    """What the rows of a key mean for its alarm: there are none, they keep it up, or they raise it."""

    NONE = auto()
    KEEPS = auto()
    RAISES = auto()


class Turn(NamedTuple):
    """What becomes of the alarm of a key, and at what time."""

    key: str
    is_raised: bool
    at: int
    flaps: bool = False


@dataclass(slots=True)
class State:
    """``since`` is when the row came, or went."""

    is_there: bool
    since: int
    is_raised: bool
    linger: int = 0


@dataclass
class Life:
    """The alarms of one rule. A state of the view may be told again; only what differs counts."""

    rule: Rule
    _states: dict[str, State] = field(default_factory=dict)
    _waiting: set[str] = field(default_factory=set)
    _raisings: dict[str, deque[int]] = field(default_factory=dict)

    def resume(self, key: str, at: int) -> None:
        """Take over an alarm that stood before this run; whether its row is there is not known yet."""
        self._states[key] = State(is_there=True, since=at, is_raised=True)

    def hold(self, seen: Mapping[str, Seen], at: int) -> list[Turn]:
        """Take a whole state in."""
        return self.change({**dict.fromkeys(self._states, Seen.NONE), **seen}, at)

    def change(self, seen: Mapping[str, Seen], at: int) -> list[Turn]:
        """Take in what the rows of some keys are now."""
        turns = self.settle(at)
        for key in sorted(seen):
            if seen[key] is Seen.RAISES or (seen[key] is Seen.KEEPS and self._is_raised(key)):
                self._come(key, at)
            else:
                self._go(key, at)
        return turns + self.settle(at)

    def settle(self, at: int) -> list[Turn]:
        """Tell what became due."""
        due = []
        for key in self._waiting:
            state = self._states[key]
            ends = state.since + (self.rule.hold if state.is_there else state.linger)
            if ends <= at:
                due.append((ends, key))
        return [self._turn(key, ends) for ends, key in sorted(due)]

    def raised(self) -> set[str]:
        return {key for key, state in self._states.items() if state.is_raised}

    def _is_raised(self, key: str) -> bool:
        return key in self._states and self._states[key].is_raised

    def _come(self, key: str, at: int) -> None:
        state = self._states.setdefault(key, State(is_there=False, since=at, is_raised=False))
        if not state.is_there:
            state.is_there, state.since = True, at
            self._wait(key, for_something=not state.is_raised)
            if state.is_raised:
                self._note(key, at)

    def _go(self, key: str, at: int) -> None:
        state = self._states.get(key)
        if state is None or not state.is_there:
            return
        if not state.is_raised:
            self._forget(key)
            return
        state.is_there, state.since = False, at
        state.linger = max(self.rule.linger, self.rule.flapping if self._flaps(key, at) else 0)
        self._wait(key, for_something=True)

    def _turn(self, key: str, at: int) -> Turn:
        state = self._states[key]
        self._waiting.discard(key)
        if not state.is_there:
            self._forget(key)
            return Turn(key, False, at)
        state.is_raised = True
        self._note(key, at)
        return Turn(key, True, at, self._flaps(key, at))

    def _wait(self, key: str, *, for_something: bool) -> None:
        (self._waiting.add if for_something else self._waiting.discard)(key)

    def _forget(self, key: str) -> None:
        self._waiting.discard(key)
        del self._states[key]

    def _note(self, key: str, at: int) -> None:
        if not self.rule.flaps:
            return
        self._raisings[key] = deque(self._raisings.pop(key, ()), self.rule.flaps)
        self._raisings[key].append(at)
        if len(self._raisings) > REMEMBERED:
            del self._raisings[next(iter(self._raisings))]

    def _flaps(self, key: str, at: int) -> bool:
        lately = [raised for raised in self._raisings.get(key, ()) if at - raised <= self.rule.flapping]
        return bool(self.rule.flaps) and len(lately) >= self.rule.flaps
