"""MQTT 3.1.1 frames as bytes: what both ends of the embedded path need, and no more.

    frame  =  type and flags (1 byte)  remaining length (1 to 4 bytes)  body
    PUBLISH body  =  topic length (2)  topic  [packet identifier (2) at QoS 1 and 2]  payload

References: MQTT 3.1.1, 2.2 (fixed header), 3.3 (PUBLISH), 3.4 (PUBACK).
"""

from typing import NamedTuple

PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP = 3, 4, 5, 6, 7
DUP, RETAIN = 0x08, 0x01
MAX_LENGTH_BYTES = 4
CONTINUES = 0x80


class FrameError(ValueError):
    """The bytes are no MQTT; the connection cannot go on."""


class Frame(NamedTuple):
    """Where a complete frame lies in a buffer."""

    kind: int
    flags: int
    body: int
    end: int


class Publish(NamedTuple):
    """A PUBLISH taken apart; ``mid`` is None at QoS 0."""

    topic: bytes
    payload: bytes
    qos: int
    mid: int | None
    dup: bool
    retain: bool


def find_frame(buffer: bytes | bytearray, at: int) -> Frame | None:
    """Return the frame that begins at ``at``, or None while it is not all there."""
    length = shift = 0
    for position in range(at + 1, at + 1 + MAX_LENGTH_BYTES):
        if position >= len(buffer):
            return None
        length |= (buffer[position] & 0x7F) << shift
        if buffer[position] < CONTINUES:
            end = position + 1 + length
            first = buffer[at]
            return Frame(first >> 4, first & 0x0F, position + 1, end) if end <= len(buffer) else None
        shift += 7
    msg = "a frame's length takes more than 4 bytes"
    raise FrameError(msg)


def parse_publish(buffer: bytes | bytearray, frame: Frame) -> Publish:
    """Take a PUBLISH apart."""
    body, end = frame.body, frame.end
    qos = frame.flags >> 1 & 3
    topic_end = body + 2 + int.from_bytes(buffer[body : body + 2], "big")
    start = topic_end + (2 if qos else 0)
    if start > end or topic_end == body + 2:
        msg = "a PUBLISH whose topic is empty or longer than itself"
        raise FrameError(msg)
    mid = int.from_bytes(buffer[topic_end:start], "big") if qos else None
    topic, payload = bytes(buffer[body + 2 : topic_end]), bytes(buffer[start:end])
    return Publish(topic, payload, qos, mid, bool(frame.flags & DUP), bool(frame.flags & RETAIN))


def build_publish(
    topic: bytes, payload: bytes, mid: int | None, *, dup: bool = False, retain: bool = False
) -> bytes:
    """Return a PUBLISH at QoS 1, or at QoS 0 without an identifier."""
    flags = (0 if mid is None else 2) | (DUP if dup else 0) | (RETAIN if retain else 0)
    identifier = b"" if mid is None else mid.to_bytes(2, "big")
    length = 2 + len(topic) + len(identifier) + len(payload)
    head = bytes([PUBLISH << 4 | flags]) + build_length(length) + len(topic).to_bytes(2, "big")
    return b"".join((head, topic, identifier, payload))


def build_ack(kind: int, mid: int) -> bytes:
    """Return a PUBACK, PUBREC or PUBCOMP."""
    return bytes((kind << 4, 2)) + mid.to_bytes(2, "big")


def build_length(length: int) -> bytes:
    """Return a remaining length."""
    found = bytearray()
    while length >= CONTINUES:
        found.append(length & 0x7F | CONTINUES)
        length >>= 7
    found.append(length)
    return bytes(found)
