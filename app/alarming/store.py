"""Alarms on the disk: what stands, what ended, who knows, what is shelved, who has yet to be told."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.alarming.life import Turn
from app.alarming.rule import Rule
from app.alarming.tables import ALARMS, NOTICES, SHELVES, make
from engine.model.clock import Clock
from engine.model.errors import QueryError
from ingest.log.schema import IMMEDIATE, open_engine

KEPT_ENDED = 5_000
PART = 500  # values in one statement
LAST = 2**63 - 1  # that a database has as a number
RAISED, ENDED, ESCALATED = "raised", "ended", "escalated"

Alarm = dict[str, Any]


class Named(NamedTuple):
    """The alarms of one output: a view may have several, each by its name."""

    view: str
    name: str


class Written(NamedTuple):
    """What a turn of alarms is to keep: rows by key of what is raised or changed, and what ends."""

    raised: Mapping[str, tuple[str, Turn]] = {}
    ended: Sequence[Turn] = ()
    changed: Mapping[str, str] = {}


class AlarmStore:
    """Thread-safe, by the database."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._database, self._clock = open_engine(url), clock
        with self._writing() as connection:
            make(connection)

    def close(self) -> None:
        self._database.dispose()

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            yield connection

    # What stands, and what was

    def standing(self) -> dict[Named, dict[str, tuple[int, int]]]:
        """Return by key the number of each alarm whose row is there, and since when."""
        found: dict[Named, dict[str, tuple[int, int]]] = {}
        with self._database.connect() as connection:
            for row in connection.execute(sa.select(ALARMS).where(ALARMS.c.until.is_(None))):
                found.setdefault(Named(row.view, row.name), {})[row.key or row.row] = (row.id, row.since)
        return found

    def listed(self, ended: int) -> list[Alarm]:
        """Return the alarms that stand, the newest first, then the last ``ended`` of those that do not."""
        newest = ALARMS.c.since.desc(), ALARMS.c.id.desc()
        stands = sa.and_(ALARMS.c.until.is_(None), ALARMS.c.cleared.is_(None))
        over = sa.func.coalesce(ALARMS.c.cleared, ALARMS.c.until)
        queries = (
            sa.select(ALARMS).where(stands).order_by(*newest),
            sa.select(ALARMS).where(sa.not_(stands)).order_by(over.desc(), ALARMS.c.id.desc()).limit(ended),
        )
        with self._database.connect() as connection:
            shelved = self._shelved(connection)
            return [told(row, shelved) for query in queries for row in connection.execute(query)]

    def of(self, identities: Iterable[int]) -> list[Alarm]:
        with self._database.connect() as connection:
            shelved = self._shelved(connection)
            return [
                told(row, shelved)
                for part in _parts(list(identities))
                for row in connection.execute(
                    sa.select(ALARMS).where(ALARMS.c.id.in_(part)).order_by(ALARMS.c.id)
                )
            ]

    def why(self, identity: int) -> Any:
        """Return why the row of an alarm was there when it was raised."""
        with self._database.connect() as connection:
            found = _known(connection, identity)
        return json.loads(found.why) if found.why else None

    # What alarms do

    def write(self, of: Named, rule: Rule, held: Mapping[str, int], turn: Written) -> dict[str, int]:
        """Keep what began, changed and ended in one transaction; return the numbers of what began."""
        with self._writing() as connection:
            made = {key: self._raise(connection, of, rule, key, *row) for key, row in turn.raised.items()}
            for key, row in turn.changed.items():
                connection.execute(sa.update(ALARMS).where(ALARMS.c.id == held[key]).values(row=row))
            for ended in turn.ended:
                if (identity := held.get(ended.key)) is not None:
                    self._end(connection, rule, identity, ended.at)
            _forget(connection)
        return made

    def keep_why(self, identity: int, why: Any) -> None:
        with self._writing() as connection:
            said = json.dumps(why, ensure_ascii=False)
            connection.execute(sa.update(ALARMS).where(ALARMS.c.id == identity).values(why=said))

    def attend(self, of: Named, rule: Rule, now: int) -> list[int]:
        """Tell of what came off a shelf, and escalate what nobody acknowledged; return what was escalated."""
        a = ALARMS.c
        stands = a.view == of.view, a.name == of.name, a.until.is_(None), a.cleared.is_(None)
        late = []
        with self._writing() as connection:
            shelved = self._shelved(connection)
            unknown = sa.select(ALARMS).where(*stands, a.acknowledged.is_(None))
            for row in list(connection.execute(unknown)):
                if _shelf_of(row, shelved):
                    continue
                if rule.notify and not _has_notices(connection, row.id):
                    self._notify(connection, row.id, rule.notify, RAISED)
                if rule.escalate and row.escalated is None and row.since <= now - rule.escalate:
                    connection.execute(sa.update(ALARMS).where(a.id == row.id).values(escalated=now))
                    self._notify(connection, row.id, rule.escalate_to, ESCALATED)
                    late.append(row.id)
        return late

    def _raise(self, connection: sa.Connection, of: Named, rule: Rule, key: str, row: str, turn: Turn) -> int:
        values = {"row": row, "key": key, "since": turn.at, "severity": rule.severity, "flaps": turn.flaps}
        made = connection.execute(sa.insert(ALARMS).values(**of._asdict(), **values))
        (identity,) = made.inserted_primary_key or (0,)
        fresh = connection.execute(sa.select(ALARMS).where(ALARMS.c.id == identity)).one()
        if not _shelf_of(fresh, self._shelved(connection)):
            self._notify(connection, int(identity), rule.notify, RAISED)
        return int(identity)

    def _end(self, connection: sa.Connection, rule: Rule, identity: int, at: int) -> None:
        """End an alarm; who was told that it began is told that it ended."""
        connection.execute(sa.update(ALARMS).where(ALARMS.c.id == identity).values(until=at))
        begun = sa.select(NOTICES.c.channel).distinct().where(NOTICES.c.alarm == identity)
        self._notify(connection, identity, [row.channel for row in connection.execute(begun)], ENDED)

    def _notify(self, connection: sa.Connection, identity: int, channels: Iterable[str], what: str) -> None:
        now = self._clock.now()
        for channel in channels:
            values = {"alarm": identity, "channel": channel, "what": what, "made": now, "due": now}
            connection.execute(sa.insert(NOTICES).values(**values))

    # What people do

    def acknowledge(self, identity: int, by: str, note: str = "") -> Alarm:
        """Say that somebody knows of an alarm; the first who says so stays, a note may be written later."""
        with self._writing() as connection:
            row = _known(connection, identity)
            values: dict[str, Any] = {"note": note} if note else {}
            if row.acknowledged is None:
                values |= {"acknowledged": self._clock.now(), "acknowledged_by": by}
            if values:
                connection.execute(sa.update(ALARMS).where(ALARMS.c.id == identity).values(**values))
        return self.of([identity])[0]

    def clear(self, identity: int, by: str) -> Alarm:
        """Take an alarm off the list although its row is there; it is raised again when that came anew."""
        with self._writing() as connection:
            row = _known(connection, identity)
            if row.until is not None or row.cleared is not None:
                message = f"alarm {identity} does not stand any more"
                raise QueryError(message)
            values = {"cleared": self._clock.now(), "cleared_by": by}
            connection.execute(sa.update(ALARMS).where(ALARMS.c.id == identity).values(**values))
        return self.of([identity])[0]

    def shelve(self, identity: int, whole: bool, until: int, by: str, reason: str) -> None:
        """Tell nothing of an alarm, or of all of its name, until then."""
        with self._writing() as connection:
            row = _known(connection, identity)
            key = None if whole else row.key or row.row
            values = {"view": row.view, "name": row.name, "key": key, "until": until, "by": by}
            connection.execute(sa.insert(SHELVES).values(**values, reason=reason))

    def unshelve(self, identity: int) -> None:
        with self._writing() as connection:
            row = _known(connection, identity)
            for shelf in self._shelved(connection):
                if _fits(shelf, row):
                    connection.execute(sa.delete(SHELVES).where(SHELVES.c.id == shelf.id))

    def _shelved(self, connection: sa.Connection) -> list[Any]:
        return list(connection.execute(sa.select(SHELVES).where(SHELVES.c.until > self._clock.now())))


