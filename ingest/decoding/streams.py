"""One stream's rows of what a payload says, under one topic.

payload, parsed as the stream's format has it  →  its elements  →  a row of each, or the reason why not

json    the payload, or with ``each`` every element of an array, every member of an object
plain   the payload is the one value
senml   every record of the pack, resolved
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engine.model.clock import SECOND
from engine.model.values import Row
from ingest.decoding.columns import Element, reader_of
from ingest.decoding.measured import measured_of
from ingest.decoding.payload import kind_of, parse, plain
from ingest.decoding.senml import resolved
from ingest.decoding.values import FieldError
from ingest.sources import MqttStream
from ingest.sources.formats import JSON, PLAIN, SENML
from ingest.sources.paths import Origin, Path, follow

MOST_ROWS = 10_000
Parse = Callable[[bytes], Any]
PARSERS: dict[str, Parse] = {JSON: parse, SENML: parse, PLAIN: plain}


class CompiledStream:
    """What the decoders of all topics of one stream share; ``key`` is what pseudonyms are made with."""

    def __init__(self, stream: MqttStream, key: bytes = b"") -> None:
        self.stream, self.hides = stream, any(field.pseudonym for field in stream.fields)
        is_each, is_plain = stream.each is not None, stream.format == PLAIN
        self.readers = [reader_of(field, is_each, is_plain, key) for field in stream.fields]
        self.arrivals = [n for n, field in enumerate(stream.fields) if field.is_arrival]
        sent = [field for field in stream.fields if not field.is_arrival]
        of_payload = [field.path for field in sent if field.path is not None and not is_plain]
        of_element = [path for path in of_payload if path.origin is Origin.ELEMENT or not is_each]
        self.needs_object = any(path.begins_with_a_name for path in of_element)
        self.elements = _elements_of(stream)
        self.check_time = _timely(stream) if stream.event_time is not None else None


class StreamDecoder:
    """Decodes one stream's messages of one topic."""

    def __init__(self, of: CompiledStream, topic: str) -> None:
        levels, stream = topic.split("/"), of.stream
        self.name, self.parse, self.hides = stream.name, PARSERS[stream.format], of.hides
        self.shown_topic = stream.topic.text if self.hides and stream.topic else topic
        self.measured = measured_of(stream, topic)
        self._readers = [reader(levels) for reader in of.readers]
        self._arrivals, self._needs_object = of.arrivals, of.needs_object
        self._elements, self._check_time = of.elements, of.check_time

    def decode(self, payload: bytes, received: int) -> Iterable[Row | FieldError]:
        """Yield a row, or why there is none, of all that a payload says."""
        try:
            found = self.parse(payload)
        except FieldError as error:
            return (error,)
        return self.rows(found, received)

    def rows(self, found: Any, received: int) -> Iterable[Row | FieldError]:
        """Yield a row, or why there is none, of each element of a parsed payload."""
        if self._elements is None:
            return (self._row(found, received),)
        return self._rows(found, received, self._elements)

    def _rows(
        self, found: Any, received: int, elements: Callable[[Any, int], Iterable[Any]]
    ) -> Iterator[Row | FieldError]:
        try:
            for element in elements(found, received):
                yield self._row(element, received)
        except FieldError as error:
            yield error

    def _row(self, found: Any, received: int) -> Row | FieldError:
        try:
            if self._needs_object and type(found) is not dict:
                _check_object(found)
            row = tuple([read(found) for read in self._readers])
            if self._arrivals:
                row = tuple([received if n in self._arrivals else value for n, value in enumerate(row)])
            if self._check_time is not None:
                self._check_time(row, received)
        except FieldError as error:
            return error
        return row


def _check_object(found: Any) -> None:
    value = found.value if type(found) is Element else found
    if type(value) is not dict:
        what = f"element {found.place}" if type(found) is Element else "payload"
        msg = f"{what} is {kind_of(value)}; expected an object"
        raise FieldError(msg)


def _elements_of(stream: MqttStream) -> Callable[[Any, int], Iterable[Any]] | None:
    if stream.format == SENML:
        return resolved
    each = stream.each
    return None if each is None else lambda found, _received: _each(each, found)


def _each(path: Path, payload: Any) -> Iterator[Element]:
    found = follow(payload, path.steps)
    if type(found) not in (list, dict):
        what = "nothing" if found is None else kind_of(found)
        msg = f"at {path.text} the payload has {what}; expected an array or an object of which each is a row"
        raise FieldError(msg)
    if len(found) > MOST_ROWS:
        msg = f"at {path.text} the payload has {len(found)} elements; at most {MOST_ROWS} are decoded"
        raise FieldError(msg)
    places = enumerate(found) if type(found) is list else found.items()
    for place, value in places:
        yield Element(value, place, payload)


def _timely(stream: MqttStream) -> Callable[[Row, int], None]:
    """Return the check that a row says when it happened, and no later than what the skew lets it."""
    position = [field.name for field in stream.fields].index(stream.event_time or "")
    allowed = f"it may lie {stream.skew / SECOND:g} s ahead"

    def check(row: Row, received: int) -> None:
        at = row[position]
        if not isinstance(at, int):
            msg = f"event time {stream.event_time} is NULL; expected when it happened"
            raise FieldError(msg)
        if at > received + stream.skew:
            ahead = (at - received) / SECOND
            msg = f"event time {stream.event_time} lies {ahead} s ahead of its arrival; {allowed}"
            raise FieldError(msg)

    return check
