"""What a snapshot keeps, and its bytes.

    snapshot  =  (tick, time, offset, state of every leaf, named views)

A start is the newest snapshot plus the tail of the log. The bytes are of plain values
(``engine.model.plain``).
"""

from typing import Any, NamedTuple

from engine.model.errors import InternalError
from engine.model.plain import plain_bytes, plain_value
from engine.plan.aggregates import call_text
from engine.plan.leaves import Leaf, Totalled, Windowed
from engine.plan.windows import Range

FORMAT = 1


class Image(NamedTuple):
    """A session's state at the end of one tick."""

    tick: int
    at: int
    offset: int
    leaves: dict[str, list[Any]]
    views: list[tuple[str, str]]


def to_bytes(image: Image) -> bytes:
    return plain_bytes((FORMAT, *image))


def from_bytes(body: bytes) -> Image:
    """Read an image back; whatever is wrong with its bytes is one kind of error."""
    try:
        found, *parts = plain_value(body)
        image = Image(*parts) if found == FORMAT else None
    except InternalError:
        raise
    except Exception as error:
        message = f"a snapshot cannot be read: {type(error).__name__}: {error}"
        raise InternalError(message) from error
    if image is None:
        message = f"a snapshot of format {found} was found, expected {FORMAT}; `make reset` starts without it"
        raise InternalError(message)
    return image


def leaf_name(leaf: Leaf) -> str:
    """Name a leaf by what it holds, the same in every run."""
    columns = ",".join(f"{column.name} {column.type}" for column in leaf.columns)
    kept = f"KEY {leaf.relation.key}"
    if isinstance(leaf, Windowed | Totalled):
        kept = _window(leaf) if isinstance(leaf, Windowed) else _totals(leaf)
    return f"{leaf.relation.name}({columns}) [{kept}] WHERE {leaf.fragment.where or 'TRUE'}"


def _totals(leaf: Totalled) -> str:
    """Say what decides which totals a window keeps, beside the names of their columns."""
    fragment = leaf.fragment
    calls = ", ".join(map(call_text, fragment.calls))
    return f"{leaf.window} IN {fragment.pane} TOTAL {calls} BY {fragment.groups}"


def _window(leaf: Windowed) -> str:
    """Say what decides which rows a window keeps, the rows being given."""
    relation, window = leaf.relation, leaf.window
    time = f" BY {relation.event_time}" if relation.event_time else ""
    lateness = f" LATENESS {relation.lateness}" if isinstance(window, Range) and window.slide else ""
    sample = f" SAMPLE {leaf.sample} OF {relation.key}" if leaf.sample else ""
    return f"{window}{time}{lateness}{sample}"
