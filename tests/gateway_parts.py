"""Gateways around a broker in memory: who delivers what next is drawn, time is moved by hand.

Also what collects the answer: the decoder of the log's reader, and the engine's leaf over incarnations.
"""

import json
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any

from engine.lang.streamsql import Query, parse
from engine.lang.streamsql.query.select import SelectBinder
from engine.model.catalog import Catalog
from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.incarnations import Incarnations
from engine.plan.leaves import NATURAL, Shipped
from engine.plan.physical import SHIPPABLE, Physical, children
from engine.plan.wire import from_wire, to_wire
from engine.provenance.counting import COUNTING
from federated.optimizer import FederatedOptimizer
from ingest.decoding.decoder import Decoder
from ingest.decoding.gateway_words import forgetting
from ingest.gateways.agent import Agent, Outside
from ingest.gateways.kept import Kept, Said
from ingest.gateways.runs import Pace
from ingest.gateways.states import last_will
from ingest.log import Record
from ingest.sources import Sources, parse_sources

DEVICES = """
mqtt:
  seats:
    field: field/+/seat/{seat}
    columns: {seat: text, room: text, weight: double}
    key: [seat]
    window: PARTITION BY seat ROWS 1
  rooms:
    field: field/+/room/{sensor}
    columns: {sensor: text, room: text, open: boolean}
    key: [sensor]
    window: PARTITION BY sensor ROWS 1
  doors:
    topic: building/door/{door}
    field: field/+/door/{door}
    columns: {door: text, open: boolean}
    key: [door]
    window: PARTITION BY door ROWS 1
gateways:
"""


def house(links: dict[str, list[str]]) -> Sources:
    text = "".join(f"  {name}: {{links: [{', '.join(to)}]}}\n" for name, to in links.items())
    return parse_sources(DEVICES + text, {})


def planned(sql: str, sources: Sources) -> Physical:
    """Return the plan of a query as it would be if all devices were here."""
    statement = parse(sql)
    assert isinstance(statement, Query)
    catalog = Catalog([stream.relation() for stream in sources.streams])
    plan = FederatedOptimizer().optimize(SelectBinder(catalog, {}).bind(statement.select))
    return unshipped(plan)


def unshipped(plan: Physical) -> Physical:
    if isinstance(plan, Shipped):
        return unshipped(plan.plan)
    if not children(plan):
        return plan
    inputs = {
        field.name: unshipped(value)
        for field in fields(plan)
        if field.name in ("child", "left", "right") and (value := getattr(plan, field.name)) is not None
    }
    return replace(plan, **inputs)


def installing(plan: Physical, method: str = NATURAL, version: int = 1) -> tuple[str, bytes]:
    """Return the topic and the payload that install a plan."""
    shipped = Shipped("sensor", plan, method)
    body = {"name": shipped.name, "method": method, "plan": to_wire(plan), "version": version}
    return f"fragments/{shipped.name.partition(':')[2]}", json.dumps(body).encode()


class Answers:
    """What a fragment's results amount to: read as the log's reader does, put together as the engine does."""

    def __init__(self, asked: bytes) -> None:
        body = json.loads(asked)
        self.relation = Shipped("sensor", from_wire(body["plan"], SHIPPABLE), body["method"]).relation
        self._decoder = Decoder(Sources(), (self.relation,))
        self._rows = Incarnations(COUNTING)

    def heard(self, topic: str, payload: bytes) -> None:
        readings = self._decoder.decode(Record(1, 1, "mqtt", topic, None, payload))
        assert {reading.relation for reading in readings} == {self.relation.name}
        self._rows.advance(readings, 1)

    def gone(self, gateway: str) -> None:
        """Forget what a gateway said, as where it is removed from what is declared."""
        sign, row = forgetting(self.relation, gateway)
        self._rows.advance([Reading(self.relation.name, sign, row, 1, 0, 1)], 1)

    def rows(self) -> Counter[Row]:
        return Counter(self._rows.contents())

    def answered(self, names: Iterable[str]) -> set[str]:
        return set(names) - set(self._rows.unanswered(list(names)))


