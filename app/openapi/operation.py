"""What is declared of one route: what it does, what it takes, what it answers, how else it may refuse.

The refusals that follow from what a route is are not declared: 401 and 403 of a role, 400 of what is said,
404 of an address with a name in it, 413 of a body.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.openapi.shapes import Schema

JSON, CSV, LINES, PLAIN = "application/json", "text/csv", "application/x-ndjson", "text/plain"


@dataclass(frozen=True)
class Asked:
    """A parameter of the query string; ``many`` may be said several times."""

    name: str
    meaning: str
    schema: Schema
    needed: bool = False
    many: bool = False

    def described(self) -> Schema:
        schema = {"type": "array", "items": self.schema} if self.many else self.schema
        told = {"name": self.name, "in": "query", "description": self.meaning, "schema": schema}
        return {**told, "required": True} if self.needed else told


@dataclass(frozen=True)
class Answer:
    """What comes with a status: JSON of a schema, or other media by their types."""

    meaning: str
    schema: Schema | None = None
    media: Mapping[str, Schema] = field(default_factory=dict)

    def described(self) -> Schema:
        content = {JSON: self.schema} if self.schema is not None else {}
        told = {media: {"schema": schema} for media, schema in {**content, **self.media}.items()}
        return {"description": self.meaning, **({"content": told} if told else {})}


@dataclass(frozen=True)
class Operation:
    """``body`` is of JSON unless ``sends`` names other media; ``refuses`` says why, by status."""

    does: str
    answers: Mapping[int, Answer]
    asks: tuple[Asked, ...] = ()
    body: Schema | None = None
    sends: str = JSON
    refuses: Mapping[int, str] = field(default_factory=dict)


def answers(schema: Schema, meaning: str = "done", status: int = 200) -> Mapping[int, Answer]:
    """Return the one answer that most routes have."""
    return {status: Answer(meaning, schema)}


Operations = Mapping[str, Operation]