def told(row: Any, shelved: Sequence[Any]) -> Alarm:
    """Return an alarm as people are told of it."""
    shelf = _shelf_of(row, shelved)
    named = ("id", "view", "name", "since", "until", "severity", "flaps", "acknowledged",
             "acknowledged_by", "note", "cleared", "cleared_by", "escalated")  # fmt: skip
    found = {name: getattr(row, name) for name in named}
    on_shelf = {"until": shelf.until, "by": shelf.by, "reason": shelf.reason} if shelf else None
    return {**found, "row": json.loads(row.row), "shelved": on_shelf, "has_why": row.why is not None}


def unknown(identity: int) -> QueryError:
    return QueryError(f"there is no alarm {identity}; /alarms lists those that are known")


def _known(connection: sa.Connection, identity: int) -> Any:
    query = sa.select(ALARMS).where(ALARMS.c.id == identity)
    row = connection.execute(query).first() if identity <= LAST else None
    if row is None:
        raise unknown(identity)
    return row


def _shelf_of(row: Any, shelved: Sequence[Any]) -> Any:
    return next((shelf for shelf in shelved if _fits(shelf, row)), None)


def _fits(shelf: Any, row: Any) -> bool:
    is_named = (shelf.view, shelf.name) == (row.view, row.name)
    return is_named and (shelf.key is None or shelf.key == (row.key or row.row))


def _has_notices(connection: sa.Connection, identity: int) -> bool:
    return connection.execute(sa.select(NOTICES.c.id).where(NOTICES.c.alarm == identity)).first() is not None


def _forget(connection: sa.Connection) -> None:
    """Forget what ended long ago."""
    newest = sa.select(ALARMS.c.id).where(ALARMS.c.until.is_not(None)).order_by(ALARMS.c.id.desc())
    oldest = connection.execute(newest.offset(KEPT_ENDED).limit(1)).scalar()
    if oldest is not None:
        connection.execute(sa.delete(ALARMS).where(ALARMS.c.until.is_not(None), ALARMS.c.id <= oldest))
        connection.execute(sa.delete(NOTICES).where(NOTICES.c.alarm <= oldest, NOTICES.c.due.is_(None)))


def _parts(identities: list[int]) -> Iterator[list[int]]:
    return (identities[at : at + PART] for at in range(0, len(identities), PART))
