"""What a site is asked to run."""

from dataclasses import dataclass

from engine.model.relation import Column


@dataclass(frozen=True, slots=True)
class StreamFragment:
    """The rows of a base relation that satisfy ``where``, Spark SQL over the lanes of ``columns``.

    Equal fragments are one: the stream site runs each once per tick.
    """

    relation: str
    columns: tuple[Column, ...]
    where: str | None = None
