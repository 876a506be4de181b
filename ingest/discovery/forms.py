"""An announcement's form, by its topic: what it says of devices and entities.

group(topic)                       the announcements that are read together; most are alone
read(group, {topic: body}) → Announced
"""

from collections.abc import Callable, Mapping

from ingest.discovery import homeassistant
from ingest.discovery.known import Announced
from ingest.discovery.topics import HOMEASSISTANT

Words = Mapping[str, bytes]


def group(topic: str) -> str:
    """Return the name of what is read together."""
    return topic


def read(words: Words) -> Announced:
    """Return what the announcements of one group say together, or raise FieldError."""
    topic = next(iter(words))
    return _FORMS[topic.partition("/")[0]](words)


def _homeassistant(words: Words) -> Announced:
    ((topic, body),) = words.items()
    return homeassistant.read(topic, body)


_FORMS: dict[str, Callable[[Words], Announced]] = {HOMEASSISTANT: _homeassistant}
