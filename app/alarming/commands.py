"""``smartcis alarms`` lists them; ``smartcis alarm NUMBER`` acknowledges, shelves or clears one."""

from collections.abc import Sequence
from typing import Any

import click

from app.asking import asking
from app.cells import cell_of, say
from app.told import moment
from engine.model.durations import UNITS, read_duration


@click.command()
@click.option("--ended", default=0, show_default=True, help="How many that ended are listed too.")
def alarms(ended: int) -> None:
    """List the alarms that stand: number, since when, how bad, its name or view, its row, who knows."""
    with asking() as client:
        told = client.get(f"/api/alarms?ended={ended}")
        for each in told["alarms"]:
            say(line(each))
        for notice in told["untold"]:
            say(f"not told: alarm {notice['alarm']}, {cell_of(notice['problem'])}")
        for each in told["lacking"]:
            say(lack(each))


@click.command()
@click.argument("number", type=int)
@click.option("--acknowledge", is_flag=True, help="Say that you know of it.")
@click.option("--note", default="", help="What the others should know.")
@click.option("--shelve", metavar="TIME", help="Tell nobody of it for so long: '1 hour'.")
@click.option("--unshelve", is_flag=True, help="Tell of it again.")
@click.option("--clear", is_flag=True, help="Take it off the list although its row is there.")
def alarm(number: int, acknowledge: bool, note: str, shelve: str | None, unshelve: bool, clear: bool) -> None:
    """Acknowledge, shelve or clear an alarm; without any of these, tell who was told of it."""
    ways = {"--shelve": shelve is not None, "--unshelve": unshelve, "--clear": clear}
    check_one([way for way, is_said in ways.items() if is_said])
    shelved = None if shelve is None else minutes(shelve)
    path = f"/api/alarms/{number}"
    with asking() as client:
        if acknowledge or (note and shelved is None):
            client.post(f"{path}/acknowledge", {"note": note})
        if shelved is not None:
            client.post(f"{path}/shelve", {"minutes": shelved, "reason": note})
        if unshelve:
            client.post(f"{path}/unshelve", {})
        if clear:
            client.post(f"{path}/clear", {})
        found = client.get(path)
        say(line(found))
        for notice in found["notices"]:
            how = moment(notice["sent"]) if notice["sent"] else cell_of(notice["problem"] or "waits")
            say(f"  {cell_of(notice['channel'])}, {notice['what']}: {how}")


def check_one(said: Sequence[str]) -> None:
    """Raise if an alarm is to be put on the shelf, taken off it or taken off the list at once."""
    if len(said) > 1:
        message = f"{' and '.join(said)} contradict each other; expected one of them, so nothing was done"
        raise click.UsageError(message)


def lack(lacking: dict[str, str]) -> str:
    """Return as a line which channel an alarm lacks."""
    called, view, channel = (cell_of(lacking[part]) for part in ("name", "view", "channel"))
    alarm = f"the alarm {called}" if called else "the alarm"
    return f"{alarm} of {view} names the channel {channel}, which is not there; /alarms/channels makes it"


def line(alarm: dict[str, Any]) -> str:
    """Return an alarm as a line."""
    over = alarm.get("until") or alarm.get("cleared")
    row = " ".join(f"{name}={cell_of(value)}" for name, value in alarm["row"].items())
    called = cell_of(alarm["name"] or alarm["view"])
    parts = [f"{alarm['id']}  {moment(alarm['since'])}{f' to {moment(over)}' if over else ''}"]
    parts += [alarm["severity"], called, row]
    if alarm.get("acknowledged_by"):
        note = f": {cell_of(alarm['note'])}" if alarm.get("note") else ""
        parts.append(f"(known to {cell_of(alarm['acknowledged_by'])}{note})")
    if alarm.get("shelved"):
        parts.append(f"(on the shelf until {moment(alarm['shelved']['until'])})")
    return "  ".join(parts)


def minutes(text: str) -> int:
    found = read_duration(text)
    if not found or found < UNITS["MINUTE"]:
        message = f"--shelve is a time from a minute on, such as '1 hour'; found {text!r}"
        raise click.UsageError(message)
    return found // UNITS["MINUTE"]
