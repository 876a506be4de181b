"""The bytes of a calendar: of a file, at each poll; of a URL, when it is due, and only if they changed.

A URL is due ``fetch_seconds`` after it was asked; after a failure later and later, and not before the server
wants to be asked again.
"""

import base64
import json
import zlib
from typing import NamedTuple, Self

from engine.model.clock import SECOND, Clock
from engine.model.errors import SourceError
from ingest.sources import CalendarSource
from ingest.wrappers.fetching import Address, FetchError, Validators, fetch
from ingest.wrappers.patience import Patience

MOST_BYTES = 20_000_000


class Content(NamedTuple):
    """What was read last, and what the server calls it."""

    body: bytes
    validators: Validators = Validators()

    def to_text(self) -> str:
        packed = base64.b64encode(zlib.compress(self.body)).decode()
        return json.dumps(
            {"body": packed, "etag": self.validators.etag, "modified": self.validators.modified}
        )

    @classmethod
    def of_text(cls, text: str) -> Self:
        found = json.loads(text)
        body = zlib.decompress(base64.b64decode(found["body"]))
        return cls(body, Validators(found["etag"], found["modified"]))


class ContentReader:
    """Reads one calendar."""

    def __init__(self, calendar: CalendarSource, clock: Clock) -> None:
        self._calendar, self._clock = calendar, clock
        self._patience = Patience(calendar.fetch_seconds)
        self._due: int | None = None
        self._last: Content | None = None
        self._failure: FetchError | None = None

    def knows(self, content: Content) -> None:
        """Ask for what changed since this."""
        self._last = content

    def read(self) -> Content:
        """Return the content as of now, or of the last time it was due; raise what came of that instead."""
        address = self._calendar.address
        if address is None:
            return self._of_file()
        now = self._clock.now()
        if self._due is None or now >= self._due:
            self._ask(address)
            self._due = now + int(self._patience.pause * SECOND)
        if self._failure is not None or self._last is None:
            raise FetchError(self._failure.message if self._failure else f"{address.origin} sent nothing")
        return self._last

    def _ask(self, address: Address) -> None:
        known = Validators() if self._last is None else self._last.validators
        try:
            found = fetch(address, known)
        except FetchError as error:
            self._patience.failed(error.retry_after)
            self._failure = error
            return
        self._patience.worked()
        self._failure = None
        if found.body is not None:
            self._last = Content(found.body, found.validators)

    def _of_file(self) -> Content:
        file = self._calendar.file
        try:
            if file is None or file.stat().st_size > MOST_BYTES:
                msg = f"{file} has more than {MOST_BYTES} bytes; expected a smaller .ics file"
                raise SourceError(msg)
            return Content(file.read_bytes())
        except OSError as error:
            msg = f"cannot read {file}: {error.strerror}; expected an .ics file"
            raise SourceError(msg) from error
