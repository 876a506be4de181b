"""What a machine says of itself, as one flat document.

    cpu, memory, disk    hundredths of all there is      received, sent    bytes a second since the last look
    users                people logged in                temperature       °C, of the hottest core
    uptime               seconds since it was started    tasks             the busiest (``tasks``)

What cannot be read on this machine is not in it. Names of people are only told if asked for: where
somebody works is where somebody is.
"""

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from engine.model.clock import SECOND, Clock
from engine.model.moments import EPOCH, MICROSECOND
from ingest.agent.tasks import Tasks

NETWORK = Path("/sys/class/net")
HARDWARE = Path("/sys/class/dmi/id")
LOOPBACK = "lo"
OF_PROCESSOR = ("coretemp", "k10temp", "zenpower", "cpu_thermal", "cpu-thermal")
Sensors = Mapping[str, Sequence[Any]]
WHOLE = slice(0, len("2026-01-31T09:30:15"))


class Traffic(NamedTuple):
    """Bytes since the machine was started."""

    received: int
    sent: int


class Machine:
    """Looked at every few seconds; rates are of the time between two looks."""

    def __init__(self, clock: Clock, tasks: int, names_people: bool = False) -> None:
        self._clock = clock
        self._tasks = Tasks(tasks)
        self._names_people = names_people
        self._disk = Path.home().anchor
        self._traffic, self._looked = Traffic(0, 0), time.monotonic()
        self.look()

    def look(self) -> dict[str, Any]:
        """Return how it is now."""
        now = time.monotonic()
        seconds, self._looked = max(now - self._looked, 0.001), now
        found: dict[str, Any] = {
            "at": (EPOCH + self._clock.now() * MICROSECOND).isoformat()[WHOLE] + "Z",
            "host": platform.node(),
            "cpu": _maybe(psutil.cpu_percent),
            "memory": _maybe(lambda: psutil.virtual_memory().percent),
            "disk": _maybe(lambda: psutil.disk_usage(self._disk).percent),
            "temperature": _maybe(temperature),
            "uptime": _maybe(lambda: round(self._clock.now() / SECOND - psutil.boot_time())),
            **self._rates(seconds),
            **self._people(),
        }
        return {name: value for name, value in found.items() if value is not None} | self._busiest(seconds)

    def _rates(self, seconds: float) -> Mapping[str, Any]:
        now = _maybe(traffic)
        if now is None:
            return {}
        before, self._traffic = self._traffic, now
        gained = (max(b - a, 0) for a, b in zip(before, now, strict=True))  # a card may be reset
        return dict(zip(Traffic._fields, (round(bytes_ / seconds) for bytes_ in gained), strict=True))

    def _people(self) -> Mapping[str, Any]:
        names = _maybe(lambda: sorted({user.name for user in psutil.users()}))
        if names is None:
            return {}
        return {"users": len(names), **({"user_names": ", ".join(names)} if self._names_people else {})}

    def _busiest(self, seconds: float) -> dict[str, Any]:
        """Return the busiest tasks; with none of them the first is null, which takes back what was said."""
        tasks = self._tasks.busiest(seconds)
        first = (
            {"task": tasks[0].name, "task_cpu": tasks[0].cpu} if tasks else {"task": None, "task_cpu": 0.0}
        )
        return {**first, "tasks": [task._asdict() for task in tasks]}


def temperature() -> float | None:
    """Return the temperature of the hottest core, or of the hottest part where none says that it is one."""
    sensors: Sensors = getattr(psutil, "sensors_temperatures", dict)()
    chips = [name for name in OF_PROCESSOR if name in sensors] or list(sensors)
    found = [each.current for name in chips for each in sensors[name] if each.current]
    return round(max(found), 1) if found else None


def traffic() -> Traffic:
    """Return what came and went by real cards; in a container, which has none, by all but the loop."""
    cards = {n: c for n, c in psutil.net_io_counters(pernic=True).items() if not n.startswith(LOOPBACK)}
    real = {name for name in cards if (NETWORK / name / "device").exists()} or set(cards)
    counted = [cards[name] for name in real]
    return Traffic(sum(c.bytes_recv for c in counted), sum(c.bytes_sent for c in counted))


def hardware() -> dict[str, str]:
    """Return maker and model of the machine and what it runs, as far as it says so."""
    found = {"maker": _line("sys_vendor"), "model": _line("product_name"), "software": _system()}
    return {name: value for name, value in found.items() if value}


def _line(name: str) -> str:
    try:
        return (HARDWARE / name).read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return f"{platform.system()} {platform.release()}".strip()


def _maybe(read: Callable[[], Any]) -> Any:
    """Return what can be read here, or nothing."""
    try:
        return read()
    except (psutil.Error, OSError, NotImplementedError, AttributeError):
        return None
