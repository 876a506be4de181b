"""What equal messages share, the same in every process and at every start; what a sender calls a message."""

import json
from hashlib import blake2b
from typing import Any

from ingest.sources.paths import follow

MOST_SIGNS = 200


def digest(topic: str, payload: bytes) -> int:
    """Return 64 bits that only the same message under the same topic has."""
    found = blake2b(payload, digest_size=8)
    found.update(b"\0" + topic.encode("utf-8", "surrogatepass"))
    return int.from_bytes(found.digest(), "big", signed=True)


def short(content: int) -> int:
    """Return the lower half of a digest."""
    return content & 0xFFFFFFFF


def name_in(payload: bytes, steps: tuple[str | int, ...]) -> int | str | None:
    """Return what a payload says that its message is called; nothing where it says nothing of use."""
    try:
        found: Any = follow(json.loads(payload), steps)
    except (ValueError, RecursionError):
        return None
    return found if _is_name(found) else None


def _is_name(value: Any) -> bool:
    """Tell whether a sender may call a message so: by a whole number, or by a text."""
    is_number = type(value) is int and abs(value) < 1 << 63
    return is_number or (type(value) is str and 0 < len(value) <= MOST_SIGNS)
