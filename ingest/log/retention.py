"""What devices said goes from the log after its stream's own time, where that is shorter than the log's.

    retention: 2 hours   →   of entries of its topics that are older, topic and payload go; the entry stays

So offsets stay dense, times go on, and an entry without a topic decodes to nothing. Never those that a start
from the oldest kept snapshot would read, nor what announces devices. A topic that several streams declare is
kept for the longest that one of them says; where one says nothing, as long as the log.

What a window or a snapshot still holds of a row stays until it leaves there. A message that is delivered
once more after its entry was emptied is taken for a new one.
"""

from collections.abc import Iterable, Sequence
from itertools import takewhile

import sqlalchemy as sa

from engine.model.clock import Clock
from ingest.declarations import in_force, read_declaration
from ingest.discovery.topics import announces
from ingest.history import offset_at
from ingest.log import MQTT_SOURCE, Log
from ingest.log.compact import trim
from ingest.log.schema import IMMEDIATE, LOG, SNAPSHOTS, open_engine
from ingest.sources import MqttStream
from ingest.topics import TopicPattern

SLICE = 5_000
EMPTIED = b"emptied"  # with no payload it would say that a session began
KNOWN_TOPICS = 50_000


class Retention:
    """Goes through a log again and again; remembers how far it came for each length of time."""

    def __init__(self, url: str, streams: Iterable[MqttStream]) -> None:
        self._log, self._engine = Log(url), open_engine(url)
        self._own = tuple(streams)
        self._streams = self._own
        self._declared = 0
        self._done: dict[int, int] = {}
        self._kept: dict[str, int | None] = {}

    def forget(self, clock: Clock) -> int:
        """Take out what is older than it may be; return how many entries were emptied."""
        self._learn()
        last, said = self._log.last().offset, {stream.retention for stream in self._streams}
        return sum(
            self._forget(kept, offset_at(self._log, clock.now() - kept, last))
            for kept in sorted(each for each in said if each is not None)
        )

    def _forget(self, kept: int, until: int) -> int:
        """Empty what is kept for one length of time, in slices, so that no appender waits for long."""
        emptied, after = 0, self._done.get(kept, 0)
        end = min(until, self._needed())
        while after < end:
            found = self._topics(kept, after, end)
            gone = [offset for offset, topic in found if self._kept_for(topic) == kept]
            self._empty(gone)
            emptied += len(gone)
            after = found[-1][0] if len(found) == SLICE else end
            self._done[kept] = after
        return emptied

    def close(self) -> None:
        """Let go of the log."""
        self._log.close()
        self._engine.dispose()

    def _needed(self) -> int:
        """Return up to where no start will read."""
        with self._engine.connect() as connection:
            return connection.execute(sa.select(sa.func.min(SNAPSHOTS.c.offset))).scalar() or 0

    def _topics(self, kept: int, after: int, end: int) -> list[tuple[int, str]]:
        """Return the first messages between two offsets that may be of a stream kept so long."""
        streams = [stream for stream in self._streams if stream.retention == kept]
        patterns = [each for stream in streams for each in (stream.topic, stream.bus) if each is not None]
        alike = [LOG.c.topic.startswith(beginning(pattern), autoescape=True) for pattern in patterns]
        between = (LOG.c.offset > after, LOG.c.offset <= end, LOG.c.source == MQTT_SOURCE, LOG.c.topic != "")
        rows = sa.select(LOG.c.offset, LOG.c.topic).where(*between, sa.or_(*alike))
        with self._engine.connect() as connection:
            return [(o, topic) for o, topic in connection.execute(rows.order_by(LOG.c.offset).limit(SLICE))]

    def _empty(self, offsets: Sequence[int]) -> None:
        if not offsets:
            return
        emptied = sa.update(LOG).where(LOG.c.offset == sa.bindparam("of")).values(topic="", payload=EMPTIED)
        with self._engine.connect().execution_options(**IMMEDIATE) as connection, connection.begin():
            connection.execute(emptied, [{"of": offset} for offset in offsets])

    def _learn(self) -> None:
        """Look at what was declared meanwhile."""
        found = self._log.declared()
        newest = found[-1][0] if found else 0
        if newest == self._declared and self._streams is not self._own:
            return
        current = in_force([read_declaration(*each) for each in found])
        self._streams = (*self._own, *(each.stream for each in current if each.stream is not None))
        self._declared = newest
        self._kept.clear()
        self._done.clear()

    def _kept_for(self, topic: str) -> int | None:
        """Return for how long a topic is kept; None is as long as the log."""
        if len(self._kept) >= KNOWN_TOPICS:
            self._kept.clear()
        if topic not in self._kept:
            self._kept[topic] = self._longest(topic)
        return self._kept[topic]

    def _longest(self, topic: str) -> int | None:
        heard = [s for s in self._streams if any(each and each.matches(topic) for each in (s.topic, s.bus))]
        said = [stream.retention for stream in heard]
        known = [each for each in said if each is not None]
        return max(known) if known and len(known) == len(said) and not announces(topic) else None


def beginning(pattern: TopicPattern) -> str:
    """Return what all topics of a pattern begin with."""
    return "/".join(takewhile(lambda level: level not in ("+", "#"), pattern.filter.split("/")))


def let_go(log: Log, hours: float, clock: Clock, retention: Retention) -> None:
    """Have some of what is too old go, by the log's time and by each stream's own."""
    trim(log, hours, clock)
    retention.forget(clock)
