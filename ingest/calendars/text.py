"""The text of a calendar as its reader expects it: one property a line, in Unicode, with zones that it knows.

Lines are unfolded as bytes, since a line may be folded inside a character. What is not UTF-8 is taken for
Windows-1252, as older exporters write it. A time in UTC loses its TZID, which RFC 5545 3.2.19 forbids there.
"""

import codecs
import re
from zoneinfo import ZoneInfo

from ingest.calendars.zones import Zones

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BREAK = re.compile(rb"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ZONED = re.compile(r';TZID=("[^"]*"|[^:;,"]*)', re.IGNORECASE)
_UTC = re.compile(r":\d{8}T\d{6}Z(?:,\d{8}T\d{6}Z)*\s*$")


def lines_of(content: bytes) -> list[str]:
    """Return the unfolded lines of a file."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            content = content[len(mark) :].decode(encoding, "replace").encode()
    unfolded: list[bytearray] = []
    for line in _BREAK.split(content):
        if line[:1] in (b" ", b"\t") and unfolded:
            unfolded[-1] += line[1:]
        elif line:
            unfolded.append(bytearray(line))
    return [_CONTROL.sub("", _decoded(bytes(line))) for line in unfolded]


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def zoned(lines: list[str], building: ZoneInfo) -> tuple[str, tuple[str, ...]]:
    """Return the text with names of zones that mean one thing anywhere, and those that mean nothing."""
    zones = Zones(lines)
    unknown: dict[str, None] = {}

    def known(match: re.Match[str]) -> str:
        name = match[1].strip('"')
        found = zones.named(name)
        if found is None:
            unknown[name] = None
        return f";TZID={found or building.key}"

    text = [
        _ZONED.sub("", line) if _UTC.search(line) else _ZONED.sub(known, line)
        for line in zones.renamed(lines)
    ]
    return "\r\n".join((*text, "")), tuple(unknown)
