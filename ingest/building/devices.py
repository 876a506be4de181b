"""What the sensors of a floor measure, as functions of the agenda and the time of day.

    seat = somebody's stay at the desk        light = somebody's stay in the room, and two minutes more
    temperature = the day's curve + the people's warmth        power = the processor's load

Noise is a sum of sines whose phases come from the device's name: smooth, and the same in every process.
"""

from bisect import bisect_right
from collections.abc import Iterable
from math import pi, sin
from typing import NamedTuple
from zlib import crc32

from ingest.building.elements import Machine, Room
from ingest.building.schedule import HOUR, MINUTE

Uses = list[tuple[float, float]]
LINGER = 2 * MINUTE
ALWAYS_LIT = ("foyer", "cafe", "exhibition", "reception", "lounge", "library")
COOLED = ("server",)
ASLEEP, IDLE, SCREEN = 3.0, 34.0, 18.0
RANKS = 3  # tasks that a daemon tells, always as many, so that each takes the place of the one before
TASKS = {
    "Word": "winword", "Excel": "excel", "LaTeX": "lualatex", "VS Code": "code", "Eclipse": "eclipse",
    "MATLAB": "matlab", "R": "rsession", "Blender": "blender", "Kdenlive": "kdenlive", "GIMP": "gimp",
    "CUDA": "nvcc", "Docker": "dockerd", "Quartus": "quartus", "KiCad": "kicad", "Unity": "unity",
    "Rust": "cargo", "Firefox": "firefox", "Python": "python", "LibreOffice": "soffice",
}  # fmt: skip
JOBS = {
    "CUDA": "python train.py",
    "MATLAB": "matlab -batch",
    "Docker": "pytest -n auto",
    "Rust": "cargo build",
}


class State(NamedTuple):
    """What a machine's daemon tells."""

    cpu: float
    task: str
    logged_in: bool


def chance(*key: object) -> float:
    """Return a number in [0, 1) that depends on the key alone."""
    return crc32("/".join(map(str, key)).encode()) / 2**32


def wave(key: str, second: float, period: float) -> float:
    """Return smooth noise in [-1, 1]."""
    phase = chance(key) * 2 * pi
    return (sin(second * 2 * pi / period + phase) + sin(second * 5.3 * pi / period + 2 * phase)) / 2


def joined(uses: Iterable[tuple[float, float]], linger: float = 0.0) -> Uses:
    """Merge stays that overlap, or follow each other within the time one lingers."""
    merged: Uses = []
    for begins, ends in sorted(uses):
        if merged and begins <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], ends + linger))
        else:
            merged.append((begins, ends + linger))
    return merged


def during(uses: Uses, second: float) -> tuple[float, float] | None:
    """Return which of the merged intervals a second lies in."""
    n = bisect_right(uses, (second, float("inf"))) - 1
    return uses[n] if n >= 0 and second < uses[n][1] else None


def until_change(uses: Uses, second: float) -> float:
    """Return in how many seconds the answer of `during` changes."""
    inside = during(uses, second)
    if inside:
        return inside[1] - second
    n = bisect_right(uses, (second, float("inf")))
    return uses[n][0] - second if n < len(uses) else float("inf")


def lux(room: Room, lit: bool, second: float) -> float:
    """A lamp, or what comes through the blinds."""
    if room.kind in ALWAYS_LIT or lit:
        return round(340 + 140 * chance(room.id, "lamp") + 6 * wave(room.id, second, 900), 1)
    return round(6 + 18 * chance(room.id, "blind") + 2 * wave(room.id, second, 1800), 1)


def celsius(room: Room, people: float, second: float) -> float:
    """`people` is how many there were over the last while, on average."""
    if room.kind in COOLED:
        return round(18.5 + 0.6 * wave(room.id, second, 1500), 1)
    warmth = min(people * 14 / max(room.area, 12), 2.5)
    day = 1.1 * sin((second - 9 * HOUR) / (12 * HOUR) * pi)
    return round(20.4 + 1.2 * chance(room.id, "valve") + day + warmth + 0.25 * wave(room.id, second, 2400), 1)


def machine_state(machine: Machine, day: int, second: float, session: Uses, all_day: bool) -> State:
    """Somebody's session at the desk, a job left running, or nothing."""
    sitting = during(session, second)
    stays_in = all_day and bool(session) and session[0][0] <= second < session[-1][1]
    job = _job(machine, day, second)
    if job and not sitting:
        return State(round(0.86 + 0.1 * wave(machine.id, second, 300), 2), job, True)
    if sitting:
        return State(_load(machine, sitting[0], second), _task(machine, sitting[0], second), True)
    cpu = round(0.02 + 0.01 * wave(machine.id, second, 600), 2)
    return State(cpu, "idle", stays_in)


def tasks(machine: Machine, state: State, second: float) -> list[dict[str, str | float]]:
    """What shares the processor: the task that takes most, another of the machine's packages, the system."""
    if state.task == "idle":
        shares = {"system": 1.0}
    else:
        packages = [TASKS[name] for name, _ in machine.packages if TASKS[name] != state.task]
        beside = (
            packages[int(chance(machine.id, int(second // HOUR)) * len(packages))] if packages else "shell"
        )
        main = 0.68 + 0.18 * wave(machine.id, second, 420)
        shares = {state.task: main, beside: (1 - main) * 0.7, "system": (1 - main) * 0.3}
    told = [*shares.items(), *[("", 0.0)] * (RANKS - len(shares))]
    return [{"task": name, "cpu": round(state.cpu * share, 4)} for name, share in told]


def watts(machine: Machine, state: State, sits: bool) -> float:
    """A plug's power: the machine and its screen."""
    if not state.logged_in:
        return ASLEEP
    span = 5.5 * machine.cores + (90 if machine.gpu else 0)
    return round(IDLE + (SCREEN if sits else 0) + span * state.cpu, 1)


def _load(machine: Machine, since: float, second: float) -> float:
    """Light work with bursts of a minute and a half."""
    calm = 0.16 + 0.14 * wave(machine.id, second, 240)
    burst = 0.62 if chance(machine.id, since, int(second // 90)) < 0.09 else 0.0
    return round(min(max(calm, 0.03) + burst, 0.99), 2)


def _task(machine: Machine, since: float, second: float) -> str:
    packages = [name for name, _ in machine.packages]
    return TASKS[packages[int(chance(machine.id, since, int(second // (12 * MINUTE))) * len(packages))]]


def _job(machine: Machine, day: int, second: float) -> str | None:
    """Some of the strong machines compute on for hours."""
    jobs = [JOBS[name] for name, _ in machine.packages if name in JOBS]
    if not jobs or chance(machine.id, day, "job") > 0.22:
        return None
    begins = (7.5 + 7 * chance(machine.id, day, "begins")) * HOUR
    lasts = (0.7 + 4 * chance(machine.id, day, "lasts")) * HOUR
    return jobs[0] if begins <= second < begins + lasts else None
