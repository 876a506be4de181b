"""Polls one page and logs what changed of its rows, as they stand there.

as: table     +1 of a row that is new, −1 of one that went; a changed one is both
as: stream    +1 of a row that is new or changed; without a key, of all at every poll that has an answer

A page that says that nothing changed (304) has the rows that it had. One that cannot be read, or has not the
table that is meant, changes nothing: the last rows stand, and the log has the reason once per content.
Two rows of one key are told, and the last stands.
"""

import json
from collections.abc import Sequence
from typing import Any

from engine.model.clock import Clock
from engine.model.relation import Relation
from engine.model.values import Row, Value
from ingest.diff import NamedRow
from ingest.sources.pages import Page, PageSource
from ingest.wrappers.fetching import NOTHING_KNOWN, Fetched, FetchError, fetch
from ingest.wrappers.keyed import KeyedWrapper, Said, Tables, UnreadableError
from ingest.wrappers.pages.rows import PageError, Raw, rows_of
from ingest.wrappers.patience import Patience

SAMPLE = 200


class PageWrapper(KeyedWrapper):
    """One page of a section."""

    def __init__(self, source: PageSource, page: Page, clock: Clock) -> None:
        super().__init__(page.source, source.poll_seconds, clock)
        self._page_source, self._page = source, page
        self._patience = Patience(source.poll_seconds)
        self._known = NOTHING_KNOWN
        self._rows: dict[Row, NamedRow] = {}
        self._unkeyed: list[Raw] = []
        self._problem: UnreadableError | None = None

    def describe(self) -> tuple[Relation, ...]:
        """Return the one relation."""
        return (self._page_source.relation(),)

    def poll(self) -> Tables:
        """Return the rows of the page."""
        try:
            fetched = fetch(self._page.address, self._known)
        except FetchError as error:
            self._patience.failed(error.retry_after)
            raise
        self._patience.worked()
        if fetched.body is not None:
            self._take(fetched)
        return {self._page_source.relation_name: self._rows} if self._page_source.key else {}

    def pause(self) -> float:
        """Return how long to leave the page alone now."""
        return self._patience.pause

    @property
    def tells_departures(self) -> bool:
        return not self._page_source.is_stream

    def beside(self) -> Said:
        """Return the rows of a page without a key, each time that it was read."""
        read, self._unkeyed = self._unkeyed, []
        return [[1, self._page_source.relation_name, row] for row in read], []

    def unreadable(self) -> UnreadableError | None:
        """Return what is wrong with some of the rows."""
        return self._problem

    def _take(self, fetched: Fetched) -> None:
        """Read the page; what it says of itself counts once it could be read."""
        self._known = NOTHING_KNOWN
        try:
            rows = rows_of(self._page_source, self._page, fetched)
        except PageError as error:
            sample = (fetched.body or b"")[:SAMPLE].decode("utf-8", "replace")
            msg = f"{self._page.name}: {error}; the last rows stay"
            raise UnreadableError(msg, sample) from error
        self._problem = None
        if self._page_source.key:
            self._rows = self._by_key(rows)
        else:
            self._unkeyed = rows
        self._known = fetched.validators

    def _by_key(self, rows: Sequence[Raw]) -> dict[Row, NamedRow]:
        found: dict[Row, NamedRow] = {}
        for row in rows:
            missing = [name for name in self._page_source.key if name not in row]
            key = tuple(part_of_key(row.get(name)) for name in self._page_source.key)
            if missing or key in found:
                what = f"has no {missing[0]}" if missing else f"has the key of another, {key}"
                self._problem = UnreadableError(f"{self._page.name}: a row {what}", json.dumps(row)[:SAMPLE])
            if not missing:
                found[key] = row
        return found


def part_of_key(value: Any) -> Value:
    """Return a value by which a row can be looked up."""
    return value if isinstance(value, str | int | float) else json.dumps(value)
