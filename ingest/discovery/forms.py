"""An announcement's form, by its topic: what it says of devices and entities.

group(topic)            the announcements that are read together; most are alone
read({topic: body})     what they announce together, or None where they announce nothing
"""

from collections.abc import Callable, Mapping

from ingest.discovery import homeassistant, shelly, tasmota
from ingest.discovery.known import Announced
from ingest.discovery.topics import HOMEASSISTANT, SHELLIES, TASMOTA, TELE

Words = Mapping[str, bytes]


def group(topic: str) -> str:
    """Return the name of what is read together."""
    return topic.rpartition("/")[0] if topic.startswith(f"{TASMOTA}/") else topic


def read(words: Words) -> Announced | None:
    """Return what the announcements of one group say together, or raise FieldError."""
    first = next(iter(words)).partition("/")[0]
    if first == TASMOTA:
        return tasmota.read(words)
    ((topic, body),) = words.items()
    return _FORMS.get(first, shelly.read_later)(topic, body)


_FORMS: dict[str, Callable[[str, bytes], Announced | None]] = {
    HOMEASSISTANT: homeassistant.read,
    TELE: tasmota.read_telemetry,
    SHELLIES: shelly.read_first,
}
