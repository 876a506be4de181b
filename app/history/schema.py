"""The tables of the past; each begins with ``history_``, since a database may have others.

    views      a view since it was marked, with its columns and key; a view whose shape changed is another one
    series     its keys, numbered
    segment    a stretch of a view: the keyframe, that is all rows at its start; its end, once it is sealed
    tail       the turns of the segment that is open, as they were flushed
    chunk      of a sealed segment and one series: its turns, and their minutes where these are fewer by far
    hours      of a series, by the hour
    gap        when nothing was recorded
    head       how far the log is told: the tables have everything up to this offset,
               and nothing after it

A read is by segment, or by series within some segments: both are places in a primary key, and every write
appends at its end. Retention takes whole segments off the other end.
"""

import sqlalchemy as sa

METADATA = sa.MetaData()
SMALL = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _of_view(*others: sa.Column[int]) -> list[sa.Column[int]]:
    return [sa.Column("view", sa.Integer, primary_key=True, autoincrement=False), *others]


def _key(name: str) -> sa.Column[int]:
    return sa.Column(name, SMALL, primary_key=True, autoincrement=False)


def _table(name: str, *columns: sa.Column[int] | sa.Column[bytes] | sa.Column[str]) -> sa.Table:
    return sa.Table(f"history_{name}", METADATA, *columns, sqlite_with_rowid=False)


RECORDED = sa.Table(
    "history_views",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("name", sa.Text, nullable=False, index=True),
    sa.Column("columns", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("kept", sa.BigInteger, nullable=False),
    sa.Column("hours", sa.BigInteger, nullable=False),
)
SERIES = _table("series", *_of_view(_key("series")), sa.Column("key", sa.Text, nullable=False))
SEGMENT = _table(
    "segment",
    *_of_view(_key("segment")),
    sa.Column("start", sa.BigInteger, nullable=False),
    sa.Column("end", sa.BigInteger),
    sa.Column("keyframe", sa.LargeBinary, nullable=False),
)
TAIL = _table("tail", *_of_view(_key("nth")), sa.Column("body", sa.LargeBinary, nullable=False))
CHUNK = _table(
    "chunk",
    *_of_view(_key("segment"), _key("series")),
    sa.Column("turns", sa.Integer, nullable=False),
    sa.Column("minutes", sa.LargeBinary),
    sa.Column("body", sa.LargeBinary, nullable=False),
)
HOURS = _table(
    "hours", *_of_view(_key("hour"), _key("series")), sa.Column("body", sa.LargeBinary, nullable=False)
)
GAP = _table("gap", *_of_view(_key("start")), sa.Column("end", sa.BigInteger))
HEAD = sa.Table(
    "history_head",
    METADATA,
    sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("offset", sa.BigInteger, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)
