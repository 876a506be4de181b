"""Devices that speak MQTT.

    broker ─QoS 1→ one thread: read a burst → one unit → log commit → PUBACKs in the order received

A message is acknowledged after the log's commit, never before: what the broker holds back for us
plus what the log has is everything, whoever dies (``deliveries``). The session is persistent under a
fixed client identifier; a redelivery of what is logged is dropped (``window`` says how exactly).

What nobody asks for is held rather than logged (``intake``), so a few wide filters serve any number of
devices (``asked``). Whoever waits for it is told that we are there, and by our last will that we are not.

Nor is what the log has already: a retained message comes again at each connection, because each one
subscribes anew, and a device may resend (``repeats``). Under pressure what may be left out is, and is
counted in the log (``shedding``, ``accounts``).

Left out on purpose: QoS 2, which costs twice the packets and gives nothing the window does not.

References: MQTT 3.1.1, 3.1.2.5 (will), 4.3.2 (QoS 1), 4.4 (redelivery), 4.6 (order). Home Assistant, MQTT:
birth and last will messages.
"""

import selectors
import socket
import ssl
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import structlog
from paho.mqtt.client import Client, ConnectFlags
from paho.mqtt.reasoncodes import ReasonCode

from engine.model.clock import Clock
from engine.model.relation import Relation
from ingest.discovery.topics import BIRTH_TOPIC, DIED, birth_messages
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.sources import RESERVED
from ingest.wrapper import SourceHealth, SourceState
from ingest.wrappers.mqtt.accounts import Accounts
from ingest.wrappers.mqtt.asked import Asked
from ingest.wrappers.mqtt.care import Cares
from ingest.wrappers.mqtt.cleared import Cleared
from ingest.wrappers.mqtt.client import KEEP_ALIVE, BatchingClient
from ingest.wrappers.mqtt.deliveries import Deliveries
from ingest.wrappers.mqtt.filters import Filters
from ingest.wrappers.mqtt.heard import Heard
from ingest.wrappers.mqtt.intake import Intake
from ingest.wrappers.mqtt.retained import Retained
from ingest.wrappers.mqtt.url import BrokerAddress

SOURCE = "mqtt"
FIRST_WAIT, LAST_WAIT = 0.2, 5.0
LEAVING = 2.0
PATIENCE = 2.0


