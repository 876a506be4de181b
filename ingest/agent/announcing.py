"""How a machine introduces itself: device-based discovery, so that nobody has to configure anything.

    homeassistant/device/smartcis_<id>/config   retained: the device, its origin, a component a reading
    smartcis/agent/<id>/state                   the readings, one JSON document
    smartcis/agent/<id>/availability            online, or offline: by ourselves or by our last will

What is not heard of for three intervals is stale (``expire_after``), should the broker, too, not notice.

References:
    Home Assistant, MQTT integration: "Device discovery payload", "Sensor", "Discovery options".
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ingest.agent.machine import hardware

BIRTH = "homeassistant/status"
ONLINE, OFFLINE = "online", "offline"
MISSED = 3  # intervals after which nothing heard is no answer


class Reading(NamedTuple):
    """One value of the state as people see it; a text has no unit."""

    name: str
    unit: str | None = None
    kind: str | None = None
    component: str = "sensor"


READINGS = {
    "cpu": Reading("Processor", "%"),
    "memory": Reading("Memory", "%"),
    "disk": Reading("Disk", "%"),
    "temperature": Reading("Temperature", "°C", "temperature"),
    "uptime": Reading("Uptime", "s", "duration"),
    "received": Reading("Received", "B/s", "data_rate"),
    "sent": Reading("Sent", "B/s", "data_rate"),
    "users": Reading("Users", "users"),
    "user_names": Reading("User names"),
    "task": Reading("Busiest task"),
    "task_cpu": Reading("Busiest task's processor", "%"),
}


class Profile(NamedTuple):
    """Who speaks, and how often."""

    id: str
    name: str
    room: str | None
    interval: float

    @property
    def device(self) -> str:
        """Its id among all devices."""
        return f"smartcis_{self.id}"

    @property
    def config_topic(self) -> str:
        return f"homeassistant/device/{self.device}/config"

    @property
    def state_topic(self) -> str:
        return f"smartcis/agent/{self.id}/state"

    @property
    def availability_topic(self) -> str:
        return f"smartcis/agent/{self.id}/availability"


def announcement(profile: Profile, state: Mapping[str, Any], version: str) -> dict[str, Any]:
    """Return the document by which a machine that says such a state is discovered."""
    about = hardware()
    device = {
        "identifiers": [profile.device],
        "name": profile.name,
        "manufacturer": about.get("maker"),
        "model": about.get("model"),
        "sw_version": about.get("software"),
        "suggested_area": profile.room,
    }
    return {
        "device": {key: value for key, value in device.items() if value},
        "origin": {"name": "smartcis agent", "sw_version": version},
        "components": {key: _component(key, one, profile) for key, one in READINGS.items() if key in state},
        "state_topic": profile.state_topic,
        "availability_topic": profile.availability_topic,
        "qos": 1,
    }


def _component(key: str, reading: Reading, profile: Profile) -> dict[str, Any]:
    found = {
        "platform": reading.component,
        "name": reading.name,
        "unique_id": f"{profile.device}_{key}",
        "value_template": f"{{{{ value_json.{key} }}}}",
        "unit_of_measurement": reading.unit,
        "device_class": reading.kind,
        "state_class": "measurement" if reading.unit else None,
        "expire_after": max(round(MISSED * profile.interval), 1),
    }
    return {name: value for name, value in found.items() if value is not None}
