"""The embedded MQTT broker, a process of its own, for one machine.

    python -m ingest.broker --host 127.0.0.1 --port 1883 --state DIR

Anyone on this machine may connect, nobody else: who needs devices elsewhere, passwords or TLS sets
SMARTCIS_MQTT_URL to a real broker. No $SYS topics. MQTT 3.1.1 only: a client that speaks another
version is told so, and noted in DIR (``broker_greeting``). Bounds: 1,000 messages in flight and 200,000
waiting for each persistent session; a session nobody came back to for a day is forgotten.

What survives: while a subscriber is away, everything acknowledged to publishers waits for it. What
does not: everything is in memory, so when the broker itself dies, acknowledged messages it had not yet
delivered (milliseconds' worth while acquisition runs), retained messages and sessions are gone.
amqtt's own session store keeps neither messages in flight nor those of connected sessions, so it
would not change that promise. A broker that must keep it across its own death is Mosquitto.
"""

import argparse
import asyncio
import errno
import logging
import signal
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

from amqtt.errors import BrokerError
from amqtt.plugins.base import BaseAuthPlugin
from amqtt.session import Session

from engine.model.clock import SystemClock
from ingest.broker.greeting import Greeting, note
from ingest.broker.sessions import OnRefusal, SwiftBroker
from ingest.lifeline import end_with_parent

SESSION_EXPIRY = 86_400
EXIT_PORT_TAKEN = 3


class LoopbackAuth(BaseAuthPlugin):
    """Lets in who is on this machine."""

    async def authenticate(self, *, session: Session) -> bool:
        """Say whether a session's client may connect."""
        return ip_address(session.remote_address or "0.0.0.0").is_loopback


def build_broker(host: str, port: int, on_refusal: OnRefusal = lambda *_: None) -> SwiftBroker:
    """Return a broker that is not started; needs a running loop."""
    return SwiftBroker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"{host}:{port}"}},
            "plugins": {"ingest.broker.embedded.LoopbackAuth": {}},
            "session_expiry_interval": SESSION_EXPIRY,
        },
        on_refusal,
    )


async def serve(host: str, port: int, state: Path | None) -> None:
    """Serve until told to end."""
    clock = SystemClock()

    def refuse(greeting: Greeting, address: str) -> None:
        sys.stdout.write(f"broker: refused {greeting.client!r} at {address}: {greeting.reason}\n")
        sys.stdout.flush()
        if state is not None:
            note(state, greeting, address, clock.now())

    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    broker = build_broker(host, port, refuse)
    await broker.start()
    sys.stdout.write(f"broker: listening on {host}:{port}\n")
    sys.stdout.flush()
    await ending.wait()
    await broker.shutdown()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the process; return its exit code."""
    parser = argparse.ArgumentParser("python -m ingest.broker", description="The embedded MQTT broker.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--state", type=Path, help="folder in which it notes whom it refused")
    chosen = parser.parse_args(arguments)
    logging.getLogger("amqtt.broker").setLevel(logging.CRITICAL)
    end_with_parent()
    try:
        asyncio.run(serve(chosen.host, chosen.port, chosen.state))
    except BrokerError as error:
        cause = error.__cause__
        if not isinstance(cause, OSError) or cause.errno != errno.EADDRINUSE:
            raise
        remedy = "choose another, or set SMARTCIS_MQTT_URL to use its broker"
        sys.stderr.write(f"broker: port {chosen.port} on {chosen.host} is taken; {remedy}\n")
        return EXIT_PORT_TAKEN
    return 0
