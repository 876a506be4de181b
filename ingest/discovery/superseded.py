"""Which announcements say nothing any more to whoever reads the log from an offset on.

    of one source and topic   the newest below ``first`` holds; the earlier are superseded
    an empty one              takes back what its topic announced: below ``first`` it is itself superseded

That people had a device forgotten stays: the announcement that this removed may be the newest of its topic.
"""

from collections.abc import Sequence

from ingest.log import MQTT_SOURCE, Announced


def superseded(announced: Sequence[Announced], first: int) -> list[int]:
    """Return the offsets of those that no entry from ``first`` on is decoded by."""
    before = [each for each in announced if each.offset < first]
    newest = {(each.source, each.topic): each.offset for each in before}
    return [
        each.offset
        for each in before
        if _takes_back(each)
        or (newest[each.source, each.topic] != each.offset and b"forgotten" not in each.body)
    ]


def _takes_back(announced: Announced) -> bool:
    return announced.source == MQTT_SOURCE and not announced.body
