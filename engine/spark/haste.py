"""The bytes of a tick come out of the JVM at once.

    JVM:  8 KB ──▶ | waits until they are acknowledged, then the rest      (Nagle)
    we:            | acknowledge with our next word, or after 40 ms        (delayed acknowledgement)

Neither word comes while each waits for the other, so every answer of more than 8 KB takes 40 ms. The
JVM's end of py4j's socket is out of our reach; ours acknowledges at once if it is told to before each read.
And py4j decodes bytes one by one, in Python; here that is one call.

Reference: py4j, issue 516; mended there after the version that Spark brings.
"""

import io
import socket
from base64 import b64decode
from typing import Any

from py4j.protocol import BYTES_TYPE, register_output_converter

AT_ONCE = getattr(socket, "TCP_QUICKACK", None)  # Linux has it

register_output_converter(BYTES_TYPE, lambda encoded, _client: b64decode(encoded))


class Prompt(io.RawIOBase):
    """A socket's answers, each piece acknowledged before the next is waited for."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if AT_ONCE is not None:
            self._socket.setsockopt(socket.IPPROTO_TCP, AT_ONCE, 1)
        return self._socket.recv_into(buffer)


def hasten(connection: Any) -> None:
    """Have a connection of py4j's read promptly; between two messages, when nothing is left unread."""
    if not isinstance(getattr(connection.stream, "raw", None), Prompt):
        connection.stream = io.BufferedReader(Prompt(connection.socket), 1 << 16)
