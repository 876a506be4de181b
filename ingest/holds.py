"""Holds: what a kiosk sends its visitor to is kept for them, for five minutes.

    entry of source ``holds``   {"changes": [[1, "holds", {"hold", "turn", …, "state", "until"}], …]}

What is said last of a hold, by its ``turn``, is so: held, moved to another target, arrived, cancelled or
ended. Every word leaves by the stream's window, and with the last one the hold, so nothing has to be written
when a hold runs out, and a restart or a replay has the holds that stood.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from engine.model.clock import SECOND
from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from ingest.log import Entry

SOURCE = "holds"
MINUTES = 5
LASTS = MINUTES * 60 * SECOND
HELD, MOVED = "held", "moved"
ARRIVED, CANCELLED, ENDED = "arrived", "cancelled", "ended"

HOLDS = Relation(
    name="holds",
    kind=RelationKind.STREAM,
    columns=(
        Column("hold", Type.TEXT, nullable=False),
        Column("turn", Type.BIGINT, nullable=False),
        Column("kiosk", Type.TEXT, nullable=False),
        Column("point", Type.TEXT, nullable=False),
        Column("wish", Type.TEXT, nullable=False),
        Column("step_free", Type.BOOLEAN, nullable=False),
        Column("kind", Type.TEXT, nullable=False),
        Column("target", Type.TEXT, nullable=False),
        Column("seconds", Type.BIGINT, nullable=False),
        Column("state", Type.TEXT, nullable=False),
        Column("said", Type.TIMESTAMP, nullable=False),
        Column("until", Type.TIMESTAMP, nullable=False),
    ),
    window=f"RANGE {MINUTES} MINUTES",
    source="log",
)
"""``point`` is where the visitor set out, ``seconds`` how long the way was, ``said`` when this was said."""


def entry_of(words: Iterable[Mapping[str, Any]]) -> Entry:
    """Return the entry that says these things of holds."""
    changes = [[1, HOLDS.name, dict(word)] for word in words]
    return Entry(SOURCE, HOLDS.name, json.dumps({"changes": changes}).encode())
