"""What py4j brings from the JVM is whole, and a large answer takes no forty milliseconds."""

import io
import os
import socket
import threading
from types import SimpleNamespace

from py4j.protocol import BYTES_TYPE, OUTPUT_CONVERTER, encode_bytearray

from engine.spark.haste import Prompt, hasten


def test_bytes_are_decoded_as_py4j_wrote_them() -> None:
    every = bytes(range(256)) * 5
    assert OUTPUT_CONVERTER[BYTES_TYPE](encode_bytearray(every), None) == every
    assert OUTPUT_CONVERTER[BYTES_TYPE]("", None) == b""


def test_a_connection_is_hastened_once_and_reads_lines_in_pieces() -> None:
    ours, theirs = socket.create_server(("127.0.0.1", 0)), socket.socket()
    with ours, theirs:
        theirs.connect(ours.getsockname())
        accepted, _ = ours.accept()
        with accepted:
            connection = SimpleNamespace(socket=accepted, stream=accepted.makefile("rb"))
            hasten(connection)
            hastened = connection.stream
            hasten(connection)
            assert connection.stream is hastened
            assert isinstance(hastened, io.BufferedReader)
            assert isinstance(hastened.raw, Prompt)
            line = os.urandom(300_000).hex().encode() + b"\n"
            sender = threading.Thread(target=theirs.sendall, args=(line + b"next\n",))
            sender.start()
            assert hastened.readline() == line
            assert hastened.readline() == b"next\n"
            sender.join()
