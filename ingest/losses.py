"""What of a stream is not in the log, counted, and told in the log: the stream ``losses``.

    shed    received, acknowledged and left out on purpose: more came than could be kept up with
    gap     never received: numbers that a sender left out, less those that came late

    messages    of the present episode: since the last QUIET seconds without any
    total       since the log began

A row and what is kept of it are written in one transaction with what they count, so the counts are exact
whatever dies.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from engine.model.clock import SECOND
from engine.model.relation import LOSSES
from ingest.log import Entry, Log, StateChange

SHED, GAP = "shed", "gap"
SOURCE = "losses"
QUIET = 10 * SECOND


class LeftOut(NamedTuple):
    """By what a message that was shed is known should it come again: to the broker, and to its sender."""

    mid: int | None
    content: int
    topic: str = ""
    name: int | str | None = None


class Told(NamedTuple):
    """What goes to the log of it."""

    entries: list[Entry]
    state: list[StateChange]


class Losses:
    """The counts of every stream and cause."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}

    def open(self, log: Log) -> None:
        """Go on from what the log says."""
        for item, body in log.state(SOURCE).items():
            stream, cause = json.loads(item)[1]
            self._rows[stream, cause] = json.loads(body)

    def totals(self) -> dict[str, dict[str, int]]:
        """Return how many there are since the log began, by stream and cause."""
        found: dict[str, dict[str, int]] = {}
        for (stream, cause), row in self._rows.items():
            found.setdefault(stream, {})[cause] = row["total"]
        return found

    def more(self, counts: Mapping[tuple[str, str], int], now: int, left_out: Iterable[LeftOut] = ()) -> Told:
        """Count these; ``left_out`` are those of them that may come again."""
        counted = {of: messages for of, messages in counts.items() if messages}
        if not counted:
            return Told([], [])
        for of, messages in counted.items():
            self._rows[of] = self._row(of, messages, now)
        body: dict[str, Any] = {"changes": [[1, LOSSES.name, self._rows[of]] for of in counted]}
        if left_out := list(left_out):
            body["left_out"] = [each[:2] if each.name is None else each for each in left_out]
        state = [StateChange(SOURCE, _item(of), json.dumps(self._rows[of])) for of in counted]
        return Told([Entry(SOURCE, "", json.dumps(body).encode())], state)

    def _row(self, of: tuple[str, str], messages: int, now: int) -> dict[str, Any]:
        before = self._rows.get(of)
        if before is None:
            return _row(of, messages, messages, now, now)
        is_going_on = now <= before["until"] + QUIET
        since = before["since"] if is_going_on else now
        so_far = before["messages"] if is_going_on else 0
        return _row(of, so_far + messages, before["total"] + messages, since, now)


def left_out(payload: bytes) -> list[LeftOut]:
    """Return what an entry says was left out."""
    return [LeftOut(*each) for each in json.loads(payload).get("left_out", [])]


def _item(of: tuple[str, str]) -> str:
    """Return what is kept under, in the form of every keyed source: table and key."""
    return json.dumps([LOSSES.name, list(of)])


def _row(of: tuple[str, str], messages: int, total: int, since: int, until: int) -> dict[str, Any]:
    stream, cause = of
    counts = {"messages": messages, "total": total, "since": since, "until": until}
    return {"stream": stream, "cause": cause, **counts}
