"""A log entry becomes readings; what cannot be decoded becomes a row of ``rejects``, never an error.

    mqtt        what devices say: of declared streams (``messages``), of what they announced (``discovered``);
                what gateways say (``gateway_words``)
    registry    what people say of devices (``discovered``)
    db:, calendar:, page:   the changes of keyed rows, and what could not be read (``keyed``)
    written     the same, of rows that people write; sites: of gateways that come and go; losses: of counts;
                holds: of what is kept for visitors
    clock, declared   nothing: they only move time, and say what there is

Strict in kind: a number is no text, true is no number, NaN is nothing; only an integer may stand
for a double.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import structlog

from engine.model.itself import ITSELF
from engine.model.reading import Reading
from engine.model.relation import LOSSES, SITES, Relation
from ingest.decoding.discovered import Discovered
from ingest.decoding.gateway_words import fragment_named, gateway_named, signed_rows, site_row
from ingest.decoding.keyed import Changes
from ingest.decoding.messages import Messages
from ingest.decoding.pages import PageRows
from ingest.decoding.payload import parse
from ingest.decoding.rejects import reject
from ingest.decoding.values import FieldError
from ingest.discovery.registry import REGISTRY_SOURCE, Registry
from ingest.discovery.relations import DEVICE_STATES
from ingest.discovery.topics import announces
from ingest.holds import HOLDS
from ingest.log import CLOCK_SOURCE, DECLARED_SOURCE, Record
from ingest.sources import RESERVED, Sources

LOGGER = structlog.get_logger()
BUILT_IN = (SITES, LOSSES, *ITSELF, DEVICE_STATES, HOLDS)


class Decoder:
    """Decodes entries of one building's sources; ``declared`` are the names of all that ever was."""

    def __init__(
        self,
        sources: Sources,
        tables: Iterable[Relation] = (),
        declared: Mapping[str, int] = MappingProxyType({}),
        registry: Registry | None = None,
    ) -> None:
        known = (*tables, *sources.calendar_relations(), *BUILT_IN)
        self._tables = {relation.name: relation for relation in known}
        self._discovered = Discovered(registry or Registry())
        self._messages = Messages(sources.streams, sources.pseudonym_key, self._discovered.registry)
        pages = [PageRows(page, sources.pseudonym_key) for page in sources.pages]
        self._changes = Changes(known, declared, pages, self._discovered.registry)
        self._declared = declared

    def decode(self, record: Record) -> list[Reading]:
        """Return the readings of one entry; one that we fail at costs itself alone."""
        try:
            return self._decode(record)
        except Exception as error:
            LOGGER.exception("an entry cannot be decoded", offset=record.offset, topic=record.topic)
            return [reject(record, 0, f"internal: {type(error).__name__}: {error}")]

    def _decode(self, record: Record) -> list[Reading]:
        if record.source in (CLOCK_SOURCE, DECLARED_SOURCE):
            return []
        if record.source == REGISTRY_SOURCE:
            return self._discovered.take(record)
        if record.source != "mqtt":
            return self._changes.decode(record)
        if not record.topic:
            return []
        if record.topic.partition("/")[0] in RESERVED:
            return self._decode_gateway(record)
        return self._decode_message(record)

    def _decode_message(self, record: Record) -> list[Reading]:
        announcing = announces(record.topic)
        if not announcing and not self._discovered.registry.knows(record.topic):
            return self._messages.decode(record)
        readings = self._messages.decode(record) if self._messages.declares(record.topic) else []
        if announcing:
            readings += self._discovered.take(record, len(readings))
        return readings + self._discovered.measured(record, len(readings))

    def _decode_gateway(self, record: Record) -> list[Reading]:
        """Return what a gateway says; what a fragment still says after its end is of no use to anybody."""
        offset, at, _, topic, _, payload = record
        fragment, gateway = fragment_named(topic), gateway_named(topic)
        relation = self._tables.get(fragment or "")
        if relation is None and fragment in self._declared:
            return []
        try:
            if relation is not None:
                found = enumerate(signed_rows(relation, topic, parse(payload)))
                return [Reading(relation.name, sign, row, offset, n, at) for n, (sign, row) in found]
            if gateway is not None:
                row = site_row(gateway, parse(payload), at, self._declared)
                return [Reading(SITES.name, 1, row, offset, 0, at)]
        except FieldError as error:
            return [reject(record, 0, str(error))]
        return [reject(record, 0, f"nobody asked for {topic}")]
