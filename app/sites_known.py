"""What is known of the sites, for the optimizer: declared in sources.yaml, then as the gateways say it.

    sources.yaml    gateways and their links, how often databases are polled
    gateway states  the links that are live, how many devices of each stream there are, how often they speak
    acquisition     how many rows the tables on demand have; one that grew by less than a fifth is as it was

The states are the retained messages that the log has too; here only the newest of each counts. By it
is placed what is asked from now on, and anew what runs (``federated.choosing.replacing``).
"""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from engine.model.relation import UP
from federated.optimizer import FederatedOptimizer
from federated.placing.outgrown import Outgrown
from federated.sites.network import Network
from ingest.decoding.gateway_words import gateway_named
from ingest.sources import Sources
from ingest.wrappers.mqtt.url import parse_mqtt_url

STATES = "gateway/+/state"
KEEP_ALIVE = 20
SIZES_EVERY = 2.0
GREW = 0.2
States = Mapping[str, Mapping[str, Any]]
Sizes = Mapping[str, int]


def network_of(sources: Sources, states: States, sizes: Sizes | None = None) -> Network:
    """Return what is known; a gateway that is gone has no links, one that has said nothing its declared."""
    links = {each.name: tuple(map(str, each.links)) for each in sources.gateways}
    for name, said in states.items():
        told = said.get("links", links.get(name, ())) if said.get("state") == UP else ()
        links[name] = tuple(map(str, told))
    devices: dict[str, dict[str, float]] = {}
    spoken: dict[str, float] = {}
    for gateway, said in states.items():
        for stream, figures in said.get("streams", {}).items() if links[gateway] else ():
            devices.setdefault(stream, {})[gateway] = float(figures["devices"])
            spoken[stream] = spoken.get(stream, 0.0) + float(figures["rate"])
    total = {stream: sum(counts.values()) for stream, counts in devices.items()}
    rates = {stream: rate / total[stream] for stream, rate in spoken.items() if rate and total[stream]}
    polls = {each.name: each.poll_seconds for each in sources.databases}
    rows = {name: float(count) for name, count in (sizes or {}).items()}
    return Network(links=live(links), devices=devices, rates=rates, rows=rows, polls=polls)


def live(links: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the links of which both ends are there."""
    gone = {name for name, others in links.items() if not others}
    return {name: tuple(other for other in others if other not in gone) for name, others in links.items()}


def sizes_in(health: Path) -> Sizes:
    """Return the rows of each table, as the acquisition wrote last what its sources say."""
    try:
        found = json.loads(health.read_text("utf-8"))["sources"].values()
        return {name: int(rows) for each in found for name, rows in each["rows"].items()}
    except (OSError, ValueError, KeyError):
        return {}


def are_others(before: Sizes, now: Sizes) -> bool:
    """Tell whether some table is of another size, by more than a fifth."""
    return any(
        name not in before or abs(rows - before[name]) > GREW * before[name] for name, rows in now.items()
    )


def informed_optimizer(
    url: str, sources: Sources, health: Path, outgrown: Outgrown
) -> "tuple[FederatedOptimizer, SitesKnown]":
    """Return the optimizer, and what tells it of the sites as that becomes known."""
    optimizer = FederatedOptimizer(network_of(sources, {}), outgrown=outgrown)
    return optimizer, SitesKnown(url, sources, optimizer.learn, health)


class SitesKnown:
    """Follows gateways' states and tables' sizes; ``tell`` is given the network whenever it is another."""

    def __init__(self, url: str, sources: Sources, tell: Callable[[Network], None], health: Path) -> None:
        self._address = parse_mqtt_url(url)
        self._sources, self._tell = sources, tell
        self._states: dict[str, Mapping[str, Any]] = {}
        self._health, self._sizes = health, dict[str, int]()
        self._learning, self._ending = threading.Lock(), threading.Event()
        self._sizing = threading.Thread(target=self._follow_sizes, name="sizes", daemon=True)
        self._network: Network | None = None
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect, self._client.on_message = self._connected, self._heard

    def start(self) -> None:
        if self._sources.gateways:
            self._address.prepare(self._client, KEEP_ALIVE)
            self._client.loop_start()
        if any(each.on_demand for each in self._sources.databases):
            self._sizing.start()

    def stop(self) -> None:
        self._ending.set()
        if self._sizing.is_alive():
            self._sizing.join(5)
        if self._sources.gateways:
            self._client.disconnect()
            self._client.loop_stop()

    def take(self, topic: str, payload: bytes) -> None:
        """Take in what a gateway says; what cannot be read is for the log to reject."""
        name = gateway_named(topic)
        with self._learning:
            try:
                states = {**self._states, str(name): json.loads(payload)}
                network = network_of(self._sources, states, self._sizes)
            except (ValueError, KeyError, TypeError, AttributeError):
                return
            self._states = states
            self._learn(network)

    def look_at_sizes(self) -> None:
        """Take in how big the tables are by now."""
        with self._learning:
            found = sizes_in(self._health)
            if are_others(self._sizes, found):
                self._sizes = {**self._sizes, **found}
                self._learn(network_of(self._sources, self._states, self._sizes))

    def _learn(self, network: Network) -> None:
        if network != self._network:
            self._network = network
            self._tell(network)

    def _follow_sizes(self) -> None:
        while not self._ending.wait(SIZES_EVERY):
            self.look_at_sizes()

    def _connected(
        self, client: Client, _u: object, _f: ConnectFlags, code: ReasonCode, _p: Properties | None
    ) -> None:
        if not code.is_failure:
            client.subscribe(STATES)

    def _heard(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        self.take(message.topic, bytes(message.payload))
