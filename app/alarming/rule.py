"""What an alarm's options say.

OUTPUT TO ALARM 'too warm' WITH (severity = 'high', hold = '30 seconds', linger = '1 minute', key = 'room',
                                 flaps = '4 in 10 minutes', notify = 'facilities, chief',
                                 escalate = '15 minutes', escalate_to = 'chief')

severity     how bad it is: low, medium, high, critical
hold         so long a row stands before it is an alarm
linger       so long it has to be gone before the alarm ends
key          the columns that name the trouble; whatever else changes, it is the same alarm
raised_by    a column that is true of the rows that raise it; any row of its key keeps it up (hysteresis)
flaps        an alarm that was raised so often in such a time lingers as long as that time
notify       the channels that are told when it is raised and when it ends
escalate     so long nobody acknowledges it, and ``escalate_to`` are told
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.model.durations import read_duration
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.model.values import Type

SEVERITIES = ("low", "medium", "high", "critical")
MEDIUM = "medium"
OPTIONS = ("severity", "hold", "linger", "key", "raised_by", "flaps", "notify", "escalate", "escalate_to")
TELLING = ("notify", "escalate_to")
FLAPS = re.compile(r"\s*(\d{1,3})\s+in\s+(.+)", re.IGNORECASE)
LONGEST = 7 * 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class Rule:
    """Times are microseconds; without a ``key`` the whole row names the trouble."""

    severity: str = MEDIUM
    hold: int = 0
    linger: int = 0
    key: tuple[str, ...] = ()
    raised_by: str = ""
    flaps: int = 0
    flapping: int = 0
    notify: tuple[str, ...] = ()
    escalate: int = 0
    escalate_to: tuple[str, ...] = ()


def rule_of(options: Sequence[tuple[str, str]], columns: Sequence[Column]) -> Rule:
    """Return the rule that options say of rows with these columns; raise what is wrong with them."""
    said = dict(options)
    _check_names(options)
    key = _listed(said.get("key", ""))
    raised_by = said.get("raised_by", "").strip()
    types = {column.name: column.type for column in columns}
    for name in key:
        _check_column("key", name, types)
    if raised_by:
        _check_raising(raised_by, key, types)
    flaps, flapping = _flaps(said.get("flaps"))
    rule = Rule(
        _severity(said.get("severity", MEDIUM)),
        _duration(said, "hold"),
        _duration(said, "linger"),
        key,
        raised_by,
        flaps,
        flapping,
        _listed(said.get("notify", "")),
        _duration(said, "escalate"),
        _listed(said.get("escalate_to", "")),
    )
    if bool(rule.escalate) != bool(rule.escalate_to):
        message = "escalate and escalate_to of an alarm go together: after how long, and to which channels"
        raise QueryError(message)
    return rule


def _check_names(options: Sequence[tuple[str, str]]) -> None:
    names = [name for name, _ in options]
    for name in names:
        if name not in OPTIONS:
            there = f"there are {', '.join(OPTIONS)}{nearest(name, OPTIONS)}"
            message = f"unknown option {name} of an alarm; {there}"
            raise QueryError(message)
        if names.count(name) > 1:
            message = f"the option {name} of an alarm is said twice; once is enough"
            raise QueryError(message)


def _check_column(option: str, name: str, types: Mapping[str, Type]) -> None:
    if name not in types:
        there = f"the rows have {', '.join(types)}{nearest(name, list(types))}"
        message = f"{option} of the alarm names {name}, which is no column; {there}"
        raise QueryError(message)


def _check_raising(name: str, key: Sequence[str], types: Mapping[str, Type]) -> None:
    _check_column("raised_by", name, types)
    if types[name] is not Type.BOOLEAN:
        message = f"raised_by of an alarm is a column that is true or false; {name} is {types[name]}"
        raise QueryError(message)
    if not key or name in key:
        message = (
            f"raised_by of an alarm goes with a key, of other columns than {name}: what is raised and kept"
        )
        raise QueryError(message)


def _severity(text: str) -> str:
    if text.lower() not in SEVERITIES:
        message = f"severity is one of {', '.join(SEVERITIES)}, found {text!r}{nearest(text, SEVERITIES)}"
        raise QueryError(message)
    return text.lower()


def _duration(said: Mapping[str, str], option: str) -> int:
    text = said.get(option)
    found = 0 if text is None else read_duration(text)
    if found is None or found > LONGEST:
        message = f"{option} of an alarm is a time such as '30 seconds', a week at most; found {text!r}"
        raise QueryError(message)
    return found


def _flaps(text: str | None) -> tuple[int, int]:
    if text is None:
        return 0, 0
    match = FLAPS.fullmatch(text)
    within = read_duration(match[2]) if match else None
    if match is None or int(match[1]) < 2 or not within or within > LONGEST:
        message = f"flaps of an alarm is such as '4 in 10 minutes', twice at least; found {text!r}"
        raise QueryError(message)
    return int(match[1]), within


def channels_named(options: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each option that names channels with each name."""
    return [(option, name) for option, text in options if option in TELLING for name in _listed(text)]


def _listed(text: str) -> tuple[str, ...]:
    """Return names that commas part, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def options_of(options: Mapping[str, str]) -> str:
    """Write options as a text says them."""
    quoted = [f"{name} = '{value.replace(chr(39), chr(39) * 2)}'" for name, value in options.items() if value]
    return f" WITH ({', '.join(quoted)})" if quoted else ""
