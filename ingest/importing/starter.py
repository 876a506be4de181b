"""What an imported building listens to and shows at first: what our own does, by plain MQTT.

Its views are those of the map. Its sources are the same relations without what only the simulated building
has: what speaks on a gateway's bus or on a page speaks to the broker. Both files are their owner's to change.
"""

from pathlib import Path
from typing import Any

import yaml

from ingest.checked_yaml import read_yaml

OURS = Path(__file__).resolve().parent.parent / "building"
HEAD = """\
# What SmartCIS reads in this building, to be changed as the building is; docs/sensors.md has the forms.
# mqtt: a column is a part of the topic in braces, or a key of the JSON payload. `smartcis sources check FILE`
# says what is wrong, `smartcis sources try FILE` what messages would become. Devices that announce themselves
# need nothing here.
"""
VIEWS_HEAD = "-- The views of the map, as they came with SmartCIS; to be changed as this building is.\n\n"
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//SmartCIS//building import//EN\r\nEND:VCALENDAR\r\n"
CALENDAR_FILE = "reservations.ics"
STREAM = ("topic", "device", "priority", "columns", "key", "window", "retention")
COLUMN = ("type", "from", "pseudonym")


def sources_yaml() -> str:
    """Return a sources.yaml for a building that was just imported."""
    ours = read_yaml((OURS / "sources.yaml").read_text("utf-8"), "sources.yaml")
    streams = {name: _stream(found) for name, found in ours["mqtt"].items()}
    for page in ours.get("pages", {}).values():
        streams[page["relation"]] = _stream(page | {"topic": _topic_of(page)})
    calendars = {name: _calendar(found) for name, found in ours["calendars"].items()}
    found = {"mqtt": streams, "databases": ours["databases"], "calendars": calendars}
    return HEAD + yaml.safe_dump(
        found, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None
    )


def views_sql() -> str:
    """Return the views that the map watches."""
    _, _, views = (OURS / "views.sql").read_text("utf-8").partition("\n\n")
    return VIEWS_HEAD + views


def _stream(found: dict[str, Any]) -> dict[str, Any]:
    """Return a stream that speaks to the broker, whatever it speaks on in our building."""
    topic = found.get("topic") or found["field"].replace("field/+/", "building/")
    kept = {"topic": topic, **{key: found[key] for key in STREAM if key in found and key != "topic"}}
    return {**kept, "columns": {name: _column(column) for name, column in found["columns"].items()}}


def _column(column: Any) -> Any:
    if not isinstance(column, dict):
        return column
    kept = {key: column[key] for key in COLUMN if key in column and column[key] != "page"}
    return kept["type"] if list(kept) == ["type"] else kept


def _topic_of(page: dict[str, Any]) -> str:
    return "/".join(["building", page["relation"], *(f"{{{key}}}" for key in page["key"])])


def _calendar(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "file": f"${{SMARTCIS_BUILDING}}/{CALENDAR_FILE}"}
