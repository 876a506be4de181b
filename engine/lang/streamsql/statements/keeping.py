"""What WITH says of a view: how long its past is kept, and how.

CREATE VIEW v WITH (history = '30 days' [, hours = '365 days'] [, keyframe = '1 hour'] [, key = 'a, b']) AS …
"""

from collections.abc import Mapping
from typing import Any

from engine.lang.streamsql.grammar.nodes import ViewNode
from engine.lang.streamsql.spans import span_of
from engine.model.durations import UNITS, read_duration
from engine.model.errors import QueryError, nearest
from engine.views.history import Retention
from engine.views.history.marks import DEFAULT_KEYFRAME

HISTORY, HOURS, KEYFRAME, KEY = "history", "hours", "keyframe", "key"
OPTIONS = [HISTORY, HOURS, KEYFRAME, KEY]


def retention_of(tree: ViewNode) -> Retention | None:
    """Return how long the past of a view is kept; None where nothing is said."""
    said = [(name.name.lower(), text) for name, text in tree.args.get("options") or ()]
    options: Mapping[str, str] = dict(said)
    if not said:
        return None
    unknown = next((name for name in options if name not in OPTIONS), None)
    if unknown is not None:
        there = f"there are {', '.join(OPTIONS)}{nearest(unknown, OPTIONS)}"
        message = f"unknown option {unknown} of the view {tree.this.name}; {there}"
        raise QueryError(message, span_of(tree.this))
    if len(options) < len(said):
        message = f"an option of the view {tree.this.name} is said twice; once is enough"
        raise QueryError(message, span_of(tree.this))
    if HISTORY not in options:
        message = (
            f"{', '.join(options)} of the view {tree.this.name} says nothing without history = '30 days'"
        )
        raise QueryError(message, span_of(tree.this))
    key = tuple(name.strip().lower() for name in options.get(KEY, "").split(",") if name.strip())
    kept = _duration(tree.this, HISTORY, options[HISTORY], "30 days")
    keyframe = _duration(tree.this, KEYFRAME, options.get(KEYFRAME), "1 hour")
    hours = _duration(tree.this, HOURS, options.get(HOURS), "365 days")
    return Retention(kept or 0, keyframe or DEFAULT_KEYFRAME, key, hours or 0)


def _duration(name: Any, option: str, text: str | None, example: str) -> int | None:
    if text is None:
        return None
    found = read_duration(text)
    if found is None or found < UNITS["MINUTE"]:
        wrong = f"{option} = '{text}' of the view {name.name} is no duration from a minute on"
        message = f"{wrong}; expected such as '{example}'"
        raise QueryError(message, span_of(name))
    return found
