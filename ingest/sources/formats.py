"""How a payload is read: in which format, and whether it is one row or many.

json     what it says, or with ``each`` every element of an array in it
plain    it is the one value
senml    every record of the pack (RFC 8428)
"""

from collections.abc import Sequence
from typing import Any

from engine.model.errors import SourceError, nearest
from ingest.checked_yaml import shown, text
from ingest.sources.columns import Field
from ingest.sources.paths import Origin, Path, path_of

JSON, PLAIN, SENML = FORMATS = ("json", "plain", "senml")


def read_as(found: dict[str, Any], fields: Sequence[Field], where: str) -> tuple[str, Path | None]:
    """Return the payload's format and, if a payload is many rows, where they stand."""
    kind = found.get("format", JSON)
    if kind not in FORMATS:
        there = f"expected {', '.join(FORMATS)}{nearest(str(kind), list(FORMATS))}"
        msg = f"format of {where} is {shown(kind)}; {there}"
        raise SourceError(msg)
    each = path_of(text(found, "each", where), f"each of {where}") if "each" in found else None
    if each is not None and (kind != JSON or each.origin is Origin.PLACE):
        msg = f"{where} is {kind} and has each: {each.text}; expected an array's path in JSON, or no each"
        raise SourceError(msg)
    paths = {field.name: field.path for field in fields if field.path and not field.is_arrival}
    placed = [name for name, path in paths.items() if path.origin is Origin.PLACE]
    if placed and each is None:
        msg = f"column {placed[0]} of {where} has the path #, a place among many; expected each:, their path"
        raise SourceError(msg)
    if kind == PLAIN and len(paths) != 1:
        expected = "expected one column that is no part of the topic"
        msg = f"{where} is plain, so its payload is one value; {expected}, found {', '.join(paths) or 'none'}"
        raise SourceError(msg)
    return kind, each