class MqttWrapper:
    """One broker, all declared topics."""

    source = SOURCE

    def __init__(
        self,
        address: BrokerAddress,
        client_id: str,
        asked: Asked,
        relations: tuple[Relation, ...],
        clock: Clock,
    ) -> None:
        self._address = address
        self._relations = relations
        self._clock = clock
        self.heard = Heard(clock)
        self._intake = Intake(asked, self.heard, RESERVED)
        self._accounts = Accounts(SOURCE, self._intake, clock.now)
        self._deliveries = Deliveries(SOURCE, self._intake, self._accounts, self._wake)
        self._filters, self._retained = Filters(SOURCE, asked.filters()), Retained(SOURCE)
        self._cleared = Cleared()
        self._client = BatchingClient(client_id, self._deliveries.take)
        self._client.will_set(BIRTH_TOPIC, DIED, qos=1)
        self._client.on_connect = self._connected
        self._client.on_subscribe = lambda *_: self._filters.agreed.set()
        address.prepare(self._client, KEEP_ALIVE)
        self._health, self._is_in = SourceHealth(), False
        self._ending = threading.Event()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)

    def describe(self) -> tuple[Relation, ...]:
        """Return the declared streams."""
        return self._relations

    def open(self, writer: LogWriter, log: Log) -> None:
        """Connect, and stay connected."""
        self._writer = writer
        known = log.state(SOURCE)
        self._deliveries.open(writer, log)
        self._filters.open(writer, known)
        self._retained.restore(known)
        self._intake.know({each.topic: each.body for each in log.announced() if each.source == SOURCE})
        self._thread.start()

    def ask(self, asked: Asked, patience: float = PATIENCE) -> None:
        """Listen to this from now on; return when the broker has agreed, or does not answer."""
        self._intake.ask(asked)
        is_other = self._filters.want(asked.filters())
        self._wake()
        if is_other:
            self._filters.agreed.wait(patience)

    def heed(self, cares: Cares) -> None:
        """Treat messages as these say from now on."""
        self._accounts.heed(cares)

    def clear(self, topics: Iterable[str]) -> None:
        """Have the broker forget what devices had it keep on these topics."""
        self._intake.forget(topics)
        self._cleared.want(topics)
        self._wake()

    def keep(self, messages: Mapping[str, bytes]) -> None:
        """Have the broker keep these messages, by topic, and no others of ours."""
        self._retained.want(messages)
        self._wake()

    def close(self) -> None:
        """Disconnect; what was submitted is still logged."""
        self._ending.set()
        self._wake()
        self._thread.join(5)

    def health(self) -> SourceHealth:
        """Return what people are told."""
        found = self._deliveries
        told = replace(self._health, accepted=found.accepted, duplicates=found.duplicates, lag=found.lag)
        intake, accounts = self._intake, self._accounts
        told = replace(told, unasked=intake.unasked, held=intake.held, overflowed=intake.overflowed)
        lost, pressure = accounts.losses, accounts.pressure
        return replace(told, repeated=accounts.repeated, losses=lost, pressure=pressure)

    def _run(self) -> None:
        wait = FIRST_WAIT
        while not self._ending.is_set():
            self._is_in = False
            try:
                self._deliveries.reconnect()
                self._client.reconnect()
                self._serve()
            except ssl.SSLError as error:
                self._fail(f"no TLS with {self._address}: {error}; see ca, cert and key in its URL")
            except OSError as error:
                self._fail(f"no broker at {self._address}: {error}; is it running?")
            except Exception as error:  # a bug here must not end the source in silence
                structlog.get_logger().exception("the connection failed", source=SOURCE)
                self._fail(f"internal: {error!r}")
            wait = FIRST_WAIT if self._is_in else min(wait * 2, LAST_WAIT)
            self._ending.wait(wait)
        self._health = replace(self._health, state=SourceState.CLOSED)

    def _serve(self) -> None:
        """Read, submit and acknowledge until the connection ends."""
        while (connection := self._client.socket()) is not None and not self._ending.is_set():
            self._await(connection)
            if self._filters.is_behind:
                self._filters.change(self._client)
            if self._retained.is_behind and self._client.is_connected():
                self._retained.say(self._client, self._writer)
            if self._cleared.is_behind and self._client.is_connected():
                self._cleared.say(self._client)
            self._client.loop_read()
            if self._deliveries.submit():
                self._health = replace(self._health, received=self._clock.now())
            self._acknowledge()
            if self._client.want_write():
                self._client.loop_write()
            self._client.loop_misc()
        if self._ending.is_set():
            self._leave()
        else:
            self._fail(self._health.problem or self._why_lost())

    def _why_lost(self) -> str:
        if self._is_in:
            return f"lost the connection to {self._address}; connecting again"
        remedy = "; see ca, cert and key in its URL" if self._address.tls else ""
        return f"{self._address} ended the connection before it let us in{remedy}"

    def _leave(self) -> None:
        """Acknowledge what is still being committed, then disconnect."""
        done = threading.Event()
        self._writer.submit([], done.set)
        done.wait(LEAVING)
        self._acknowledge()
        self._client.publish(BIRTH_TOPIC, DIED, qos=1)
        self._client.disconnect()

    def _acknowledge(self) -> None:
        self._client.acknowledge(self._deliveries.ready())

    def _await(self, connection: Any) -> None:
        """Wait until there is something to read, to write or to acknowledge."""
        if self._client.has_buffered:
            return
        with selectors.PollSelector() as selector:
            write = selectors.EVENT_WRITE if self._client.want_write() else 0
            selector.register(connection, selectors.EVENT_READ | write)
            selector.register(self._wake_out, selectors.EVENT_READ)
            selector.select(1.0)
        with suppress(BlockingIOError):
            self._wake_out.recv(4096)

    def _connected(
        self, client: Client, _data: object, flags: ConnectFlags, code: ReasonCode, _properties: object
    ) -> None:
        if code.is_failure:
            self._fail(f"the broker at {self._address} refused us: {code}; see user and password in its URL")
            return
        self._is_in = True
        self._deliveries.begin(is_known=flags.session_present)
        self._filters.begin(client)
        self._retained.forget_said()
        self._cleared.forget_said()
        for topic, payload in birth_messages():
            client.publish(topic, payload, qos=1)
        self._health = replace(self._health, state=SourceState.LIVE, problem="")

    def _wake(self) -> None:
        with suppress(BlockingIOError, OSError):
            self._wake_in.send(b"\0")

    def _fail(self, problem: str) -> None:
        self._health = replace(self._health, state=SourceState.FAILING, problem=problem)
