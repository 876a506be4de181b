"""All that a building declares.

    mqtt:       streams whose rows come from topic parts and JSON payloads
    gateways:   what stands between devices on a bus of their own and the broker
    databases:  tables that are polled, or asked on demand; their columns are reflected, not declared
    calendars:  .ics files and addresses, as relations of what is reserved, starts, ends and is coming
    pages:      JSON and HTML tables that are polled over HTTP, as streams or tables
    recordings: what was recorded, replayed beside all that

``${NAME}`` is replaced from the environment, so that a file can be shared without its secrets;
``${NAME:-this}`` is ``this`` where the name is not set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.model.errors import SourceError, nearest
from engine.model.itself import ITSELF
from engine.model.relation import LOSSES, REJECTS, SITES, Relation
from ingest.checked_yaml import expand, mapping, read_yaml
from ingest.discovery.relations import DISCOVERED
from ingest.holds import HOLDS
from ingest.sources.calendars import CalendarSource, calendars_of
from ingest.sources.gateways import Gateway, gateways_of
from ingest.sources.pages import PageSource, page_of
from ingest.sources.polled import DatabaseSource, database_of
from ingest.sources.recordings import RecordingSource, recording_of
from ingest.sources.streams import MqttStream, stream_of
from ingest.topics import covering_filters

SECTIONS = {"mqtt", "gateways", "databases", "calendars", "pages", "recordings"}


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything declared; ``pseudonym_key`` is the installation's own and stands in no building's file."""

    streams: tuple[MqttStream, ...] = ()
    databases: tuple[DatabaseSource, ...] = ()
    calendars: tuple[CalendarSource, ...] = ()
    gateways: tuple[Gateway, ...] = ()
    pages: tuple[PageSource, ...] = ()
    recordings: tuple[RecordingSource, ...] = ()
    pseudonym_key: bytes = field(default=b"", repr=False)

    def relations(self) -> tuple[Relation, ...]:
        """Return what needs no database to be known: what is declared, and what is told of reading it."""
        streams = [stream.relation() for stream in self.streams]
        asked = (*self.calendar_relations(), *(page.relation() for page in self.pages))
        return (*streams, *asked, REJECTS, SITES, LOSSES, *ITSELF, *DISCOVERED, HOLDS)

    def calendar_relations(self) -> tuple[Relation, ...]:
        """Return what calendars feed; several may feed one."""
        return tuple(dict.fromkeys(found for each in self.calendars for found in each.relations()))

    def filters(self) -> tuple[str, ...]:
        """Return the topic filters to subscribe to."""
        return covering_filters(stream.topic for stream in self.streams if stream.topic is not None)


def load_sources(path: Path, environment: Mapping[str, str]) -> Sources:
    """Read a sources.yaml."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}; expected the building's sources.yaml"
        raise SourceError(msg) from error
    return parse_sources(text, environment, path.name)


def parse_sources(text: str, environment: Mapping[str, str], name: str = "sources.yaml") -> Sources:
    """Return what a text declares, or raise the first thing that is wrong with it."""
    root = mapping(expand(read_yaml(text, name) or {}, environment), name, SECTIONS)
    sources = Sources(
        tuple(stream_of(*item) for item in _section(root, "mqtt")),
        tuple(database_of(*item) for item in _section(root, "databases")),
        calendars_of(_section(root, "calendars")),
        gateways_of(_section(root, "gateways")),
        tuple(page_of(*item) for item in _section(root, "pages")),
        tuple(recording_of(*item) for item in _section(root, "recordings")),
    )
    _check_names(sources)
    _check_buses(sources)
    return sources


def _section(root: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    return list(mapping(root.get(name) or {}, name).items())


def _check_names(sources: Sources) -> None:
    tables = [table for database in sources.databases for table in database.all_tables]
    names = [relation.name for relation in sources.relations()] + tables
    for name in names:
        if names.count(name) > 1:
            msg = f"two sources declare the relation {name}; rename one of them"
            raise SourceError(msg)


def _check_buses(sources: Sources) -> None:
    """Every device on a bus needs a gateway that hears it."""
    known = [gateway.name for gateway in sources.gateways]
    for stream in sources.streams:
        if stream.bus is None:
            continue
        level = stream.bus.levels[1]
        if not known:
            there = "but there are no gateways; add gateways: {floor-1: {links: [base]}}"
            msg = f"stream {stream.name} is heard by gateways, on {stream.bus.text}, {there}"
            raise SourceError(msg)
        if level[0] not in "+{" and level not in known:
            there = f"there are {', '.join(known)}{nearest(level, known)}"
            msg = f"field of stream {stream.name} names the gateway {level}; {there}"
            raise SourceError(msg)
