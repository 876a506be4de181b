"""What the name of a time zone means.

    the file's own VTIMEZONE     under a name made of its content, as the reader keeps zones by name for all
                                 files and the first "Customized Time Zone" would be everybody's
    Europe/Berlin                IANA's, whatever the file says of it
    /vendor/…/Europe/Berlin      the same
    W. Europe Standard Time      Windows', by the table that icalendar carries; also with a number at its end
    (UTC+01:00) Berlin, Bern     by the first city that names a zone
    GMT+0100                     a fixed offset, in whole hours

References:
    RFC 5545 3.2.19, 3.6.5. Unicode CLDR, windowsZones.
"""

import re
from functools import lru_cache
from hashlib import sha256
from zoneinfo import available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?00)?", re.IGNORECASE)
_NUMBERED = re.compile(r"\s+\d+$")
_HEAD = re.compile(r"^\(.*?\)\s*")
MOST_HOURS = 12


class Zones:
    """The zones of one file."""

    def __init__(self, lines: list[str]) -> None:
        self._own = dict(_defined(lines))

    def named(self, name: str) -> str | None:
        """Return the name under which the reader knows a zone."""
        return self._own.get(name) or meaning(name)

    def renamed(self, lines: list[str]) -> list[str]:
        """Return the lines with the file's own zones under their new names."""
        names = {
            line: self._own[_value(line)] for line in lines if _is_name(line) and _value(line) in self._own
        }
        return [f"TZID:{names[line]}" if line in names else line for line in lines]


def _defined(lines: list[str]) -> list[tuple[str, str]]:
    """Return the names of the zones that a file defines and IANA does not, and what they are made of."""
    found: list[tuple[str, str]] = []
    block: list[str] = []
    name = ""
    for line in lines:
        if line.upper() == "BEGIN:VTIMEZONE":
            block, name = [], ""
        elif line.upper() == "END:VTIMEZONE":
            if name and name not in _iana():
                found.append((name, f"own-{sha256(chr(10).join(block).encode()).hexdigest()[:16]}"))
        elif _is_name(line):
            name = _value(line)
        else:
            block.append(line)
    return found


def _is_name(line: str) -> bool:
    return line[:5].upper() == "TZID:"


def _value(line: str) -> str:
    return line[5:].replace("\\,", ",").replace("\\;", ";").strip().strip('"')


@lru_cache(4_096)
def meaning(name: str) -> str | None:
    """Return the zone that a name means anywhere."""
    if name in _iana():
        return name
    parts = name.strip("/").split("/")
    for width in (3, 2):
        tail = "/".join(parts[-width:])
        if len(parts) > width and tail in _iana():
            return tail
    bare = _NUMBERED.sub("", name)
    return WINDOWS_TO_OLSON.get(bare) or _offset(bare) or _city(bare)


def _offset(name: str) -> str | None:
    found = _OFFSET.fullmatch(name.replace(" ", ""))
    if found is None or int(found[2]) > MOST_HOURS:
        return None
    opposite = "-" if found[1] == "+" else "+"
    return "Etc/UTC" if int(found[2]) == 0 else f"Etc/GMT{opposite}{int(found[2])}"


def _city(name: str) -> str | None:
    words = (word.strip().casefold().replace(" ", "_") for word in _HEAD.sub("", name).split(","))
    return next((_cities()[word] for word in words if word in _cities()), None)


@lru_cache(1)
def _iana() -> frozenset[str]:
    return frozenset(available_timezones())


@lru_cache(1)
def _cities() -> dict[str, str]:
    return {name.rpartition("/")[2].casefold(): name for name in sorted(_iana()) if "/" in name}
