"""The words of JSON Schema that the API's tables use.

record(name=TEXT, optional={"span": SPAN})    has these and nothing else, so a test sees what is not described
body(sql=SQL, optional={…})                   has these; what else is said is not looked at
"""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
NOTHING: Schema = {"type": "null"}
ANYTHING: Schema = {}
FILLED: Schema = {"type": "string", "minLength": 1, "pattern": r"\S"}
MOMENT: Schema = {"type": "integer", "description": "microseconds since 1970, UTC"}
WRITTEN_MOMENT: Schema = {"type": "string", "description": "ISO 8601 in UTC, with microseconds"}
CELL: Schema = {
    "description": "a value; integers beyond ±2⁵³, NaN and infinities are text, a timestamp ISO 8601"
}
ROW: Schema = {"type": "array", "items": CELL}


def part(name: str) -> Schema:
    """Name a schema of the document's own list."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(optional: Mapping[str, Schema] | None = None, **needed: Schema) -> Schema:
    """Return an object of an answer: all of these, some of those, nothing else."""
    return {**_object(needed, optional), "additionalProperties": False}


def body(optional: Mapping[str, Schema] | None = None, **needed: Schema) -> Schema:
    """Return an object of a request."""
    return _object(needed, optional)


def _object(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None) -> Schema:
    found: Schema = {"type": "object", "properties": {**needed, **(optional or {})}}
    return {**found, "required": list(needed)} if needed else found


def named(names: Mapping[str, Schema]) -> Schema:
    """Return an object some of whose names are no words of Python."""
    return record(**names)


def array(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def by_name(of: Schema) -> Schema:
    return {"type": "object", "additionalProperties": of}


def maybe(of: Schema) -> Schema:
    return {"anyOf": [of, NOTHING]}


def either(*of: Schema) -> Schema:
    return {"anyOf": list(of)}


def one_of(*values: object) -> Schema:
    return {"enum": list(values)}


def text(most: int, meaning: str = "") -> Schema:
    found: Schema = {**FILLED, "maxLength": most}
    return {**found, "description": meaning} if meaning else found


def whole(least: int, most: int, default: int | None = None) -> Schema:
    found: Schema = {"type": "integer", "minimum": least, "maximum": most}
    return found if default is None else {**found, "default": default}


GAP: Schema = {"type": "array", "items": MOMENT, "minItems": 2, "maxItems": 2}
COLUMNS: Schema = array(record(name=TEXT, type=TEXT))
