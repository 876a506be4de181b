"""What stands in an announcement, taken generously: what is of a wrong kind is as if it were not there."""

from typing import Any

MAX_NAME = 1_000
WILD = ("+", "#", "\0")


def maybe_text(value: Any) -> str | None:
    """Return a text or the text of a number; None for anything else, and for what no name may be."""
    if type(value) in (int, float) and abs(value) < 1e15:
        value = str(value)
    if type(value) is not str or not value or len(value) > MAX_NAME or "\0" in value:
        return None
    return value if value.isascii() or _is_unicode(value) else None


def _is_unicode(value: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in value)


def maybe_list(value: Any) -> list[Any]:
    """Return a list, or a list of the one thing that stands for it."""
    if value is None:
        return []
    return value if type(value) is list else [value]


def texts(value: Any) -> list[str]:
    """Return the texts among one or several."""
    return [each for each in map(maybe_text, maybe_list(value)) if each is not None]


def maybe_topic(value: Any) -> str | None:
    """Return a topic that messages can come under."""
    found = maybe_text(value)
    return None if found is None or any(each in found for each in WILD) else found


def maybe_pattern(value: Any) -> str | None:
    """Return a topic in which whole levels may be left open, as ``+``; one of them has to be given."""
    found = maybe_text(value)
    if found is None or "+" not in found:
        return maybe_topic(found)
    given = [level for level in found.split("/") if level != "+"]
    return found if any(given) and all(maybe_topic(level) for level in given if level) else None


def maybe_seconds(value: Any) -> float | None:
    """Return a time of more than nothing."""
    if type(value) is str:
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if type(value) in (int, float) and 0 < value < 1e9 else None


def word(value: Any, default: str) -> str:
    """Return a payload that a configuration names; true and false as Home Assistant spells them."""
    if type(value) is bool:
        return str(value)
    return maybe_text(value) or default
