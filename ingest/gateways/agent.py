"""A gateway, without its broker and without a clock: messages and times come in, messages go out.

    recall       what the devices said in earlier lives is there again
    connecting   everything that is retained comes again, then the own marker
    connected    a new life: what nobody asks any more is removed, everything is said again
    tick         what the devices said since goes through every fragment; what changed is said

The topology is made of the states that gateways retain; when it changes, everything between gateways, and
every result, is said again in a new incarnation. What got lost between gateways is mended by a new life,
which is a new topology; who misses results asks for them, by fragment or all, at gateway/<name>/renew.
"""

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

import structlog

from engine.model.clock import SECOND
from engine.model.errors import SourceError, nearest
from engine.model.relation import UP
from ingest.decoding.payload import parse
from ingest.decoding.values import FieldError
from ingest.gateways.devices import Devices
from ingest.gateways.installed import Installed
from ingest.gateways.kept import Said
from ingest.gateways.mesh import Mesh, Message
from ingest.gateways.runs import Pace
from ingest.gateways.states import States
from ingest.gateways.topology import Member, Topology
from ingest.sources import Sources

STATE_PERIOD = 5 * SECOND
BETWEEN_LIVES, AT_MOST_BETWEEN_LIVES = 5 * SECOND, 60 * SECOND
BETWEEN_RENEWALS = 20 * SECOND
UNREADABLE = (FieldError, AttributeError, KeyError, TypeError, ValueError)

log = structlog.get_logger(__name__)


class Outside(NamedTuple):
    """How an agent publishes (topic, payload, retained), what numbers its incarnations, and what keeps."""

    publish: Callable[[str, bytes, bool], None]
    incarnate: Callable[[], int]
    pace: Pace
    keep: Callable[[Said], None]


class Agent:
    """One gateway."""

    def __init__(self, name: str, sources: Sources, outside: Outside) -> None:
        self.name = name
        self._outside = outside
        self._states = States(name, links_of(name, sources))
        self._devices = Devices(sources.streams, self._publish, outside.keep)
        declared = Topology({each.name: Member(0, each.links) for each in sources.gateways})
        self.mesh = Mesh(name, declared.base_gateway, self._publish)
        self.installed = Installed(self._devices, self.mesh, outside.incarnate, outside.pace)
        self._is_over = outside.pace.is_over
        self._is_up = False
        self._marker = 0
        self._said = ""
        self._said_at = self._life_began = self._renewed_at = 0
        self._between_lives = BETWEEN_LIVES
        self._missed: set[str] = set()

    def filters(self) -> tuple[tuple[str, int], ...]:
        """Return what to subscribe to, and how; devices are many, and who is away cannot hear them later."""
        return (
            (f"field/{self.name}/#", 0),
            ("fragments/+", 1),
            ("gateway/+/state", 1),
            (f"gateway/{self.name}/renew", 1),
            (f"mesh/{self.name}/+", 1),
        )

    def recall(self, heard: Iterable[Said], now: int) -> None:
        """Begin with what the devices said in earlier lives."""
        self._devices.recall(heard, now)

    def connecting(self) -> None:
        """Begin a connection: subscribed, and what is retained is on its way, before the marker."""
        self._is_up = False
        self._marker += 1
        self.mesh.leave()
        self._states.forget()
        self.installed.ask_again()
        self._publish(f"mesh/{self.name}/{self.name}", str(self._marker).encode())

    def heard(self, topic: str, payload: bytes, now: int, is_retained: bool = False) -> None:
        """Take a message."""
        match topic.split("/"):
            case ["field", *_]:
                self._devices.heard(topic, payload, now, is_retained)
            case ["fragments", key]:
                self.installed.asked(key, payload, now)
            case ["gateway", name, "state"]:
                self._states.heard(name, payload)
            case ["gateway", self.name, "renew"]:
                self._missed.add(payload.decode("utf-8", "replace"))
            case ["mesh", self.name, self.name]:
                if payload == str(self._marker).encode():
                    self._connected(now)
            case ["mesh", self.name, _]:
                self._heard_gateway(payload)

    def tick(self, now: int) -> None:
        """Run every fragment up to now."""
        if not self._is_up:
            return
        self._mend(now)
        topology = self._states.changed()
        if topology is not None:
            early = self.mesh.become(topology)
            self.installed.renew(now)
            for message in early:
                self._deliver(message)
        self.installed.step(now)
        self._tell(now)

    def _mend(self, now: int) -> None:
        """Say again what others miss; what is lost again and again is mended ever less often."""
        passed = now - self._life_began
        if self.installed.is_lost and self._is_over(passed, self._between_lives):
            self._between_lives = min(2 * self._between_lives, AT_MOST_BETWEEN_LIVES)
            self._live(now)
        elif self._is_over(passed, 2 * AT_MOST_BETWEEN_LIVES):
            self._between_lives = BETWEEN_LIVES
        if self._missed and self._is_over(now - self._renewed_at, BETWEEN_RENEWALS):
            self.installed.say_again(self._missed, now)
            self._missed, self._renewed_at = set(), now

    def _connected(self, now: int) -> None:
        self._is_up = True
        self.installed.remove_unasked()
        self._live(now)
        self._devices.say_again()
        self.tick(now)

    def _live(self, now: int) -> None:
        """Begin a new life."""
        self.installed.is_lost = False
        self._life_began = now
        self._states.begin(self._outside.incarnate())

    def _heard_gateway(self, payload: bytes) -> None:
        try:
            message = self.mesh.heard(parse(payload))
        except UNREADABLE as error:
            log.warning("a message on the mesh cannot be read", reason=str(error)[:200])
        else:
            self._deliver(message)

    def _deliver(self, message: Message | None) -> None:
        try:
            if message is not None:
                self.installed.heard(message)
        except UNREADABLE as error:
            log.warning("a message of a gateway cannot be read", reason=str(error)[:200])

    def _tell(self, now: int) -> None:
        """Say how things stand, at once where they changed, else now and then."""
        stands = {
            "state": UP,
            "incarnation": self._states.incarnation,
            "runs": self.installed.runs(),
            "failed": self.installed.failed,
            "links": self._states.links,
            "hops": self.mesh.topology.hops(self.name),
        }
        said = json.dumps(stands)
        if said == self._said and not self._is_over(now - self._said_at, STATE_PERIOD):
            return
        self._said, self._said_at = said, now
        figures = {
            "streams": self._devices.figures(now),
            "messages": self.mesh.counted(),
            "rejected": self._devices.rejected,
            "problem": self._devices.problem,
        }
        self._publish(f"gateway/{self.name}/state", json.dumps({**stands, **figures}).encode(), retain=True)

    def _publish(self, topic: str, payload: bytes, retain: bool = False) -> None:
        self._outside.publish(topic, payload, retain)


def links_of(name: str, sources: Sources) -> tuple[str, ...]:
    """Return whom a gateway hears, as declared."""
    known = {each.name: each.links for each in sources.gateways}
    if name not in known:
        there = f"there are {', '.join(known) or 'none'}{nearest(name, list(known))}"
        msg = f"sources.yaml has no gateway {name}; {there}"
        raise SourceError(msg)
    return known[name]
