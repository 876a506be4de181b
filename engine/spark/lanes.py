"""Readings as an Arrow batch in typed lanes, and back.

    offset  ordinal  at  relation  sign  longs[]  doubles[]  texts[]

Every batch ends with a marker, a row of relation ``''``: its offset and stamp are the end of what was
read, its one long the start. So a tick knows where it lies and its time when no row of it is wanted,
and a tick that does not follow the last one shows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from engine.model.errors import InternalError
from engine.model.lanes import Lanes, to_lanes
from engine.model.reading import Batch
from engine.model.relation import Relation
from engine.model.values import Row

SCHEMA = (
    "offset BIGINT, ordinal INT, at BIGINT, relation STRING, sign INT, "
    "longs ARRAY<BIGINT>, doubles ARRAY<DOUBLE>, texts ARRAY<STRING>"
)
MARKER = ""

_ARROW = pa.schema(
    [
        ("offset", pa.int64()),
        ("ordinal", pa.int32()),
        ("at", pa.int64()),
        ("relation", pa.string()),
        ("sign", pa.int32()),
        ("longs", pa.list_(pa.field("element", pa.int64()))),
        ("doubles", pa.list_(pa.field("element", pa.float64()))),
        ("texts", pa.list_(pa.field("element", pa.string()))),
    ]
)

Layout = Mapping[str, Callable[[Row], Lanes]]


def layout(relations: Iterable[Relation]) -> Layout:
    """Return how the rows of each relation are laid out."""
    return {relation.name: to_lanes(relation.columns) for relation in relations}


def to_arrow(start: int, batch: Batch, rows: Layout) -> pa.RecordBatch:
    """Lay out the batch that follows ``start``, its marker last."""
    readings = batch.readings
    if batch.declared:
        rows = {**rows, **layout(batch.declared)}
    lanes = [_lay(rows, reading.relation, reading.row) for reading in readings]
    lanes.append(Lanes([start], [], []))
    longs, doubles, texts = zip(*lanes, strict=True)
    columns: list[Sequence[Any]] = [
        [*(reading.offset for reading in readings), batch.end],
        [*(reading.ordinal for reading in readings), 0],
        [*(reading.at for reading in readings), batch.at],
        [*(reading.relation for reading in readings), MARKER],
        [*(reading.sign for reading in readings), 0],
        longs,
        doubles,
        texts,
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _ARROW, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_ARROW)


def _lay(rows: Layout, relation: str, row: Row) -> Lanes:
    try:
        return rows[relation](row)
    except KeyError:
        message = f"the log's reader decoded a row of {relation}, which is not a relation of the catalog"
        raise InternalError(message) from None