class House:
    """Gateways, a broker in memory, and what has arrived from them."""

    def __init__(
        self, links: dict[str, list[str]], random: Random, packet: int = 3, disk: Path | None = None
    ) -> None:
        """Have gateways that keep on a disk what they hear, or, without one, forget it when they die."""
        self.disk = disk
        self.kept: dict[str, Kept] = {}
        self.sources = house(links)
        self.random, self.packet = random, packet
        self.now = self._incarnation = 1_000_000
        self.agents: dict[str, Agent] = {}
        self._queues: dict[str, deque[tuple[str, bytes]]] = {}
        self.retained: dict[str, bytes] = {}
        self.answers: dict[str, Answers] = {}
        self.forwarded: list[tuple[str, bytes]] = []
        self.heard: dict[str, list[tuple[str, bytes]]] = {}
        self._written: dict[str, int] = {}

    def start(self, name: str) -> None:
        """Connect a gateway, a new one or one that was there."""

        def incarnate() -> int:
            self._incarnation += 1
            return self._incarnation

        def publish(topic: str, payload: bytes, retain: bool) -> None:
            if self.agents.get(name) is agent:
                self.publish(topic, payload, retain)

        def keep(said: Said) -> None:
            if self.disk is not None:
                self.kept[name].keep(said)

        agent = Agent(name, self.sources, Outside(publish, incarnate, Pace(self.packet), keep))
        if self.disk is not None:
            self.kept[name] = Kept(self.disk / f"{name}.said")
            agent.recall(self.kept[name].read(), self.now)
        self.agents[name] = agent
        self.connect(name)

    def connect(self, name: str) -> None:
        agent = self.agents[name]
        self._queues[name] = deque(self.retained.items())
        agent.connecting()

    def kill(self, name: str) -> None:
        del self.agents[name]
        if self.disk is None:
            self.heard.pop(name, None)
        else:
            self._lose_unwritten(name)
        self.disconnect(name)
        for answers in self.answers.values():
            answers.gone(name)

    def _lose_unwritten(self, name: str) -> None:
        """Lose what came since a time that is drawn: writing is not at once."""
        if self.random.random() < 0.5:
            self.write(name)
        self.heard[name] = self.heard.get(name, [])[: self._written.get(name, 0)]

    def write(self, name: str) -> None:
        self.kept[name].write()
        self._written[name] = len(self.heard.get(name, []))

    def disconnect(self, name: str) -> None:
        self._queues.pop(name, None)
        self.publish(f"gateway/{name}/state", last_will(), True)

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> None:
        if retain:
            self.retained[topic] = payload
        match topic.split("/"):
            case ["fragment", key, _]:
                self._answered(key, topic, payload)
            case ["building", *_]:
                self.forwarded.append((topic, payload))
        for name in self._listening(topic):
            self._queues[name].append((topic, payload))

    def _answered(self, key: str, topic: str, payload: bytes) -> None:
        asked = self.retained.get(f"fragments/{key}")
        if key not in self.answers and asked is not None:
            self.answers[key] = Answers(asked)
        if key in self.answers:
            self.answers[key].heard(topic, payload)

    def _listening(self, topic: str) -> list[str]:
        match topic.split("/"):
            case ["field" | "mesh", name, *_]:
                return [name] if name in self._queues else []
            case ["gateway", name, "renew"]:
                return [name] if name in self._queues else []
            case ["fragments", _] | ["gateway", _, "state"]:
                return list(self._queues)
        return []

    def says(self, gateway: str, device: str, **payload: Any) -> None:
        self.publish(f"field/{gateway}/{device}", json.dumps(payload).encode())

    def install(self, plan: Physical, method: str = NATURAL, version: int = 1) -> str:
        topic, payload = installing(plan, method, version)
        self.publish(topic, payload, True)
        return topic.partition("/")[2]

    def remove(self, key: str) -> None:
        self.publish(f"fragments/{key}", b"", True)
        del self.retained[f"fragments/{key}"]

    def run(self, steps: int) -> None:
        """Deliver some of what is on its way, in an order that is drawn."""
        for _ in range(steps):
            busy = [name for name, queue in self._queues.items() if queue]
            if not busy:
                return
            name = self.random.choice(busy)
            for _ in range(self.random.randint(1, 5)):
                if self._queues[name]:
                    self._swap(name)
                    self._deliver(name, *self._queues[name].popleft())
            self.agents[name].tick(self.now)

    def deliver(self) -> None:
        """Deliver everything, and let nobody's time go by."""
        while any(self._queues.values()):
            for name, queue in self._queues.items():
                while queue:
                    self._deliver(name, *queue.popleft())

    def lose(self, name: str) -> None:
        """Let what is on its way to a gateway be lost, its connection not."""
        self._queues[name].clear()

    def tick(self, *names: str) -> None:
        for name in names:
            self.agents[name].tick(self.now)

    def _swap(self, name: str) -> None:
        """Let what is asked come after what others say of it: brokers keep the order of one topic alone."""
        queue = self._queues[name]
        if len(queue) > 1 and queue[0][0].startswith("fragments/"):
            first, second = queue[0], queue[1]
            own = (f"mesh/{name}/{name}", f"gateway/{name}/state")
            if second[0].startswith("mesh/") and second[0] not in own and self.random.random() < 0.7:
                queue[0], queue[1] = second, first

    def _deliver(self, name: str, topic: str, payload: bytes) -> None:
        if topic.startswith("field/"):
            self.heard.setdefault(name, []).append((topic, payload))
        self.agents[name].heard(topic, payload, self.now)

    def settle(self, microseconds: int = 8_000_000) -> None:
        """Deliver everything, and let time go by until everybody has fallen silent."""
        until = self.now + microseconds
        while self.now < until or any(self._queues.values()):
            self.run(1_000_000)
            self.now += 250_000
            for name, agent in self.agents.items():
                if name in self._queues:
                    agent.tick(self.now)

    def rows(self, key: str) -> Counter[Row]:
        return self.answers[key].rows()

    def answered(self, key: str) -> set[str]:
        return self.answers[key].answered(self.agents)

    def state(self, name: str) -> dict[str, Any]:
        return dict(json.loads(self.retained[f"gateway/{name}/state"]))
