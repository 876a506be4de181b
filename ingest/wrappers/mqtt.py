"""Devices that speak MQTT.

    broker ─QoS 1→ one thread: read a burst → one unit → log commit → PUBACKs in the order received

A message is acknowledged after the log's commit, never before: what the broker holds back for us
plus what the log has is everything, whoever dies. The session is persistent under a fixed client
identifier; a redelivery of what is logged is dropped (``mqtt_window`` says how exactly). An
acknowledgement is only sent on the connection that brought the message: on a later one the broker
may already mean another message by that identifier.

Left out on purpose: QoS 2, which costs twice the packets and gives nothing the window does not. A
retained message comes again at each connection, because each one subscribes anew, and is logged again.

References: MQTT 3.1.1, 4.3.2 (QoS 1), 4.4 (redelivery), 4.6 (order).
"""

import json
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import structlog
from paho.mqtt.client import Client, ConnectFlags
from paho.mqtt.reasoncodes import ReasonCode

from engine.model.clock import Clock
from engine.model.relation import Relation
from ingest.log import Entry, Log, StateChange
from ingest.log_writer import LogWriter
from ingest.wrapper import SourceHealth, SourceState
from ingest.wrappers.mqtt_client import KEEP_ALIVE, BatchingClient, Message
from ingest.wrappers.mqtt_retained import Retained
from ingest.wrappers.mqtt_url import BrokerAddress
from ingest.wrappers.mqtt_window import HALF, SESSION_BEGAN, DeliveryWindow

SOURCE = "mqtt"
FILTERS_ITEM = "filters"
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
        filters: Sequence[str],
        relations: tuple[Relation, ...],
        clock: Clock,
    ) -> None:
        self._address = address
        self._filters = self._wanted = tuple(filters)
        self._relations = relations
        self._clock = clock
        self._client = BatchingClient(client_id, self._take)
        self._client.on_connect = self._connected
        address.prepare(self._client, KEEP_ALIVE)
        self._window, self._retained = DeliveryWindow(), Retained(SOURCE)
        self._entries: list[Entry] = []
        self._mids: list[int] = []
        self._committed: deque[tuple[int, list[int], float]] = deque()
        self._connection = 0
        self._stale_filters: set[str] = set()
        self._health = SourceHealth()
        self._ending, self._subscribed = threading.Event(), threading.Event()
        self._client.on_subscribe = lambda *_: self._subscribed.set()
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
        at = max(0, log.last().offset - 2 * HALF)
        while tail := log.read(at):
            self._window.restore(tail, SOURCE)
            at = tail[-1].offset
        known = log.state(SOURCE)
        self._stale_filters = set(json.loads(known.get(FILTERS_ITEM, "[]")))
        self._retained.restore(known)
        self._thread.start()

    def follow(self, filters: Sequence[str]) -> None:
        """Subscribe to these from now on; return when the broker has agreed, or does not answer."""
        if set(filters) == set(self._wanted):
            return
        self._subscribed.clear()
        self._wanted = tuple(filters)
        self._wake()
        self._subscribed.wait(PATIENCE)

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
        return self._health

    def _run(self) -> None:
        wait = FIRST_WAIT
        while not self._ending.is_set():
            reached = self._connection
            try:
                self._client.reconnect()
                self._serve()
            except OSError as error:
                self._fail(f"no broker at {self._address}: {error}; is it running?")
            except Exception as error:  # a bug here must not end the source in silence
                structlog.get_logger().exception("the connection failed", source=SOURCE)
                self._fail(f"internal: {error!r}")
            wait = FIRST_WAIT if self._connection > reached else min(wait * 2, LAST_WAIT)
            self._ending.wait(wait)
        self._health = replace(self._health, state=SourceState.CLOSED)

    def _serve(self) -> None:
        """Read, submit and acknowledge until the connection ends."""
        while (connection := self._client.socket()) is not None and not self._ending.is_set():
            self._await(connection)
            if self._wanted != self._filters:
                self._change_filters()
            if self._retained.is_behind and self._client.is_connected():
                self._retained.say(self._client, self._writer)
            self._client.loop_read()
            self._submit()
            self._acknowledge()
            if self._client.want_write():
                self._client.loop_write()
            self._client.loop_misc()
        if self._ending.is_set():
            self._leave()
        else:
            self._fail(self._health.problem or f"lost the connection to {self._address}; connecting again")

    def _leave(self) -> None:
        """Acknowledge what is still being committed, then disconnect."""
        done = threading.Event()
        self._writer.submit([], done.set)
        done.wait(LEAVING)
        self._acknowledge()
        self._client.disconnect()

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
        self._connection += 1
        if not flags.session_present:
            self._window.clear()
            self._writer.submit([Entry(SOURCE, SESSION_BEGAN, b"")])
        self._filters = self._wanted
        for stale in self._stale_filters - set(self._filters):
            client.unsubscribe(stale)
        self._subscribe(self._filters)
        self._retained.forget_said()
        self._health = replace(self._health, state=SourceState.LIVE, problem="")

    def _change_filters(self) -> None:
        """Subscribe to what is wanted before leaving what is not: twice is better than not at all."""
        before, self._filters = self._filters, self._wanted
        self._subscribe([one for one in self._filters if one not in before])
        for stale in set(before) - set(self._filters):
            self._client.unsubscribe(stale)
            self._subscribed.set()

    def _subscribe(self, filters: Sequence[str]) -> None:
        if filters:
            self._client.subscribe([(one, 1) for one in filters])
        self._stale_filters |= set(filters)
        self._writer.submit([], state=[StateChange(SOURCE, FILTERS_ITEM, json.dumps(self._filters))])

    def _take(self, message: Message) -> None:
        if self._window.is_redelivery(message):
            self._health = replace(self._health, duplicates=self._health.duplicates + 1)
        else:
            self._window.remember(message)
            self._entries.append(Entry(SOURCE, message.topic, message.payload, message.mid))
        if message.mid is not None:
            self._mids.append(message.mid)

    def _submit(self) -> None:
        """Hand a burst over; it is acknowledged, duplicates included, once it is in the log."""
        if not self._entries and not self._mids:
            return
        entries, self._entries = self._entries, []
        mids, self._mids = self._mids, []
        connection, began = self._connection, time.monotonic()

        def committed() -> None:
            self._committed.append((connection, mids, began))
            self._wake()

        self._writer.submit(entries, committed)
        self._health = replace(
            self._health, received=self._clock.now(), accepted=self._health.accepted + len(entries)
        )

    def _acknowledge(self) -> None:
        ready: list[int] = []
        while self._committed:
            connection, mids, began = self._committed.popleft()
            if connection == self._connection:
                ready += mids
            self._health = replace(self._health, lag=round(time.monotonic() - began, 4))
        self._client.acknowledge(ready)

    def _wake(self) -> None:
        with suppress(BlockingIOError, OSError):
            self._wake_in.send(b"\0")

    def _fail(self, problem: str) -> None:
        self._health = replace(self._health, state=SourceState.FAILING, problem=problem)
