"""A plausible mid-morning over the real plans, for pages that are looked at rather than reasoned about."""

import json
import math
from collections import Counter
from pathlib import Path
from random import Random

from engine.model.values import Row
from tests.memory_engine import MemoryEngine

PLANS = Path(__file__).resolve().parents[2] / "ingest" / "building"
HALF_HOUR = 1_800_000_000
TITLES = ("Databases II", "Compilers", "Linear Algebra", "Thesis colloquium")
TASKS = ("matlab", "cargo build", "blender", "training run")


class Scene:
    def __init__(self, engine: MemoryEngine, seed: int = 7) -> None:
        self.engine, self.random = engine, Random(seed)
        features = [f for plan in sorted(PLANS.glob("floor-*.geojson")) for f in _features(plan)]
        self.rooms = [f["properties"] for f in features if f["properties"]["kind"] == "room"]
        self.desks = [f["properties"] for f in features if f["properties"]["kind"] == "desk"]
        self.machines = [f["properties"] for f in features if f["properties"]["kind"] == "machine"]
        self.taken = {d["id"]: d["room"] for d in self.desks if self.random.random() < 0.55}
        self.walkers = [(f"person-{n:02d}", 1 + n % 3, self.random.random()) for n in range(48)]

    def open(self, at: int) -> None:
        """Close the tick in which everything but people and desks is as it stays."""
        labs = [room["id"] for room in self.rooms if room["room_kind"] == "lab"]
        seminars = [room["id"] for room in self.rooms if room["room_kind"] == "seminar"]
        quiet = [room["id"] for room in self.rooms if room["room_kind"] in ("storage", "archive", "office")]
        busy = self.random.sample(self.machines, 18)
        rows: dict[str, list[Row]] = {
            "reserved_rooms": [
                (room, title, at + HALF_HOUR)
                for room, title in zip([labs[0], *seminars[:3]], TITLES, strict=True)
            ],
            "dark_rooms": [(room, 3.0) for room in [*self.random.sample(quiet, 22), labs[3]]],
            "busy_machines": [
                (m["id"], self.random.uniform(0.4, 0.99), self.random.choice(TASKS)) for m in busy
            ],
            "room_temperature": [(r["id"], self.random.gauss(21.6, 0.7)) for r in self.rooms],
            "room_power": [(r["id"], abs(self.random.gauss(400, 300))) for r in self.rooms],
            "machine_power": [(m["id"], 86.4) for m in self.machines],
            "machine_energy": [(m["id"], 0.0712) for m in self.machines],
            "free_word_machines": [(m["id"], m["room"]) for m in self.machines if m["room"] == labs[1]],
            "recorded_hours": [_hour(hour) for hour in range(24)],
            "rejected": [
                (
                    "mqtt",
                    "building/seat/1.01-d07",
                    "pressed is not a boolean: found text",
                    '{"pressed": "yes"}',
                ),
                ("mqtt", "building/light/2.14", "payload is not JSON", "lux=320"),
            ],
        }
        self.engine.replace(at, **rows)

    def step(self, at: int, seconds: float) -> None:
        desk = self.random.choice(self.desks)
        if self.taken.pop(desk["id"], None) is None:
            self.taken[desk["id"]] = desk["room"]
        people = [
            (name, floor, *_round_the_ring(share + seconds * 0.008)) for name, floor, share in self.walkers
        ]
        free = Counter(desk["room"] for desk in self.desks if desk["id"] not in self.taken)
        self.engine.replace(
            at,
            people=people,
            people_together=people,
            taken_desks=list(self.taken.items()),
            free_desks=list(free.items()),
        )


def _features(plan: Path) -> list[dict]:
    return json.loads(plan.read_text())["features"]


def _hour(hour: int) -> Row:
    day = math.exp(-(((hour - 13.5) / 4.2) ** 2))
    return (hour, round(8 + 150 * day, 1), 19.5 + 2.5 * day, 5200 + 21000 * day)


def _round_the_ring(share: float) -> tuple[float, float]:
    """A place on the corridor that goes round each floor."""
    (left, bottom), (right, top) = (8.75, 8.75), (83.25, 45.25)
    way = (share % 1) * 2 * (right - left + top - bottom)
    for length, place in (
        (right - left, lambda w: (left + w, bottom)),
        (top - bottom, lambda w: (right, bottom + w)),
        (right - left, lambda w: (right - w, top)),
        (top - bottom, lambda w: (left, top - w)),
    ):
        if way <= length:
            return place(way)
        way -= length
    return (left, bottom)
