"""Rows by the topic that each belongs to, for a topic that names columns.

    topic → {text of a row: how often}        published(topic) = the first text, or nothing

Which row is published so depends on the rows alone, not on the order in which they came.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from app import present
from app.outputs import topic_of
from engine.model.relation import Column
from engine.model.values import Row
from ingest.topics import TopicPattern


class TopicRows:
    """The rows of one view under a pattern."""

    def __init__(self, pattern: TopicPattern, columns: Sequence[Column]) -> None:
        self._pattern = pattern
        self._named = named_rows(columns)
        self._rows: dict[str, Counter[str]] = {}

    def __contains__(self, topic: str) -> bool:
        return topic in self._rows

    def apply(self, changes: Iterable[tuple[Row, int]]) -> dict[str, str]:
        """Take changes in; return what each touched topic shows by now, empty where it shows nothing."""
        touched = set()
        for row, count in changes:
            found = self._named(row)
            topic = topic_of(self._pattern, found)
            held = self._rows.setdefault(topic, Counter())
            text = dumped({"present": True, **found})
            held[text] += count
            if not held[text]:
                del held[text]
            touched.add(topic)
        for topic in [topic for topic in touched if not self._rows[topic]]:
            del self._rows[topic]
        return {topic: min(self._rows.get(topic, ()), default="") for topic in touched}


def named_rows(columns: Sequence[Column]) -> Callable[[Row], dict[str, Any]]:
    """Return what makes a row the object that is published."""
    cells, names = present.row_presenter(columns), [column.name for column in columns]
    return lambda row: dict(zip(names, cells(row), strict=True))


def dumped(message: object) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
