"""A trial as lines of text: of each stream what it has, with samples, then what nobody maps."""

from collections.abc import Iterator

from app.cells import cell_of
from app.trying.trial import Sample, StreamTrial, Trial
from engine.model.moments import EPOCH, MICROSECOND
from engine.model.values import Type, Value
from ingest.sources import MqttStream

UNMAPPED = 20
PAYLOAD = 120


def lines_of(trial: Trial) -> Iterator[str]:
    """Yield the lines."""
    for each in trial.streams:
        yield from _of_stream(each)
    if trial.announcements:
        yield f"announced by devices themselves: {trial.announcements} messages"
    if trial.unmapped:
        yield f"not mapped: {len(trial.unmapped)} topics"
        for topic, message in list(trial.unmapped.items())[:UNMAPPED]:
            yield f"  {cell_of(topic)}  {_shown(message.payload)}"
        if len(trial.unmapped) > UNMAPPED:
            yield f"  and {len(trial.unmapped) - UNMAPPED} more"


def _of_stream(each: StreamTrial) -> Iterator[str]:
    stream, pattern = each.stream, each.stream.topic.text if each.stream.topic else ""
    if not each.messages:
        yield f"{stream.name}: nothing came under {pattern}"
        return
    yield f"{stream.name}: {each.row_count} rows and {each.reject_count} rejects of {each.messages} messages"
    for sample in each.rows:
        yield f"  {cell_of(_topic(stream, sample))}  {_row(stream, sample)}"
    for sample in each.rejects.values():
        yield f"  rejected: {cell_of(sample.outcome)}"
        if not _hides(stream):
            yield f"    {cell_of(sample.topic)}  {_shown(sample.payload)}"


def _row(stream: MqttStream, sample: Sample) -> str:
    pairs = zip(stream.fields, sample.outcome, strict=True)
    return "  ".join(f"{each.name}={_value(value, each.type)}" for each, value in pairs)


def _value(value: Value, kind: Type) -> str:
    if kind is Type.TIMESTAMP and isinstance(value, int):
        try:
            return (EPOCH + value * MICROSECOND).isoformat()
        except OverflowError:
            return str(value)
    return cell_of(value)


def _topic(stream: MqttStream, sample: Sample) -> str:
    return stream.topic.text if _hides(stream) and stream.topic else sample.topic


def _hides(stream: MqttStream) -> bool:
    return any(each.pseudonym for each in stream.fields)


def _shown(payload: bytes) -> str:
    text = payload[:PAYLOAD].decode("utf-8", "replace")
    return cell_of(text + (" …" if len(payload) > PAYLOAD else ""))
