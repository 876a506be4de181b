"""The contract every source meets.

    describe   the relations its entries decode to
    open       begin to submit what it receives to the log's writer, from threads of its own
    close      stop; what was submitted is still written
    health     what people are told

A wrapper only appends what it received: what a payload means is decided where the log is read.
It never raises because the outside misbehaves: it says so in its health and tries again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from engine.model.relation import Relation
from ingest.log import Log
from ingest.log.writer import LogWriter


class SourceState(StrEnum):
    """What a source is doing."""

    STARTING = "starting"
    LIVE = "live"
    FAILING = "failing"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """What a source says of itself.

    ``received`` is when it last gave something, by the log's clock. ``accepted`` counts entries
    submitted, ``duplicates`` redeliveries dropped, ``rejected`` what could not even be taken apart
    (payloads are judged where the log is read: relation ``rejects``). ``lag`` is how many seconds
    the last thing received took to be committed, or how long ago the last poll succeeded. ``rows`` are
    those of tables that are asked on demand. ``unasked`` counts what came that nobody asks for; the newest
    of each topic is ``held`` in case somebody does, ``overflowed`` are those for which there was no room.
    ``repeated`` counts what the log had already: copies of retained messages, numbers that came before.
    ``losses`` are the messages of each stream, by cause, that are not in the log; ``pressure`` is from 0, all
    is logged, to 2.
    """

    state: SourceState = SourceState.STARTING
    problem: str = ""
    received: int | None = None
    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    lag: float = 0.0
    rows: Mapping[str, int] = field(default_factory=dict)
    unasked: int = 0
    held: int = 0
    overflowed: int = 0
    repeated: int = 0
    losses: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    pressure: int = 0


class Wrapper(Protocol):
    """A source of the log."""

    @property
    def source(self) -> str:
        """What the log calls it: mqtt, db:<name>, calendar:<name>."""

    def describe(self) -> tuple[Relation, ...]:
        """Return the relations its entries decode to."""

    def open(self, writer: LogWriter, log: Log) -> None:
        """Begin to submit."""

    def close(self) -> None:
        """Stop submitting."""

    def health(self) -> SourceHealth:
        """Return what people are told."""
