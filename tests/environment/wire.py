"""A wire between an MQTT client and its broker that can be cut, or stand still, and that reads along.

client ⇄ wire ⇄ broker        PUBLISH to the client: identifier → message        PUBACK: acknowledged
"""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from ingest.mqtt_frames import PUBACK, PUBLISH, Frame, find_frame, parse_publish
from tests.environment.waiting import free_port

CHUNK = 65_536


class Wire:
    """Listens on a port of its own; ``acknowledged`` are topics and payloads whose PUBACK the client sent.

    ``acknowledged_unsent`` are identifiers that it acknowledged on a connection that had not brought them.
    """

    def __init__(self, broker_port: int) -> None:
        self.port, self._broker_port = free_port(), broker_port
        self.acknowledged: list[tuple[str, bytes]] = []
        self.acknowledged_unsent: list[int] = []
        self._whole, self._moving = threading.Event(), threading.Event()
        self._whole.set()
        self._moving.set()
        self._ends: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection and let none through."""
        self._whole.clear()
        self._break()

    def stand_still(self) -> None:
        """Carry nothing on, and say nothing of it."""
        self._moving.clear()

    def mend(self) -> None:
        self._whole.set()
        self._moving.set()

    def close(self) -> None:
        self.mend()
        self._listening.close()
        self._break()

    def _break(self) -> None:
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self._listening.accept()[0]
                self._join(client)

    def _join(self, client: socket.socket) -> None:
        if not self._whole.is_set():
            client.close()
            return
        try:
            broker = socket.create_connection(("127.0.0.1", self._broker_port), 2)
            broker.settimeout(None)
        except OSError:
            client.close()
            return
        self._ends += [client, broker]
        sent: dict[int, tuple[str, bytes]] = {}

        def from_broker(buffer: bytes, frame: Frame) -> None:
            if frame.kind == PUBLISH and (message := parse_publish(buffer, frame)).mid is not None:
                sent[message.mid] = (message.topic.decode(), message.payload)

        def from_client(buffer: bytes, frame: Frame) -> None:
            if frame.kind != PUBACK:
                return
            mid = int.from_bytes(buffer[frame.body : frame.end], "big")
            if mid in sent:
                self.acknowledged.append(sent[mid])
            else:
                self.acknowledged_unsent.append(mid)

        for pair in ((broker, client, from_broker), (client, broker, from_client)):
            threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(
        self, source: socket.socket, sink: socket.socket, read: Callable[[bytes, Frame], None]
    ) -> None:
        """Carry what comes one way; what one end closes, the other is told."""
        buffer = b""
        with suppress(OSError):
            while chunk := source.recv(CHUNK):
                self._moving.wait()
                buffer, at = buffer + chunk, 0
                while at < len(buffer) and (frame := find_frame(buffer, at)) is not None:
                    read(buffer, frame)
                    at = frame.end
                buffer = buffer[at:]
                sink.sendall(chunk)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
