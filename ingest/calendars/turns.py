"""What starts and what ends, from what was reserved and what is.

    reserved then, not now      it ends: when it was to end, or now if that is still to come
    reserved now, not then      it starts: when it was to start, or now if it was put in late
    neither, but in between     both: what nobody looked at while it lasted, or what takes no time

So each reservation starts once and ends once, in the order of time, however seldom the calendar is looked
at. Where an event goes to another room while it lasts, it ends in the one and starts in the other.
"""

from collections.abc import Iterable

from engine.model.values import Value
from ingest.diff import NamedRow, Rows

START, END = "start", "end"


def turns(
    then: Rows, reserved: Rows, between: Iterable[NamedRow], looked: int | None, now: int
) -> list[NamedRow]:
    """Return the starts and ends since ``looked``, the last time that anybody did."""
    before, after = _placed(then), _placed(reserved)
    ended = [
        _turn(row, END, min(time_of(row, "ends"), now)) for key, row in before.items() if key not in after
    ]
    started = [
        _turn(row, START, _begun(time_of(row, "starts"), looked, now))
        for key, row in after.items()
        if key not in before
    ]
    passed = {key: row for key, row in _placed_rows(between) if key not in before and key not in after}
    for row in passed.values():
        started.append(_turn(row, START, time_of(row, "starts")))
        ended.append(_turn(row, END, time_of(row, "ends")))
    return sorted([*ended, *started], key=_order)


def _begun(starts: int, looked: int | None, now: int) -> int:
    return starts if looked is None or starts > looked else now


def _placed(rows: Rows) -> dict[tuple[Value, Value], NamedRow]:
    return dict(_placed_rows(rows.values()))


def _placed_rows(rows: Iterable[NamedRow]) -> list[tuple[tuple[Value, Value], NamedRow]]:
    return [((row["event"], row["room"]), row) for row in rows]


def _turn(row: NamedRow, kind: str, at: int) -> NamedRow:
    return {"event": row["event"], "room": row["room"], "title": row["title"], "kind": kind, "at": at}


def _order(turn: NamedRow) -> tuple[int, str, bool]:
    return time_of(turn, "at"), str(turn["event"]), turn["kind"] == END


def time_of(row: NamedRow, name: str) -> int:
    """Return a time of a row, which is one of ours."""
    found = row[name]
    if not isinstance(found, int):
        msg = f"{name} of a reservation is {found!r}"
        raise TypeError(msg)
    return found
