"""What cannot be decoded, as a row of ``rejects``: its source, topic, reason and a sample."""

from engine.model.reading import Reading
from engine.model.relation import REJECTS
from ingest.decoding.payload import SAMPLE, one_line
from ingest.log import Record


def reject(record: Record, ordinal: int, reason: str, sample: str | None = None) -> Reading:
    """Return the row; without a sample it is the payload's beginning."""
    shown = record.payload[:SAMPLE].decode("utf-8", "replace") if sample is None else sample[:SAMPLE]
    row = (record.source, record.topic, one_line(reason), one_line(shown))
    return Reading(REJECTS.name, 1, row, record.offset, ordinal, record.received)
