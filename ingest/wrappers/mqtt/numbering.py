"""Which messages of one sender came before, and which did not come: by the number that it gives each.

    number > last                     new; what lies between is missing
    one of the last WINDOW            missing: new, and no longer missing; from before the first: new
                                      the content of then: came before
                                      another content: new; the next number too: it counts anew
    further back, or AHEAD or more    it counts anew

What is not shown to have come before is new, so a sender that starts again with 1 loses nothing, and
neither does one whose numbers are none. A message that comes again after WINDOW others is logged again.
A sender may give names instead of numbers: what is missing is not known then.

References: RFC 4303, 3.4.3 (a window over sequence numbers); RFC 3550, A.1 (two in a row begin anew).
"""

import json
from array import array
from base64 import b64decode, b64encode
from collections import deque
from typing import NamedTuple, Protocol

WINDOW = 512
AHEAD = 1_000_000


class Verdict(NamedTuple):
    """Whether a message came before, and how many more are missing, or fewer."""

    came_before: bool
    missing: int = 0


NEW, REPEATED = Verdict(came_before=False), Verdict(came_before=True)


class Sender(Protocol):
    """What is known of who sends under a topic."""

    def take(self, name: int | str, content: int) -> Verdict: ...
    def expects(self, name: int | str) -> bool: ...
    def to_text(self) -> str: ...


class Numbering:
    """The last numbers of one sender; ``content`` is a number of 32 bits that equal messages share."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._missing: set[int] = set()
        self._contents = array("I", bytes(4 * WINDOW))
        self._other: tuple[int, int] | None = None  # what came last with another content than then

    def expects(self, name: int | str) -> bool:
        """Tell whether a number is one to come."""
        return self._last is None or self._last < int(name) < self._last + AHEAD

    def take(self, name: int | str, content: int) -> Verdict:
        """Judge a message, and remember it."""
        number, content = int(name), content or 1
        verdict = self._judged(number, content)
        if not verdict.came_before:
            self._contents[number % WINDOW] = content
        return verdict

    def _judged(self, number: int, content: int) -> Verdict:
        last = self._last
        if last is None or not last - WINDOW < number < last + AHEAD:
            return self._begin(number)
        if number > last:
            return self._go_on(number, last)
        if number in self._missing:
            self._missing.remove(number)
            return Verdict(came_before=False, missing=-1)
        then = self._contents[number % WINDOW]
        if then == content:
            return REPEATED
        return self._differ(number, content) if then else NEW

    def _differ(self, number: int, content: int) -> Verdict:
        """Take one number with another content for itself, two in a row for another count."""
        other, self._other = self._other, (number, content)
        if other is None or number != other[0] + 1:
            return NEW
        self._begin(number)
        self._contents[other[0] % WINDOW] = other[1]
        return NEW

    def _begin(self, number: int) -> Verdict:
        self._last, self._missing, self._other = number, set(), None
        self._contents = array("I", bytes(4 * WINDOW))
        return NEW

    def _go_on(self, number: int, last: int) -> Verdict:
        """Move the window; what fell out of it stays missing for good."""
        self._last, skipped = number, number - last - 1
        if skipped or self._missing:
            oldest = number - WINDOW + 1
            self._missing = {each for each in self._missing if each >= oldest}
            self._missing.update(range(max(last + 1, oldest), number))
        return Verdict(came_before=False, missing=skipped)

    def to_text(self) -> str:
        contents = b64encode(self._contents.tobytes()).decode() if any(self._contents) else ""
        return json.dumps([self._last, sorted(self._missing), contents, self._other])

    @classmethod
    def from_text(cls, text: str) -> "Numbering":
        """Return what ``to_text`` wrote."""
        found = cls()
        found._last, missing, contents, other = json.loads(text)
        found._missing, found._other = set(missing), None if other is None else (other[0], other[1])
        if contents:
            found._contents = array("I", b64decode(contents))
        return found


class Naming:
    """The contents of the last messages of a sender that gives each a name."""

    def __init__(self) -> None:
        self._recent: deque[tuple[str, int]] = deque(maxlen=WINDOW)
        self._known: set[tuple[str, int]] = set()

    def expects(self, _name: int | str) -> bool:
        """Tell that any name may come."""
        return True

    def take(self, name: int | str, content: int) -> Verdict:
        """Judge a message, and remember it."""
        named = (str(name), content)
        if named in self._known:
            return REPEATED
        if len(self._recent) == WINDOW:
            self._known.discard(self._recent[0])
        self._recent.append(named)
        self._known.add(named)
        return NEW

    def to_text(self) -> str:
        return json.dumps(list(self._recent))

    @classmethod
    def from_text(cls, text: str) -> "Naming":
        """Return what ``to_text`` wrote."""
        found = cls()
        for name, content in json.loads(text):
            found.take(name, content)
        return found
