"""A recording: entries of the log as a file that anybody can read, a line of JSON each.

    {"recording": 1, "from": offset, "at": µs}                                           first line
    {"offset", "at": µs, "source", "topic", "text" | "bytes" (base64), "delivery"?}      an entry
    {"end": true, "entries": n}                                                          last line

Without its last line a file was cut off: what is there is read, and that is said. A name that ends in .gz
is compressed. Offsets and stamps are those of the log that was recorded, so that gaps can be seen.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from engine.model.errors import SourceError
from ingest.log import Record

VERSION = 1
GZIP = ".gz"
LATEST = 253_402_300_799_000_000  # the last second of the year 9999
WRONG = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


def write_recording(file: Path, records: Iterable[Record]) -> int:
    """Write entries as they come; return how many."""
    try:
        with _opened(file, "wt") as out:
            return _write(out, records)
    except OSError as error:
        msg = f"cannot write {file}: {error.strerror or error}; expected room for it"
        raise SourceError(msg) from error


def _write(out: IO[str], records: Iterable[Record]) -> int:
    entries = 0
    for record in records:
        if not entries:
            _say(out, {"recording": VERSION, "from": record.offset, "at": record.received})
        _say(out, _line_of(record))
        entries += 1
    if not entries:
        _say(out, {"recording": VERSION})
    _say(out, {"end": True, "entries": entries})
    return entries


def read_recording(file: Path) -> Iterator[Record]:
    """Yield the entries of a file, or raise what is wrong at which line."""
    with _opened(file, "rt") as found:
        number = 0
        try:
            for number, line in enumerate(found, 1):
                said = json.loads(line)
                if number == 1:
                    _check_head(said)
                elif said.get("end"):
                    return
                else:
                    yield _record_of(said)
        except WRONG as error:
            msg = f"{file} line {number} is no line of a recording: {' '.join(str(error).split())[:200]}"
            raise SourceError(msg) from error
        except (OSError, EOFError, zlib.error) as error:
            msg = f"{file} cannot be read after line {number}: {error}"
            raise SourceError(msg) from error
    msg = f"{file} ends after line {number} without its last line: it was cut off"
    raise SourceError(msg)


def _opened(file: Path, mode: str) -> IO[str]:
    try:
        if file.name.endswith(GZIP):
            return gzip.open(file, mode, encoding="utf-8", newline="\n")  # type: ignore[return-value]
        return file.open(mode, encoding="utf-8", newline="\n")
    except OSError as error:
        msg = f"cannot open {file}: {error.strerror}"
        raise SourceError(msg) from error


def _say(out: IO[str], line: dict[str, Any]) -> None:
    out.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")


def _check_head(said: Any) -> None:
    if not isinstance(said, dict) or said.get("recording") != VERSION:
        msg = f'expected {{"recording": {VERSION}, …}}'
        raise ValueError(msg)


def _line_of(record: Record) -> dict[str, Any]:
    offset, received, source, topic, delivery, payload = record
    line: dict[str, Any] = {"offset": offset, "at": received, "source": source, "topic": topic}
    try:
        line["text"] = payload.decode("utf-8")
    except UnicodeDecodeError:
        line["bytes"] = base64.b64encode(payload).decode("ascii")
    return line if delivery is None else {**line, "delivery": delivery}


def _record_of(said: dict[str, Any]) -> Record:
    text = said.get("text")
    if isinstance(text, str):
        payload = text.encode("utf-8")
    else:
        payload = base64.b64decode(said["bytes"], validate=True)
    offset, at, source, topic = int(said["offset"]), int(said["at"]), str(said["source"]), str(said["topic"])
    if not 0 <= at <= LATEST:
        msg = "at is no moment; expected microseconds since 1970"
        raise ValueError(msg)
    (source + topic).encode("utf-8")  # lone surrogates, which JSON can spell, fit no log
    return Record(offset, at, source, topic, said.get("delivery"), payload)
