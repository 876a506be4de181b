"""Alarms: a row that appears in a view raises one, its going ends it, and both are kept.

    standing(view)  =  the alarms of the view without an end  =  its distinct rows

What stands is compared with the view's rows by value, so a start raises nothing twice: a row that was
there before is the same alarm since the same time. A row whose values change is another alarm.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any, NamedTuple

import sqlalchemy as sa

from app import present
from app.facade import Delta, Snapshot
from app.routes import Route
from engine.model.clock import Clock
from engine.model.relation import Column
from engine.model.values import Row
from ingest.log.schema import IMMEDIATE, open_engine

METADATA = sa.MetaData()
ALARMS = sa.Table(
    "alarms",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("view", sa.Text, nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("row", sa.Text, nullable=False),
    sa.Column("since", sa.BigInteger, nullable=False),
    sa.Column("until", sa.BigInteger),
)
KEPT_ENDED = 5_000
PART = 500  # values in one statement

Alarm = dict[str, Any]


class Named(NamedTuple):
    """The alarms of one output: a view may have several, each by its name."""

    view: str
    name: str


class Alarms:
    """The alarms in the state's database, and the sink that keeps them; ``tell`` hears of each change."""

    def __init__(self, url: str, clock: Clock, tell: Callable[[Alarm], None] = lambda _: None) -> None:
        self._database = open_engine(url)
        self._clock, self._tell = clock, tell
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            METADATA.create_all(connection)
            standing = list(connection.execute(sa.select(ALARMS).where(ALARMS.c.until.is_(None))))
        self._standing: dict[Named, dict[str, int]] = {}
        for found in standing:
            self._standing.setdefault(Named(found.view, found.name), {})[found.row] = found.id
        self._columns: dict[Named, tuple[Column, ...]] = {}
        self._counts: dict[Named, Counter[str]] = {}

    def close(self) -> None:
        self._database.dispose()

    # What people are told, from any thread

    def count(self) -> int:
        """Return how many alarms stand."""
        return sum(len(rows) for rows in self._standing.values())

    def listed(self, ended: int) -> list[Alarm]:
        """Return the alarms that stand, the newest first, then the last ``ended`` of those that do not."""
        newest = ALARMS.c.since.desc(), ALARMS.c.id.desc()
        lasting = sa.select(ALARMS).where(ALARMS.c.until.is_(None)).order_by(*newest)
        over = sa.select(ALARMS).where(ALARMS.c.until.is_not(None))
        over = over.order_by(ALARMS.c.until.desc(), ALARMS.c.id.desc()).limit(ended)
        with self._database.connect() as connection:
            return [_told(found) for query in (lasting, over) for found in connection.execute(query)]

    # The sink

    def hold(self, route: Route, state: Snapshot) -> None:
        of = _named(route)
        self._columns[of] = state.columns
        counts = self._counts[of] = _tally(state.columns, state.rows)
        standing = set(self._standing.get(of, ()))
        self._write(of, counts.keys() - standing, standing - counts.keys(), state.at)

    def change(self, route: Route, change: Delta) -> None:
        of = _named(route)
        counts, standing = self._counts[of], self._standing.get(of, {})
        touched = _tally(self._columns[of], change.changes)
        counts.update(touched)
        raised = {key for key in touched if counts[key] > 0 and key not in standing}
        ended = {key for key in touched if counts[key] <= 0 and key in standing}
        for key in [key for key in touched if not counts[key]]:
            del counts[key]
        self._write(of, raised, ended, change.at)

    def end(self, route: Route) -> None:
        self._counts.pop(_named(route), None)
        self._end_all(_named(route))

    def settle(self, routes: set[Route]) -> None:
        for gone in self._standing.keys() - {_named(route) for route in routes}:
            self._end_all(gone)

    def turn(self) -> bool:
        return False

    def _end_all(self, of: Named) -> None:
        self._write(of, set(), set(self._standing.get(of, ())), self._clock.now())

    def _write(self, of: Named, raised: Set[str], ended: Set[str], at: int) -> None:
        """Keep what began and what ended in one transaction, then tell."""
        if not raised and not ended:
            return
        standing = self._standing.get(of, {})
        over = [standing[key] for key in sorted(ended)]
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            identities = {key: _raise(connection, of, key, at) for key in sorted(raised)}
            _end(connection, over, at)
        self._standing[of] = {k: i for k, i in standing.items() if k not in ended} | identities
        for found in self._of([*identities.values(), *over]):
            self._tell(found)

    def _of(self, identities: list[int]) -> list[Alarm]:
        with self._database.connect() as connection:
            return [_told(found) for part in _parts(identities) for found in _read(connection, part)]


def _named(route: Route) -> Named:
    return Named(route.view, route.output.target)


def _raise(connection: sa.Connection, of: Named, row: str, at: int) -> int:
    made = connection.execute(sa.insert(ALARMS).values(**of._asdict(), row=row, since=at))
    (identity,) = made.inserted_primary_key or (0,)
    return int(identity)


def _end(connection: sa.Connection, identities: list[int], at: int) -> None:
    """End alarms, and forget what ended long ago."""
    for part in _parts(identities):
        connection.execute(sa.update(ALARMS).where(ALARMS.c.id.in_(part)).values(until=at))
    newest = sa.select(ALARMS.c.id).where(ALARMS.c.until.is_not(None)).order_by(ALARMS.c.id.desc())
    oldest = connection.execute(newest.offset(KEPT_ENDED).limit(1)).scalar()
    if oldest is not None:
        connection.execute(sa.delete(ALARMS).where(ALARMS.c.until.is_not(None), ALARMS.c.id <= oldest))


def _read(connection: sa.Connection, identities: Sequence[int]) -> "sa.CursorResult[Any]":
    return connection.execute(sa.select(ALARMS).where(ALARMS.c.id.in_(identities)).order_by(ALARMS.c.id))


def _parts(identities: list[int]) -> Iterator[list[int]]:
    return (identities[at : at + PART] for at in range(0, len(identities), PART))


def _tally(columns: Sequence[Column], rows: Iterable[tuple[Row, int]]) -> Counter[str]:
    """Count rows as alarms name them."""
    cells, names = present.row_presenter(columns), [column.name for column in columns]
    found: Counter[str] = Counter()
    for row, count in rows:
        found[json.dumps(dict(zip(names, cells(row), strict=True)), ensure_ascii=False)] += count
    return found


def _told(found: Any) -> Alarm:
    return {
        "id": found.id,
        "view": found.view,
        "name": found.name,
        "row": json.loads(found.row),
        "since": found.since,
        "until": found.until,
    }
