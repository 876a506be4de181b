"""The fragments that are asked of a gateway: those that run, and why the others do not.

    fragments/<16 hex>   retained: what to run; empty: no longer

One that cannot run here, or no longer, is said in the state; the others go on.
"""

from collections import deque
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import structlog

from engine.model.errors import SmartCISError
from engine.operators.budget import BudgetExceeded
from ingest.gateways.devices import Devices
from ingest.gateways.exchange import Lost
from ingest.gateways.fragments import read_fragment
from ingest.gateways.mesh import MOST_WAITING, Mesh, Message
from ingest.gateways.results import Body
from ingest.gateways.runs import Pace, Run
from ingest.sources import BASE

Incarnate = Callable[[], int]


class Installed:
    """All fragments of one gateway, by the end of their topics."""

    def __init__(self, devices: Devices, mesh: Mesh, incarnate: Incarnate, pace: Pace) -> None:
        self._devices, self._mesh, self._pace = devices, mesh, pace
        self._incarnate = incarnate
        self._runs: dict[str, Run] = {}
        self._payloads: dict[str, bytes] = {}
        self._unasked: set[str] = set()
        self._waiting: deque[Message] = deque(maxlen=MOST_WAITING)
        self.failed: dict[str, str] = {}
        self.is_lost = False

    def runs(self) -> list[str]:
        """Return the names of what runs."""
        return sorted(name_of(key) for key in self._runs)

    def asked(self, key: str, payload: bytes, now: int) -> None:
        """Take what is asked, or that it is asked no longer."""
        self._unasked.discard(key)
        if not payload:
            self._remove(key)
        elif payload != self._payloads.get(key) or name_of(key) in self.failed:
            self._remove(key)
            self._payloads[key] = payload
            self._guarded(key, partial(self._install, key, payload, now))

    def ask_again(self) -> None:
        """Expect that everything that is still asked is asked again."""
        self._unasked = set(self._payloads)

    def remove_unasked(self) -> None:
        """Remove what was not asked again."""
        for key in self._unasked:
            self._remove(key)

    def renew(self, now: int) -> None:
        """Say everything again, in a new topology."""
        self._waiting.clear()
        incarnation = self._incarnate()
        for key, run in list(self._runs.items()):
            self._guarded(key, partial(run.renew, incarnation, now))

    def say_again(self, names: Collection[str], now: int) -> None:
        """Say the results of some fragments again, by name, or of all where one of the names is empty."""
        incarnation = self._incarnate()
        for key, run in self._runs.items():
            if name_of(key) in names or "" in names:
                run.say_again(incarnation, now)

    def step(self, now: int) -> None:
        """Take what the devices said, and say what changed."""
        readings = self._devices.take()
        for key, run in list(self._runs.items()):
            self._guarded(key, partial(run.step, readings, now))

    def heard(self, message: Message) -> None:
        """Take what another gateway says about a fragment; what is not here yet may be on its way."""
        run = self._runs.get(message["fragment"])
        if run is None or run.fragment.version != message["version"]:
            self._waiting.append(message)
            return
        try:
            run.heard(message)
        except Lost as error:
            self.is_lost = True
            structlog.get_logger().warning("gateways begin anew", reason=error.message)

    def _install(self, key: str, payload: bytes, now: int) -> None:
        fragment = read_fragment(payload, self._devices.relations)
        if fragment.key != key:
            msg = f"the fragment calls itself {fragment.name}; expected {name_of(key)}"
            raise SmartCISError(msg)

        def say(body: Body) -> None:
            topic = f"fragment/{key}/{self._mesh.name}"
            self._mesh.say(BASE, {"what": "results", "fragment": key, "topic": topic, "body": body})

        run = Run(fragment, self._mesh, self._pace, say)
        run.start(self._devices.recent, self._incarnate(), now)
        self._runs[key] = run
        waiting = [message for message in self._waiting if message["fragment"] == key]
        for message in waiting:
            self._waiting.remove(message)
            self.heard(message)

    def _remove(self, key: str) -> None:
        self._runs.pop(key, None)
        self._payloads.pop(key, None)
        self.failed.pop(name_of(key), None)

    def _guarded(self, key: str, do: Callable[[], Any]) -> None:
        try:
            do()
        except (BudgetExceeded, SmartCISError) as error:
            self._fail(key, " ".join(str(error).split()))
        except Exception as error:  # a bug here must not end the other fragments
            structlog.get_logger().error("a fragment failed", fragment=key, exc_info=error)
            self._fail(key, f"an error of ours, {type(error).__name__}: {error}")

    def _fail(self, key: str, reason: str) -> None:
        self._runs.pop(key, None)
        self.failed[name_of(key)] = reason


def name_of(key: str) -> str:
    return f"fragment:{key}"
