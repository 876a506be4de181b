"""What a building's sources.yaml declares, as values.

streams    mqtt: rows from topic parts and payloads, of devices that anybody or a gateway hears
formats    how a payload is read: as what, and as how many rows
columns    where a value stands (``paths``), how it is sent (``units``), what it has to be like
measures   which of a stream's values are measurements of devices
gateways   who stands between the devices' own bus and the broker, and which hear each other
polled     databases: tables that are polled or asked
calendars  .ics files and addresses: what is reserved
addresses  where a source is asked over HTTP
recordings what was recorded, to be replayed beside live sources
building   all of it, read from a file
"""

from ingest.sources.building import SECTIONS, Sources, load_sources, parse_sources
from ingest.sources.calendars import CalendarSource
from ingest.sources.columns import KEYS as COLUMN_KEYS
from ingest.sources.columns import Field
from ingest.sources.gateways import BASE, Gateway
from ingest.sources.polled import DatabaseSource
from ingest.sources.recordings import RecordingSource
from ingest.sources.streams import MAPPED, RESERVED, MqttStream, stream_of, times_of

__all__ = [
    "BASE",
    "COLUMN_KEYS",
    "MAPPED",
    "RESERVED",
    "SECTIONS",
    "CalendarSource",
    "DatabaseSource",
    "Field",
    "Gateway",
    "MqttStream",
    "RecordingSource",
    "Sources",
    "load_sources",
    "parse_sources",
    "stream_of",
    "times_of",
]
