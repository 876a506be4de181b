"""An announcement's form, by its topic: what it says of devices and entities.

group(topic)            the announcements that are read together; most are alone
read({topic: body})     what they announce together, or None where they announce nothing
"""

from collections.abc import Callable, Mapping

from ingest.discovery import homeassistant, homie, shelly, tasmota
from ingest.discovery.known import Announcement
from ingest.discovery.topics import HOMEASSISTANT, HOMIE, SHELLIES, TASMOTA, TELE

Words = Mapping[str, bytes]
TOGETHER = (f"{TASMOTA}/", f"{HOMIE}/")


def group(topic: str) -> str:
    """Return the name of what is read together."""
    return topic.rpartition("/")[0] if topic.startswith(TOGETHER) else topic


def read(words: Words) -> Announcement | None:
    """Return what the announcements of one group say together, or raise FieldError."""
    first = next(iter(words)).partition("/")[0]
    if first in _TOGETHER:
        return _TOGETHER[first](words)
    ((topic, body),) = words.items()
    return _FORMS.get(first, shelly.read_later)(topic, body)


_TOGETHER: dict[str, Callable[[Words], Announcement]] = {TASMOTA: tasmota.read, HOMIE: homie.read}
_FORMS: dict[str, Callable[[str, bytes], Announcement | None]] = {
    HOMEASSISTANT: homeassistant.read,
    TELE: tasmota.read_telemetry,
    SHELLIES: shelly.read_first,
}
