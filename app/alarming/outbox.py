"""What has yet to be told, and to whom: written with the alarm, sent afterwards, tried until it is through.

due() → notices → sent(id)   |   failed(notice, why): again after 5 s, 10 s, … 5 minutes; given up after a day

It is the channel that rests after a failure: one try stands for all that waits for it.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.alarming.tables import ALARMS, NOTICES
from engine.model.clock import SECOND, Clock
from ingest.log.schema import IMMEDIATE, open_engine

FIRST_SECONDS, LONGEST_SECONDS, GIVEN_UP_SECONDS = 5, 300, 24 * 3600
AT_ONCE = 100


class Outbox:
    """Notices in the database of alarms."""

    def __init__(self, url: str, clock: Clock) -> None:
        self._database, self._clock = open_engine(url), clock

    def close(self) -> None:
        self._database.dispose()

    def due(self) -> Sequence[Any]:
        """Return notices to be sent now, the oldest first; none of a channel that rests."""
        now = self._clock.now()
        rests = sa.select(NOTICES.c.channel).where(NOTICES.c.due > now, NOTICES.c.problem.is_not(None))
        is_due = NOTICES.c.due <= now, NOTICES.c.channel.not_in(rests)
        query = sa.select(NOTICES).where(*is_due).order_by(NOTICES.c.id)
        with self._database.connect() as connection:
            return list(connection.execute(query.limit(AT_ONCE)))

    def sent(self, identity: int) -> None:
        self._set(
            NOTICES.c.id == identity,
            sent=self._clock.now(),
            due=None,
            problem=None,
            tries=NOTICES.c.tries + 1,
        )

    def failed(self, notice: Any, problem: str) -> None:
        """Have all that waits for a notice's channel tried again, each time later; for a day at most."""
        wait = min(FIRST_SECONDS * 2 ** min(notice.tries, 10), LONGEST_SECONDS) * SECOND
        again = self._clock.now() + wait
        due = sa.case((NOTICES.c.made < again - GIVEN_UP_SECONDS * SECOND, None), else_=again)
        self._set(_waits_for(notice.channel), due=due, problem=problem, tries=NOTICES.c.tries + 1)

    def at_once(self, channel: str) -> None:
        """Try what waits for a channel now, since it may be mended."""
        self._set(_waits_for(channel), due=self._clock.now())

    def of(self, alarm: int) -> list[dict[str, Any]]:
        """Return who was told of an alarm, and who was not, and why."""
        query = sa.select(NOTICES).where(NOTICES.c.alarm == alarm).order_by(NOTICES.c.id)
        return self._told(query)

    def troubles(self, most: int = 20) -> list[dict[str, Any]]:
        """Return the last notices that did not get through."""
        wrong = sa.and_(NOTICES.c.problem.is_not(None), NOTICES.c.sent.is_(None))
        return self._told(sa.select(NOTICES).where(wrong).order_by(NOTICES.c.id.desc()).limit(most))

    def _told(self, query: Any) -> list[dict[str, Any]]:
        names = ("alarm", "channel", "what", "made", "due", "tries", "sent", "problem")
        with self._database.connect() as connection:
            return [{name: getattr(row, name) for name in names} for row in connection.execute(query)]

    def alarm(self, identity: int) -> Any:
        with self._database.connect() as connection:
            return connection.execute(sa.select(ALARMS).where(ALARMS.c.id == identity)).first()

    def _set(self, which: sa.ColumnElement[bool], **values: object) -> None:
        with self._database.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            connection.execute(sa.update(NOTICES).where(which).values(**values))


def _waits_for(channel: str) -> sa.ColumnElement[bool]:
    return sa.and_(NOTICES.c.channel == channel, NOTICES.c.due.is_not(None))
