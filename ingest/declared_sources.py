"""The wrappers of relations that are declared while the building runs.

look:  declarations in the log since  →  topics to subscribe to, tables to poll, or no longer to
                                      →  fragments that gateways and databases are to run, or no longer to

A gateway is asked by a message that the broker keeps, ``fragments/<16 hex>``: the declaration and, as
``version``, its offset, so that a fragment that was dropped and is back is another one.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import structlog

from engine.model.clock import Clock
from engine.model.errors import SmartCISError
from engine.model.relation import SENSOR_SITE
from ingest.checked_yaml import expand
from ingest.declarations import Declaration, in_force, read_declaration
from ingest.decoding.gateway_words import STATES, answers_to
from ingest.known_gateways import introduce
from ingest.listening import Listening
from ingest.log import Log, StateChange
from ingest.log.writer import LogWriter
from ingest.sources import Sources
from ingest.topics import TopicPattern
from ingest.wrapper import Wrapper
from ingest.wrappers.database import DeclaredTableWrapper

ASKING = "fragments/"


@runtime_checkable
class Asked(Protocol):
    """A wrapper of a site that runs fragments: their declarations by name, from now on these."""

    @property
    def site(self) -> str: ...
    def follow(self, fragments: Mapping[str, Mapping[str, Any]]) -> None: ...


class DeclaredSources:
    """Follows the declarations of the log."""

    def __init__(
        self,
        log: Log,
        sources: Sources,
        clock: Clock,
        environment: Mapping[str, str],
        listening: Listening,
        asked: Mapping[str, Asked],
    ) -> None:
        self._log, self._sources, self._clock = log, sources, clock
        self._environment, self._listening = environment, listening
        self._declarations: list[Declaration] = []
        self._asked = asked
        self._tables: dict[str, Wrapper] = {}
        self._own = {relation.name for relation in sources.relations()}
        self._own |= {table for database in sources.databases for table in database.all_tables}
        self.offset = 0

    def wrappers(self) -> list[Wrapper]:
        return list(self._tables.values())

    def introduce(self, writer: LogWriter) -> None:
        """Have the log know the building's gateways."""
        introduce(self._sources.gateways, self._log, writer)

    def look(self, writer: LogWriter) -> bool:
        """Open and close what the log says by now; tell whether it said anything."""
        found = [read_declaration(offset, body) for offset, body in self._log.declared(self.offset)]
        self._declarations += found
        if found or not self._listening.has_begun:
            current = in_force(self._declarations, self._own)
            self._subscribe(current, writer)
            self._poll(current, writer)
            self._ask([each for each in current if each.is_fragment])
        self.offset = found[-1].offset if found else self.offset
        return bool(found)

    def _subscribe(self, current: Sequence[Declaration], writer: LogWriter) -> None:
        streams = (*self._sources.streams, *(each.stream for each in current if each.stream is not None))
        topics = [stream.topic for stream in streams if stream.topic is not None]
        if self._sources.gateways:
            asked = (each.name for each in current if (each.body or {}).get("site") == SENSOR_SITE)
            topics += map(TopicPattern, (STATES, *map(answers_to, asked)))
        self._listening.declare(topics, streams, writer)

    def _poll(self, current: Sequence[Declaration], writer: LogWriter) -> None:
        tables = [each for each in current if each.body and not each.is_fragment]
        polled = {each.source: each for each in tables if (each.body or {})["wrapper"] == "database"}
        for source in self._tables.keys() - polled.keys():
            self._tables.pop(source).close()
            gone = [StateChange(source, item, None) for item in self._log.state(source)]
            writer.submit([], None, gone)
        for source in polled.keys() - self._tables.keys():
            try:
                url = expand(str((polled[source].body or {})["url"]), self._environment)
                self._tables[source] = DeclaredTableWrapper(polled[source], url, self._clock)
                self._tables[source].open(writer, self._log)
            except SmartCISError as error:
                structlog.get_logger().warning(
                    "a table cannot be polled", source=source, reason=error.message
                )

    def _ask(self, fragments: Sequence[Declaration]) -> None:
        """Have every site run what is in force there, and nothing else."""
        bodies = {each.name: {**(each.body or {}), "version": each.offset} for each in fragments}
        sites: dict[str, dict[str, Mapping[str, Any]]] = {site: {} for site in (SENSOR_SITE, *self._asked)}
        for name, body in bodies.items():
            sites.setdefault(body["site"], {})[name] = body
        for site, asked in self._asked.items():
            asked.follow(sites[site])
        messages = sites[SENSOR_SITE].items()
        self._listening.keep({ASKING + name.partition(":")[2]: to_bytes(body) for name, body in messages})


def to_bytes(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode()
