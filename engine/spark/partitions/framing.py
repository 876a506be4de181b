"""Values over a local socket: eight bytes of length, then the value, pickled.

Both ends are processes of one user in one executor, and the socket stands in a folder of that user's alone.
"""

import pickle
import socket
import struct
from typing import Any

LENGTH = struct.Struct("!Q")


def send(connection: socket.socket, value: object) -> None:
    content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    connection.sendall(LENGTH.pack(len(content)))
    connection.sendall(content)


def receive(connection: socket.socket) -> Any:
    """Return the next value; raise EOFError where the other end is gone."""
    (length,) = LENGTH.unpack(_exactly(connection, LENGTH.size))
    return pickle.loads(_exactly(connection, length))  # noqa: S301  # of our own process


def _exactly(connection: socket.socket, length: int) -> bytearray:
    content = bytearray(length)
    view, read = memoryview(content), 0
    while read < length:
        count = connection.recv_into(view[read:])
        if not count:
            message = "the connection ended"
            raise EOFError(message)
        read += count
    return content
