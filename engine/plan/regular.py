r"""Regular expressions that take no longer than the text times the pattern.

    a  .  [a-z]  [^x]  \d \w \s  (…)  a|b  a*  a+  a?  a{2,5}  ^  $

A pattern becomes states and steps between them; a text is read once, with all the states that it may
be in. Python's own would go back over a text without an end for some patterns. What takes more steps
than anybody waits for has no answer.

References:
    Thompson. Regular Expression Search Algorithm. CACM 1968.
"""

import re
from collections.abc import Callable
from functools import lru_cache

Test = Callable[[str], bool]

MOST_STATES = 2_000
MOST_STEPS = 200_000
CLASSES: dict[str, Test] = {
    "d": str.isdecimal,
    "w": lambda c: c.isalnum() or c == "_",
    "s": str.isspace,
    "D": lambda c: not c.isdecimal(),
    "W": lambda c: not (c.isalnum() or c == "_"),
    "S": lambda c: not c.isspace(),
}
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
COUNTED = re.compile(r"\{(\d{1,4})(?:(,)(\d{1,4})?)?\}")


class State:
    """Goes on to ``following`` where the test holds of a character; without a test at once.

    ``at`` says that it goes on only at the beginning (^) or the end ($) of the text.
    """

    def __init__(self, test: Test | None = None, at: str = "") -> None:
        self.test = test
        self.at = at
        self.following: list[State] = []


class Pattern:
    """Reads a pattern from the left; ``begin`` leads to ``end`` over what matches."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._count = 0
        self.begin, self.end = self._state(), self._state()
        self._either(self.begin, self.end)
        if self._place < len(text):
            self._refuse()

    def _state(self, test: Test | None = None, at: str = "") -> State:
        self._count += 1
        if self._count > MOST_STATES:
            self._refuse()
        return State(test, at)

    def _refuse(self) -> None:
        message = f"no pattern: {self._text}"
        raise ValueError(message)

    def _next(self) -> str:
        if self._place == len(self._text):
            self._refuse()
        self._place += 1
        return self._text[self._place - 1]

    def _takes(self, expected: str) -> bool:
        if self._text.startswith(expected, self._place):
            self._place += len(expected)
            return True
        return False

    def _either(self, begin: State, end: State) -> None:
        self._sequence(begin, end)
        while self._takes("|"):
            self._sequence(begin, end)

    def _sequence(self, begin: State, end: State) -> None:
        while self._place < len(self._text) and self._text[self._place] not in "|)":
            start = self._place
            least, most = self._piece(begin, then := self._state())
            begin = self._repeated(begin, then, start, least, most)
        begin.following.append(end)

    def _piece(self, begin: State, end: State) -> tuple[int, int | None]:
        """Read one piece from begin to end, and how often it may stand there."""
        inner, done = self._state(), self._state()
        self._one(inner, done)
        least, most = self._times()
        if (least, most) == (1, 1):
            begin.following.append(inner)
            done.following.append(end)
        return least, most

    def _repeated(self, begin: State, end: State, start: int, least: int, most: int | None) -> State:
        """Write a piece again as often as it may stand there."""
        if (least, most) == (1, 1):
            return end
        after = self._place
        for _ in range(least):
            begin = self._again(begin, start)
        if most is None:
            loop = self._state()
            begin.following.append(loop)
            self._again(loop, start).following.append(loop)
            loop.following.append(end)
        else:
            for _ in range(most - least):
                begin.following.append(end)
                begin = self._again(begin, start)
            begin.following.append(end)
        self._place = after
        return end

    def _again(self, begin: State, start: int) -> State:
        self._place = start
        inner, done = self._state(), self._state()
        begin.following.append(inner)
        self._one(inner, done)
        return done

    def _times(self) -> tuple[int, int | None]:
        for sign, times in {"*": (0, None), "+": (1, None), "?": (0, 1)}.items():
            if self._takes(sign):
                self._takes("?")
                return times
        found = COUNTED.match(self._text, self._place)
        if found is None:
            return 1, 1
        self._place = found.end()
        least = int(found[1])
        most = least if not found[2] else int(found[3]) if found[3] else None
        if most is not None and most < least:
            self._refuse()
        return least, most

    def _one(self, begin: State, end: State) -> None:
        character = self._next()
        if character == "(":
            self._takes("?:")
            self._either(begin, end)
            if not self._takes(")"):
                self._refuse()
        elif character in "^$":
            held = self._state(at=character)
            begin.following.append(held)
            held.following.append(end)
        else:
            step = self._state(self._test(character))
            begin.following.append(step)
            step.following.append(end)

    def _test(self, character: str) -> Test:
        match character:
            case ".":
                return lambda c: c != "\n"
            case "[":
                return self._set()
            case "\\":
                return self._escaped()
            case "*" | "+" | "?" | "{":
                self._refuse()
        return lambda c: c == character

    def _escaped(self) -> Test:
        found = self._next()
        if found in CLASSES:
            return CLASSES[found]
        if found.isalnum() and found not in CONTROLS:
            self._refuse()
        meant = CONTROLS.get(found, found)
        return lambda c: c == meant

    def _set(self) -> Test:
        is_other = self._takes("^")
        tests: list[Test] = []
        while not tests or not self._takes("]"):
            first = self._next()
            if first == "\\":
                tests.append(self._escaped())
            elif self._text.startswith("-", self._place) and not self._text.startswith("-]", self._place):
                self._next()
                tests.append(between(first, self._next()))
            else:
                tests.append(between(first, first))
        return lambda c: any(test(c) for test in tests) != is_other


def between(first: str, last: str) -> Test:
    return lambda c: first <= c <= last


@lru_cache(maxsize=256)
def read(pattern: str) -> Pattern:
    return Pattern(pattern)


def matches(pattern: str, text: str) -> bool:
    """Tell whether the whole text matches."""
    known, steps = read(pattern), 0
    states = reached({known.begin}, 0, len(text))
    for place, character in enumerate(text, 1):
        steps = more_steps(steps, len(states))
        stepped = {n for s in states if s.test is not None and s.test(character) for n in s.following}
        states = reached(stepped, place, len(text))
        if not states:
            return False
    return known.end in states


def occurs(pattern: str, text: str) -> bool:
    """Tell whether a part of the text matches, as it may begin anywhere."""
    known, states, steps = read(pattern), set[State](), 0
    for place in range(len(text) + 1):
        steps = more_steps(steps, len(states) + 1)
        states = reached(states | {known.begin}, place, len(text))
        if known.end in states:
            return True
        character = text[place : place + 1]
        states = {
            n for s in states if s.test is not None and character and s.test(character) for n in s.following
        }
    return False


def more_steps(steps: int, states: int) -> int:
    """Count what was done, and refuse what would hold everybody up."""
    if steps + states > MOST_STEPS:
        message = f"over {MOST_STEPS:,} steps of a pattern through a text"
        raise ValueError(message)
    return steps + states


def reached(states: set[State], place: int, length: int) -> set[State]:
    """Return the states and all that are reached from them without a character."""
    found = set(states)
    unseen = list(states)
    while unseen:
        state = unseen.pop()
        stays = state.test is not None or (state.at == "^" and place) or (state.at == "$" and place < length)
        if not stays:
            unseen += [each for each in state.following if each not in found]
            found.update(state.following)
    return found
