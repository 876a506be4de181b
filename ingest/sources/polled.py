"""Databases: tables that are polled, or asked on demand.

tables:          polled whole, whoever reads them; once at each start where poll_seconds is 0
static:          read at each start, and when the database says that something changed
on_demand:       asked for what queries need of them, as long as they need it
change_column:   grows with each change of a row of a polled table: a poll may read what changed alone
full_every:      every how-manieth poll reads everything nevertheless
notify:          the channel on which a database says that something changed
statement_seconds:   how long the database may take over one statement
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from engine.model.errors import SourceError, nearest
from engine.model.relation import DATABASE_SITE
from ingest.checked_yaml import mapping, names, seconds, shown, text

POLL_SECONDS = 2.0
FULL_EVERY, SELDOMEST = 30, 100_000
STATEMENT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class DatabaseSource:
    """Tables of a database: polled, read once, or asked on demand.

    ``change_columns`` are pairs of table and column. Without tables to poll and with none on demand,
    ``poll_seconds`` is how soon a start that failed is tried again. What is read ``in_ranges`` is polled as
    other tables are, beside Spark's executors where it has shares (``ingest.wrappers.database.ranges``).
    """

    name: str
    url: str
    tables: tuple[str, ...]
    poll_seconds: float = POLL_SECONDS
    on_demand: tuple[str, ...] = ()
    change_columns: tuple[tuple[str, str], ...] = ()
    notify: str | None = None
    full_every: int = FULL_EVERY
    statement_seconds: float = STATEMENT_SECONDS
    static: tuple[str, ...] = ()
    in_ranges: tuple[str, ...] = ()
    is_apart: bool = False
    """Whether somebody else reads what is in ranges, and tells the log of it."""

    @property
    def source(self) -> str:
        """Its name in the log."""
        return f"db:{self.name}"

    @property
    def site(self) -> str:
        """Where the relations are held that are asked on demand."""
        return f"{DATABASE_SITE}:{self.name}"

    @property
    def all_tables(self) -> tuple[str, ...]:
        return (*self.tables, *self.static, *self.in_ranges, *self.on_demand)


def database_of(name: str, spec: object) -> DatabaseSource:
    """Return what a section under ``databases`` declares."""
    where = f"database {name}"
    keys = {"url", "poll_seconds", "tables", "static", "on_demand", "in_ranges", "change_column", "notify"}
    keys |= {"full_every", "statement_seconds"}
    found = mapping(spec, where, keys)
    lists = {key: names(found, key, where) for key in ("tables", "static", "on_demand", "in_ranges")}
    _check_apart(lists, where)
    poll = poll_seconds_of(found, where)
    is_once = not poll
    if is_once:
        _check_once(lists, found, where)
        lists |= {"tables": (), "static": (*lists["tables"], *lists["static"])}
    return DatabaseSource(
        name,
        text(found, "url", where),
        lists["tables"],
        poll or POLL_SECONDS,
        lists["on_demand"],
        _change_columns(found, lists["tables"], where),
        text(found, "notify", where) if "notify" in found else None,
        _full_every(found, where),
        seconds(found, where, STATEMENT_SECONDS, "statement_seconds"),
        lists["static"],
        lists["in_ranges"],
    )


def poll_seconds_of(found: dict[str, Any], where: str) -> float:
    """Return how often is polled; 0 is once."""
    said = found.get("poll_seconds")
    is_once = said == 0 and not isinstance(said, bool)
    return 0.0 if is_once else seconds(found, where, POLL_SECONDS)


def _check_apart(lists: Mapping[str, tuple[str, ...]], where: str) -> None:
    """Refuse a table that is declared twice."""
    for key, tables in lists.items():
        for table in tables:
            if tables.count(table) > 1:
                msg = f"{where} has {table} twice in {key}; take it out once"
                raise SourceError(msg)
    for (one, left), (other, right) in combinations(lists.items(), 2):
        for table in left:
            if table in right:
                msg = f"{where} has {table} both in {one} and in {other}; take it out of one of them"
                raise SourceError(msg)


def _check_once(lists: Mapping[str, tuple[str, ...]], found: Mapping[str, Any], where: str) -> None:
    """Refuse what a database that is read once cannot do."""
    asked = "which is asked again and again"
    for key, is_there, there in (
        ("on_demand", bool(lists["on_demand"]), asked),
        ("in_ranges", bool(lists["in_ranges"]), asked),
        ("change_column", "change_column" in found, "which polls are for"),
    ):
        if is_there:
            msg = f"poll_seconds of {where} is 0, and it has {key}, {there}; say static: [tables] instead"
            raise SourceError(msg)


def _change_columns(
    found: Mapping[str, Any], tables: tuple[str, ...], where: str
) -> tuple[tuple[str, str], ...]:
    given = mapping(found.get("change_column") or {}, f"change_column of {where}")
    for table in given:
        if table not in tables:
            there = f"there are {', '.join(tables) or 'none'}{nearest(table, list(tables))}"
            msg = f"change_column of {where} names {table}, which is not polled; of tables {there}"
            raise SourceError(msg)
    return tuple((table, text(given, table, f"change_column of {where}")) for table in given)


def _full_every(found: Mapping[str, Any], where: str) -> int:
    polls = found.get("full_every", FULL_EVERY)
    if isinstance(polls, bool) or not isinstance(polls, int) or not 1 <= polls <= SELDOMEST:
        msg = f"full_every of {where} is {shown(polls)}; expected a number of polls, from 1 to {SELDOMEST}"
        raise SourceError(msg)
    return polls
