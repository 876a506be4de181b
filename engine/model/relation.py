"""Relations: what a query can name after FROM.

A *stream* only grows, its rows leave by a window. A *table* is a relation that changes seldom:
its rows are inserted and deleted, and a keyed one replaces by key.

A row of a stream has two times. It was *received* when the log stamped it; it *happened* at the time
that its ``event_time`` column says, where the stream declares one, else when it was received.
Durations are in microseconds.
"""

from dataclasses import dataclass
from enum import StrEnum

from engine.model.clock import SECOND
from engine.model.values import Type

DEFAULT_SKEW = 60 * SECOND
STREAM_SITE, SENSOR_SITE, DATABASE_SITE = "stream", "sensor", "database"


@dataclass(frozen=True, slots=True)
class Column:
    """A named, typed place in a row."""

    name: str
    type: Type
    nullable: bool = True


class RelationKind(StrEnum):
    """How rows of a relation leave it."""

    STREAM = "stream"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Relation:
    """A base relation; ``window`` is what a stream gets when a query names none.

    ``skew`` is how far after its arrival a row may claim to have happened, ``lateness`` how long the
    panes of a sliding window stay open for rows on their way, ``device`` the type of what feeds it.
    ``site`` is where its rows are held: at the stream site, where all of them come by themselves; at the
    gateways (``sensor``); or in a database that is asked (``database:NAME``). ``gateways`` hand them on:
    the one gateway that it names, every one for +, nobody where it is empty.
    """

    name: str
    kind: RelationKind
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    window: str | None = None
    source: str = ""
    event_time: str | None = None
    skew: int = DEFAULT_SKEW
    lateness: int = 0
    device: str | None = None
    site: str = STREAM_SITE
    gateways: str = ""

    @property
    def comes_by_itself(self) -> bool:
        """Tell whether all its rows reach the log; those of another site come as a query asks for them."""
        return self.site == STREAM_SITE

    @property
    def fed_by(self) -> str:
        """What feeds it, as people call it; the log also tells apart what had one name in turn: db:t@17."""
        if self.site == SENSOR_SITE:
            return "gateways"
        return self.source.partition("@")[0]

    @property
    def key_positions(self) -> tuple[int, ...]:
        names = [column.name for column in self.columns]
        return tuple(names.index(name) for name in self.key)

    @property
    def time_position(self) -> int | None:
        """Where a row says when it happened."""
        names = [column.name for column in self.columns]
        return None if self.event_time is None else names.index(self.event_time)


REJECTS = Relation(
    name="rejects",
    kind=RelationKind.STREAM,
    columns=tuple(Column(name, Type.TEXT) for name in ("source", "topic", "reason", "sample")),
    window="RANGE 10 MINUTES",
    source="log",
)

LOSSES = Relation(
    name="losses",
    kind=RelationKind.STREAM,
    columns=(
        Column("stream", Type.TEXT, nullable=False),
        Column("cause", Type.TEXT, nullable=False),
        Column("messages", Type.BIGINT, nullable=False),
        Column("total", Type.BIGINT, nullable=False),
        Column("since", Type.TIMESTAMP, nullable=False),
        Column("until", Type.TIMESTAMP, nullable=False),
    ),
    key=("stream", "cause"),
    window="PARTITION BY stream, cause ROWS 1",
    source="log",
)
"""What of a stream never came, or was left out under pressure: of each cause its newest count."""

SITES = Relation(
    name="sites",
    kind=RelationKind.TABLE,
    columns=(
        Column("site", Type.TEXT, nullable=False),
        Column("state", Type.TEXT, nullable=False),
        Column("since", Type.TIMESTAMP),
        Column("problem", Type.TEXT),
    ),
    key=("site",),
    source="log",
)
"""What else computes: each gateway, and each database, as it last said of itself or was found."""
UP, GONE, REMOVED, FAILING = "up", "gone", "removed", "failing"
