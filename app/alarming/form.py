"""A form that writes a rule: a view, which of its rows are wrong, and what an alarm of them is.

{"view": "room_temperature", "column": "celsius", "is": ">", "value": "26", "key": "room",
 "name": "too warm", "severity": "high", "hold": "1 minute"}
    →
CREATE VIEW alarm_too_warm AS
SELECT * FROM room_temperature WHERE celsius > 26
OUTPUT TO ALARM 'too warm' WITH (severity = 'high', hold = '1 minute', key = 'room')

With "until": "24" it stays until no row of its key is above that:

SELECT *, celsius > 26 AS raises FROM room_temperature WHERE celsius > 24
OUTPUT TO ALARM … WITH (…, raised_by = 'raises')
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from app.alarming.rule import OPTIONS, options_of, rule_of
from engine.model.errors import QueryError, nearest, some_of
from engine.model.relation import Column
from engine.model.values import Type

ORDERED = (">", ">=", "<", "<=")
COMPARED = (*ORDERED, "=", "<>")
NUMBERS = (Type.BIGINT, Type.DOUBLE)
RAISES, RAISED_BY = "raises", "raised_by"
MAX_NAME = 60
MOST_DIGITS = 30  # before the point or behind it; 1e999999999 would be written out otherwise
NOT_A_WORD = re.compile(r"\W+")


def rule_text(said: Mapping[str, str], columns: Mapping[str, Sequence[Column]]) -> str:
    """Return the statement that a filled form means; ``columns`` are those of each view there is."""
    view, name = said.get("view", ""), said.get("name", "").strip()
    if view not in columns:
        wrong = f"there is no view {view:.60}" if view else "the rule names no view"
        message = f"{wrong}; there are {some_of(sorted(columns))}{nearest(view, sorted(columns))}"
        raise QueryError(message)
    if not name or len(name) > MAX_NAME or not name.isprintable():
        message = f"an alarm is named by 1 to {MAX_NAME} signs, found {name[:MAX_NAME]!r}"
        raise QueryError(message)
    options = {option: said[option] for option in OPTIONS if said.get(option)}
    where = _condition(said, "value", columns[view])
    found, rows = columns[view], f"SELECT * FROM {view}{_where(where)}"
    if said.get("until", "").strip():
        until = _condition(said, "until", columns[view])
        _check_until(said, columns[view])
        rows = f"SELECT *, {where} AS {RAISES} FROM {view}{_where(until)}"
        found, options[RAISED_BY] = (*found, Column(RAISES, Type.BOOLEAN)), RAISES
    rule_of(tuple(options.items()), found)
    made = f"alarm_{NOT_A_WORD.sub('_', name.lower()).strip('_') or 'of_' + view}"
    quoted = name.replace("'", "''")
    return "\n".join(
        [
            f"CREATE VIEW {made} AS",
            rows,
            f"OUTPUT TO ALARM '{quoted}'{options_of(options)}",
        ]
    )


def _where(condition: str) -> str:
    return f" WHERE {condition}" if condition else ""


def _condition(said: Mapping[str, str], bound: str, columns: Sequence[Column]) -> str:
    """Return how the column is compared with what is said as ``bound``; nothing where none is named."""
    name = said.get("column", "")
    if not name:
        if bound == "value":
            return ""
        message = "until is a value of the column that is compared; choose one"
        raise QueryError(message)
    column = next((each for each in columns if each.name == name), None)
    if column is None:
        message = f"the view has no column {name:.60}{nearest(name, [each.name for each in columns])}"
        raise QueryError(message)
    sign = said.get("is", "=")
    if sign not in COMPARED:
        message = f"a column is compared by {', '.join(COMPARED)}, found {sign!r}"
        raise QueryError(message)
    return f"{name} {sign} {_value(said.get(bound, ''), column)}"


def _check_until(said: Mapping[str, str], columns: Sequence[Column]) -> None:
    """Raise what is wrong with a second bound: it lies before the first, seen from what is wrong."""
    sign, first, until = (said.get(each, "").strip() for each in ("is", "value", "until"))
    if sign not in ORDERED:
        expected = ", ".join(ORDERED)
        message = f"until goes with {expected}, as what is between keeps an alarm up; found {sign!r}"
        raise QueryError(message)
    if not said.get("key"):
        message = "until goes with a key: choose the column for each value of which there is one alarm"
        raise QueryError(message)
    if any(column.name == RAISES for column in columns):
        message = f"the view has a column {RAISES} of its own; write the rule in the console, with raised_by"
        raise QueryError(message)
    is_number = any(column.name == said["column"] and column.type in NUMBERS for column in columns)
    if is_number and (Decimal(until) > Decimal(first) if ">" in sign else Decimal(until) < Decimal(first)):
        side = "above" if ">" in sign else "below"
        message = (
            f"until is {until}, which is {side} {first}, so nothing would end later; take its other side"
        )
        raise QueryError(message)


def _value(text: str, column: Column) -> str:
    """Write a value as its column has it."""
    text = text.strip()
    if column.type in NUMBERS:
        try:
            number = Decimal(text)
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
            message = f"{column.name} is a number of {MOST_DIGITS} digits at most; found {text[:40]!r}"
            raise QueryError(message)
        return f"{number:f}"
    if column.type is Type.BOOLEAN:
        if text.lower() not in ("true", "false"):
            message = f"{column.name} is true or false; found {text!r}"
            raise QueryError(message)
        return text.upper()
    return "'" + text.replace("'", "''") + "'"
