"""Which chapters the book has, in which order, and for whom each is.

docs/NAME.md  →  /docs/NAME          the HTTP API has no file: `app.openapi` writes it from the routes
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple


class Entry(NamedTuple):
    """A chapter in the contents: the file's name, what lists call it, what one finds there."""

    name: str
    title: str
    about: str


class Group(NamedTuple):
    """Chapters for one kind of reader."""

    title: str
    entries: Sequence[Entry]


API = "api"
GROUPS = (
    Group(
        "Guides",
        (
            Entry("user", "Using the map", "look round, find something, be led there, read alarms"),
            Entry("analyst", "Asking questions", "the console, from a first query to recursion and why"),
            Entry("integrator", "Connecting things", "sensors, databases, calendars, a building, programs"),
            Entry("operator", "Running it", "start, serve, accounts, alarms, backup, what to watch"),
            Entry("hardening", "Keeping it safe", "what is open by default, and a list to go through"),
        ),
    ),
    Group(
        "The languages",
        (
            Entry("streamsql", "StreamSQL", "SQL with windows: all that it has, example by example"),
            Entry("datalog", "Datalog", "rules as Soufflé has them, kept current"),
        ),
    ),
    Group(
        "What can be connected",
        (
            Entry("sensors", "Sensors of your own", "a payload of any making becomes rows and a device"),
            Entry("devices", "Devices", "those that announce themselves: what is understood"),
            Entry("agent", "Machines", "a workstation or server tells how it is"),
            Entry("meters", "Meters and people", "pages of power units, what was consumed, who is where"),
            Entry("databases", "Databases", "tables that are followed or asked on demand"),
            Entry("calendars", "Calendars", "reservations by file or address"),
            Entry("building", "A building of your own", "plans, rooms and ways from GeoJSON"),
        ),
    ),
    Group(
        "What it promises",
        (
            Entry("durability", "Failures", "what each failure does, what is seen of it, what is lost"),
            Entry("web", "Routes and events", "every address, role and message of the web side"),
            Entry(API, "HTTP API", "what a program can ask, with bodies and answers"),
            Entry("shipping", "What maintenance ships", "recursive views over several sites, measured"),
        ),
    ),
)
ORDER = tuple(chain.from_iterable(group.entries for group in GROUPS))
CHAPTERS = {entry.name: entry for entry in ORDER}
FILES = tuple(entry for entry in ORDER if entry.name != API)


def neighbours(name: str) -> tuple[Entry | None, Entry | None]:
    """Return the chapters before and after one."""
    at = ORDER.index(CHAPTERS[name])
    return ORDER[at - 1] if at else None, ORDER[at + 1] if at + 1 < len(ORDER) else None
