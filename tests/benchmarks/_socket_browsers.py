"""Browsers as the server knows them: Socket.IO over WebSockets, many in one event loop.

Each checks what a page checks: that a delta begins where the one before ended. One that is slow takes a few
messages a second, through a small window, as a phone at the end of a bad network does.
"""

import asyncio
import json
import socket
import time
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

SMALL_WINDOW = 4096
VIEW = "people"


class Browser:
    """One socket that watches one view; ``ages`` are the milliseconds from a tick to its delta being here."""

    def __init__(self, port: int, cookie: str, between: float = 0.0) -> None:
        """Read at once, or one message each ``between`` seconds."""
        self._port, self._cookie, self._between = port, cookie, between
        self.ages: list[float] = []
        self.snapshots, self.gaps, self.oldest = 0, 0, 0.0
        self.has_snapshot, self.is_lost = asyncio.Event(), False
        self._tick = -1

    async def stay(self) -> None:
        """Be there until cancelled."""
        try:
            async with connect(
                f"ws://127.0.0.1:{self._port}/socket.io/?EIO=4&transport=websocket",
                additional_headers={"Cookie": self._cookie},
                origin=f"http://127.0.0.1:{self._port}",  # type: ignore[arg-type]
                compression=None,
                sock=self._socket(),
                max_queue=1 if self._between else 64,
                ping_interval=None,
            ) as connection:
                await connection.send("40")
                async for frame in connection:
                    await self._take(str(frame), connection)
                    await asyncio.sleep(self._between)
        except ConnectionClosed:
            self.is_lost = True

    def _socket(self) -> socket.socket:
        opened = socket.socket()
        if self._between:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_WINDOW)
        opened.connect(("127.0.0.1", self._port))
        opened.setblocking(False)
        return opened

    async def _take(self, frame: str, connection: ClientConnection) -> None:
        if frame == "2":
            await connection.send("3")
        elif frame.startswith("40"):
            await connection.send("42" + json.dumps(["watch", {"view": VIEW}]))
        elif frame.startswith("42"):
            self._hear(*json.loads(frame[2:]))

    def _hear(self, event: str, message: dict[str, Any]) -> None:
        age = time.time() * 1000 - message.get("at", 0) / 1000
        if event == "snapshot":
            self.snapshots += 1
            self._tick = message["tick"]
            self.has_snapshot.set()
        elif event == "delta":
            self.gaps += message["after"] > self._tick
            self._tick = message["tick"]
            self.oldest = max(self.oldest, age)
            self.ages.append(age)

    def begin(self) -> None:
        """Forget what was measured so far."""
        self.ages, self.oldest = [], 0.0
