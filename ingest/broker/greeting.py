"""What a client says first, and the answer to one that speaks another version of MQTT.

    CONNECT = type (1)  remaining length (1 to 4)  "MQTT" (2 + 4)  version (1)  flags (1)  keep-alive (2)  …

The embedded broker speaks 3.1.1, version 4. Who speaks 5 is told so in the words of 5, with a reason
that its user can read; who speaks an older one, by the only code that 3.1 has for it. Whom it refused
the broker notes in a file beside its state, so that people are told too.

References: MQTT 5.0, 3.1.2.2 (protocol version), 3.2.2.2 (reason code 0x84), 3.2.2.3.9 (reason string);
MQTT 3.1.1, 3.1.2.2.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ingest.mqtt_frames import CONTINUES, MAX_LENGTH_BYTES, build_length

CONNECT, CONNACK = 0x10, 0x20
SPOKEN, NEWER = 4, 5
NAMES = {3: "MQTT 3.1", 4: "MQTT 3.1.1", 5: "MQTT 5"}
UNSUPPORTED, UNACCEPTABLE = 0x84, 0x01
REASON_STRING = 0x1F
REMEDY = "set the device to 3.1.1, or SMARTCIS_MQTT_URL to a broker that speaks both"
FILE = "refused.json"
KEPT = 20
SHOWN_BYTES = 64


class Greeting(NamedTuple):
    """What a CONNECT says of its sender, as far as it can be read."""

    version: int
    client: str

    @property
    def reason(self) -> str:
        spoken = NAMES.get(self.version, f"version {self.version} of MQTT")
        return f"the embedded broker speaks {NAMES[SPOKEN]}, not {spoken}; {REMEDY}"


def read_greeting(frame: bytes) -> Greeting | None:
    """Return what a CONNECT says; nothing where it is no CONNECT, which is left to who reads on."""
    at = _body(frame)
    if not frame or frame[0] != CONNECT or at is None:
        return None
    name, at = _text(frame, at)
    if name not in ("MQTT", "MQIsdp") or at >= len(frame):
        return None
    version = frame[at]
    at += 1 + 1 + 2
    if version >= NEWER and at < len(frame):
        properties, at = _length(frame, at)
        at += properties
    return Greeting(version, _text(frame, at)[0])


def refusal(greeting: Greeting) -> bytes:
    """Return the CONNACK for a client of another version."""
    if greeting.version < SPOKEN:
        return bytes((CONNACK, 2, 0, UNACCEPTABLE))
    reason = greeting.reason.encode()
    properties = bytes((REASON_STRING,)) + len(reason).to_bytes(2, "big") + reason
    body = bytes((0, UNSUPPORTED)) + build_length(len(properties)) + properties
    return bytes((CONNACK,)) + build_length(len(body)) + body


def note(folder: Path, greeting: Greeting, address: str, now: int) -> None:
    """Remember whom the broker refused, the last of them; a disk that is full is told elsewhere."""
    found = dict(noted(folder))
    before = found.pop(f"{greeting.client} {address}", {"times": 0})
    met = {"client": greeting.client, "address": address, "reason": greeting.reason, "at": now}
    found[f"{greeting.client} {address}"] = {**met, "times": before["times"] + 1}
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"{FILE}.draft"
        draft.write_text(json.dumps(dict(list(found.items())[-KEPT:])), "utf-8")
        draft.replace(folder / FILE)


def noted(folder: Path) -> Mapping[str, dict[str, Any]]:
    """Return whom the broker refused, the last one last."""
    try:
        found = json.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _body(frame: bytes) -> int | None:
    """Return where the body of a frame begins."""
    for at in range(1, min(len(frame), 1 + MAX_LENGTH_BYTES)):
        if frame[at] < CONTINUES:
            return at + 1
    return None


def _length(frame: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while at < len(frame):
        found |= (frame[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if frame[at - 1] < CONTINUES:
            break
    return found, at


def _text(frame: bytes, at: int) -> tuple[str, int]:
    size = int.from_bytes(frame[at : at + 2], "big")
    end = at + 2 + size
    shown = frame[at + 2 : min(end, at + 2 + SHOWN_BYTES)].decode("utf-8", "replace")
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in shown), end
