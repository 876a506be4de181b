"""One machine and its broker: paho in a thread of its own, the looks in this one.

    connected, or the birth message  →  announce, availability, the last state       every interval  →  state
    the end                          →  offline; killed, the broker says it for us

Nothing is queued for a broker that is away: what a machine was an hour ago is of use to nobody. The
answers of many machines to one birth message are spread over seconds, each at its own.
"""

import json
import math
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from ingest.agent.announcing import BIRTH, OFFLINE, ONLINE, Profile, announcement
from ingest.agent.machine import Machine
from ingest.wrappers.mqtt.url import BrokerAddress

KEEP_ALIVE = 30
FIRST_SECONDS = 1.0  # rates need two looks
GOOD_BYE_SECONDS = 2.0
SPREAD_SECONDS = 5.0
FIRST_RETRY, LAST_RETRY = 1, 30
MOST_WAITING = 20  # for a broker that is connected and does not acknowledge

Say = Callable[[str], None]


class Agent:
    """``say`` is told, a line each, what people should know: once when it begins, once when it is over."""

    def __init__(self, machine: Machine, profile: Profile, version: str, say: Say) -> None:
        self._machine, self._profile, self._version, self._say = machine, profile, version, say
        self._state: dict[str, Any] = {}
        self._asked: SimpleQueue[float] = SimpleQueue()
        self._problem: str | None = None
        self._ending = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id=f"smartcis-agent-{profile.id}")
        self._client.will_set(profile.availability_topic, OFFLINE, qos=1, retain=True)
        self._client.reconnect_delay_set(FIRST_RETRY, LAST_RETRY)
        self._client.max_queued_messages_set(MOST_WAITING)
        self._client.on_connect, self._client.on_connect_fail = self._connected, self._not_connected
        self._client.on_disconnect, self._client.on_message = self._disconnected, self._born

    def run(self, address: BrokerAddress) -> None:
        """Serve until told to end."""
        self._address = address
        address.prepare(self._client, KEEP_ALIVE)
        self._client.loop_start()
        self._serve()
        good_bye = self._publish(self._profile.availability_topic, OFFLINE)
        if good_bye is not None:
            with suppress(
                RuntimeError, ValueError
            ):  # the connection broke, or what waits is too much already
                good_bye.wait_for_publish(GOOD_BYE_SECONDS)
        self._client.disconnect()
        self._client.loop_stop()

    def end(self) -> None:
        """Have ``run`` say good-bye and return; may be called from any thread."""
        self._ending.set()
        self._asked.put(math.inf)

    def _serve(self) -> None:
        look_at, announce_at = time.monotonic() + min(FIRST_SECONDS, self._profile.interval), math.inf
        while not self._ending.is_set():
            due = min(look_at, announce_at) if self._state else look_at
            with suppress(Empty):
                asked = self._asked.get(timeout=max(due - time.monotonic(), 0))
                announce_at = min(announce_at, time.monotonic() + asked)
            now = time.monotonic()
            is_due = now >= look_at
            if is_due:
                look_at = max(look_at + self._profile.interval, now)
                announce_at = now if self._look() else announce_at
            if self._state and now >= announce_at:
                announce_at = math.inf
                self._publish_announcement()
            elif is_due:
                self._publish_state()

    def _look(self) -> bool:
        """Look, and tell whether there is something that was not announced."""
        known = self._state.keys()
        self._state = self._machine.look()
        return bool(self._state.keys() - known)

    def _publish_announcement(self) -> None:
        found = announcement(self._profile, self._state, self._version)
        self._publish(self._profile.config_topic, json.dumps(found))
        self._publish(self._profile.availability_topic, ONLINE)
        self._publish_state()

    def _publish_state(self) -> None:
        self._publish(self._profile.state_topic, json.dumps(self._state), retain=False)

    def _publish(self, topic: str, payload: str, retain: bool = True) -> MQTTMessageInfo | None:
        """Publish, if there is a broker now."""
        if not self._client.is_connected():
            return None
        return self._client.publish(topic, payload, qos=1, retain=retain)

    # On paho's thread

    def _connected(
        self, client: Client, _u: object, _f: ConnectFlags, code: ReasonCode, _p: Properties | None
    ) -> None:
        if code.is_failure:
            self._tell(f"{self._address} refuses: {code}; check user and password in --broker; trying again")
            return
        self._tell("")
        client.subscribe(BIRTH, qos=1)
        self._asked.put(0.0)

    def _not_connected(self, _client: Client, _userdata: object) -> None:
        error = sys.exc_info()[1]  # paho calls where it caught it, and hands nothing over
        self._tell(f"{self._address} cannot be reached: {error or 'no more is known'}; trying again")

    def _disconnected(
        self, _c: Client, _u: object, _f: DisconnectFlags, code: ReasonCode, _p: Properties | None
    ) -> None:
        if not self._ending.is_set() and self._problem == "":
            self._tell(f"{self._address} is gone: {code}; trying again")

    def _born(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        if not message.retain and message.payload == ONLINE.encode():
            self._asked.put(int(self._profile.id[:4], 16) / 0x10000 * self._spread())

    def _spread(self) -> float:
        return min(SPREAD_SECONDS, self._profile.interval)

    def _tell(self, problem: str) -> None:
        """Say what is wrong, or that nothing is any more, unless that was said last."""
        if problem != self._problem:
            self._problem = problem
            as_whom = f"says how {self._profile.name} is, as {self._profile.device}"
            self._say(problem or f"{as_whom}, to {self._address} every {self._profile.interval:g} s")
