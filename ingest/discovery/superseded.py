"""Which announcements say nothing any more to whoever reads the log from an offset on.

    of a topic    its last word below ``first`` that was understood holds; none does once that is empty, or
                  the device was forgotten
    of a device   what people said last below ``first`` holds, unless that it be forgotten

Asked of a registry that folds what may be superseded: the groups of announcements in which a topic spoke
more than once, or took back what it had said.
"""

from collections import Counter
from collections.abc import Sequence

from ingest.decoding.values import FieldError
from ingest.discovery import forms
from ingest.discovery.forgotten import forgets
from ingest.discovery.known import NOTHING, Announcement
from ingest.discovery.registry import Registry
from ingest.discovery.topics import is_state
from ingest.log import REGISTRY_SOURCE, Announced


def superseded(announced: Sequence[Announced], first: int) -> list[int]:
    """Return the offsets of those that no entry from ``first`` on is decoded by."""
    before = [each for each in announced if each.offset < first]
    said = [each for each in before if each.source == REGISTRY_SOURCE]
    announcing = [each for each in before if each.source != REGISTRY_SOURCE]
    suspects = _suspects(announcing, any(forgets(each.body) for each in said))
    registry = Registry()
    for each in sorted((*said, *suspects)):
        registry.take(*each)
    last = {(topic, body): 0 for topic, body in registry.standing()}
    last |= {(each.topic, each.body): each.offset for each in suspects if (each.topic, each.body) in last}
    newest = {each.topic: each.offset for each in said if not forgets(each.body)}
    forgotten = {each.topic: each.offset for each in said if forgets(each.body)}
    words = {device: offset for device, offset in newest.items() if offset > forgotten.get(device, 0)}
    gone = [each.offset for each in suspects if last.get((each.topic, each.body)) != each.offset]
    return gone + [each.offset for each in said if words.get(each.topic) != each.offset]


def repeated(announced: Sequence[Announced]) -> list[int]:
    """Return the offsets of states that announce what stood before them, wherever they are in the log.

    Without them the registry is the same at every offset: the first that said so is there. What is said after
    people had a device forgotten is news whatever it says.
    """
    gone: list[int] = []
    stood: dict[str, Announcement] = {}
    for offset, source, topic, body in sorted(announced):
        if source == REGISTRY_SOURCE and forgets(body):
            stood.clear()
        elif source != REGISTRY_SOURCE and is_state(topic):
            said = _meaning(topic, body)
            if said is None or stood.get(topic) == said:
                gone.append(offset)
            else:
                stood[topic] = said
    return gone


def _meaning(topic: str, body: bytes) -> Announcement | None:
    """Return what an announcement says; None where it says nothing, or cannot be understood."""
    try:
        return forms.read({topic: body}) if body else NOTHING
    except FieldError:
        return None


def _suspects(announced: Sequence[Announced], is_any_forgotten: bool) -> list[Announced]:
    """Return the announcements of those groups in which some may be superseded."""
    times = Counter(each.topic for each in announced)
    groups = {forms.group(each.topic) for each in announced if times[each.topic] > 1 or not each.body}
    return [each for each in announced if is_any_forgotten or forms.group(each.topic) in groups]
