"""Topic patterns: which topics a stream declares, and what their named parts say.

    building/seat/{desk}   matches   building/seat/d17   with   desk = d17

``{name}`` and ``+`` stand for one level, a final ``#`` for any number of levels.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from engine.model.errors import SourceError

_PART = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True)
class TopicPattern:
    """A pattern as written in sources.yaml."""

    text: str

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """What stands between the slashes."""
        return tuple(self.text.split("/"))

    @cached_property
    def parts(self) -> dict[str, int]:
        """Named parts, and the level each stands at."""
        return {match[1]: at for at, level in enumerate(self.levels) if (match := _PART.fullmatch(level))}

    @cached_property
    def filter(self) -> str:
        """What to subscribe to."""
        return "/".join("+" if _PART.fullmatch(level) else level for level in self.levels)

    def check(self, stream: str) -> None:
        """Raise what is wrong with the pattern."""
        if not self.text:
            msg = f"stream {stream} has no topic; expected one like building/seat/{{desk}}"
            raise SourceError(msg)
        for at, level in enumerate(self.levels):
            is_wild = level == "+" or (level == "#" and at == len(self.levels) - 1)
            if not (is_wild or _PART.fullmatch(level)) and any(sign in level for sign in "{}+#\0"):
                msg = (
                    f"topic {self.text} of stream {stream} has the level {level};"
                    " expected a word, {name} or +, and # only at the end"
                )
                raise SourceError(msg)
        named = [level for level in self.levels if _PART.fullmatch(level)]
        if twice := sorted({level for level in named if named.count(level) > 1}):
            there = f"topic {self.text} of stream {stream}"
            msg = f"{there} has {twice[0]} twice; name each part once, or write +"
            raise SourceError(msg)

    def matches(self, topic: str) -> bool:
        """Say whether a topic is one of those declared."""
        return _covers(self.filter.split("/"), topic.split("/"))


def covering_filters(patterns: Iterable[TopicPattern]) -> tuple[str, ...]:
    """Return the filters that cover every pattern, none covered by another.

    A broker may send a message once for each filter it matches.
    """
    return tuple(_uncovered(sorted({pattern.filter for pattern in patterns})))


def _uncovered(filters: list[str]) -> Iterator[str]:
    for one in filters:
        if not any(other != one and _covers(other.split("/"), one.split("/")) for other in filters):
            yield one


def _covers(wide: list[str], narrow: list[str]) -> bool:
    """Say whether every topic of ``narrow``, a topic or a filter, is one of ``wide``."""
    for at, level in enumerate(wide):
        if level == "#":
            return True
        if at >= len(narrow) or narrow[at] == "#" or level not in ("+", narrow[at]):
            return False
    return len(wide) == len(narrow)
