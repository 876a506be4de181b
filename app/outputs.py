"""Where rows go besides to whoever asks, as a query's text says it.

    OUTPUT TO DISPLAY 'lobby'    the rows are on the page /display/lobby
    OUTPUT TO ALARM ['name']     a row that appears raises an alarm, its going ends it, as WITH (…) says
    OUTPUT TO MQTT 'a/topic'     every change is a message;  'a/{column}' keeps a retained one for each row

What a target may be is checked before the view is made, against its columns.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import quote

from app.alarming.rule import rule_of
from engine.lang.streamsql import CreateView, Output, Query, parse
from engine.model.errors import QueryError, SmartCISError, nearest
from engine.model.relation import Column
from ingest.topics import TopicPattern

DISPLAY, ALARM, MQTT = "display", "alarm", "mqtt"
DISPLAY_NAME = re.compile(r"\w[\w .-]{0,59}")
MAX_TOPIC = 1_000
UNSAFE_IN_TOPIC = "/+#%\0"


def check_outputs(outputs: Iterable[Output], columns: Sequence[Column]) -> None:
    """Raise what is wrong with the first output that cannot be."""
    alarms: set[str] = set()
    for output in outputs:
        if output.kind == DISPLAY and not DISPLAY_NAME.fullmatch(output.target):
            expected = "letters, digits, blanks, _ . and -, at most 60"
            message = f"a display is named by {expected}; found {output.target!r}"
            raise QueryError(message, output.span)
        if output.kind == ALARM:
            _check_apart(output, alarms)
            _check_rule(output, columns)
        if output.kind == MQTT:
            _check_topic(output, [column.name for column in columns])


def _check_apart(output: Output, named: set[str]) -> None:
    """Alarms of one name are one rule's."""
    if output.target in named:
        message = f"the view has two alarms {output.target!r}; give each a name of its own, ALARM 'name'"
        raise QueryError(message, output.span)
    named.add(output.target)


def _check_rule(output: Output, columns: Sequence[Column]) -> None:
    try:
        rule_of(output.options, columns)
    except QueryError as error:
        raise QueryError(error.message, output.span) from None


def _check_topic(output: Output, columns: list[str]) -> None:
    topic = output.target
    wrong = f"OUTPUT TO MQTT {topic!r}"
    if not topic or topic.startswith("$") or len(topic.encode()) > MAX_TOPIC:
        message = f"{wrong}: a topic has 1 to {MAX_TOPIC} bytes and does not begin with $"
        raise QueryError(message, output.span)
    pattern = TopicPattern(topic)
    for at, level in enumerate(pattern.levels):
        if at not in pattern.parts.values() and set("+#{}\0") & set(level):
            message = f"{wrong}: its level {level!r} is no place to publish; it may be a word or {{column}}"
            raise QueryError(message, output.span)
    for name in pattern.parts:
        if name not in columns:
            there = f"the rows have {', '.join(columns)}{nearest(name, columns)}"
            message = f"{wrong} names {{{name}}}, which is no column; {there}"
            raise QueryError(message, output.span)


def topic_of(pattern: TopicPattern, row: dict[str, object]) -> str:
    """Return the topic of a row; what MQTT keeps for itself is written as in a URL."""
    named = {level: name for name, level in pattern.parts.items()}
    levels = [_level(row[named[at]]) if at in named else level for at, level in enumerate(pattern.levels)]
    return "/".join(levels)


def _level(value: object) -> str:
    text = "NULL" if value is None else str(value)
    return "".join(quote(sign, safe="") if sign in UNSAFE_IN_TOPIC else sign for sign in text) or "%20"


@lru_cache(maxsize=2_000)
def outputs_of(sql: str) -> tuple[Output, ...]:
    """Return the outputs that the text of a view or a query says; of any other text, none."""
    try:
        statement = parse(sql)
    except SmartCISError:
        return ()
    return statement.outputs if isinstance(statement, CreateView | Query) else ()
