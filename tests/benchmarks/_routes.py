"""A building of 1,000 routing points for `make bench-route`."""

from collections.abc import Iterator
from random import Random

from engine.model.values import Row

FLOORS, ALONG, ACROSS = 5, 20, 10
DESKS, KIOSKS = 200, 100


class Building:
    """Five floors, each a net of corridors of 20 by 10 points with some walls, joined by four stairs."""

    def __init__(self, seed: int = 1) -> None:
        random = Random(seed)
        self.points = [name(f, x, y) for f in range(FLOORS) for x in range(ALONG) for y in range(ACROSS)]
        ends = list(_ends(random))
        self.segments = {
            f"s{n:04d}": (a, b, float(random.randint(2, 8)), float(random.randint(2, 8)), way)
            for n, (a, b, way) in enumerate(ends)
        }
        self.desks = {f"d{n:03d}": random.choice(self.points) for n in range(DESKS)}
        self.kiosks = random.sample(self.points, KIOSKS)

    def facts(self) -> Iterator[tuple[str, list[Row]]]:
        """The rows of each table, and of each cushion that nobody sits on it."""
        yield "rooms", [("1.01", "Lab", "lab", True, self.points[0])]
        yield "desks", [(d, "1.01", 0.0, 0.0, p) for d, p in self.desks.items()]
        yield "machines", [(machine_of(d), d, "1.01") for d in self.desks]
        yield "routing_points", [(p, 1, 0.0, 0.0, "corridor", None) for p in self.points]
        yield "routing_segments", [(s, *row) for s, row in self.segments.items()]
        yield "doors", [(f"o{s}", s, s, None) for s in self.segments]
        yield "seats", [(d, False) for d in self.desks]


def name(floor: int, x: int, y: int) -> str:
    return f"p{floor}-{x:02d}-{y:02d}"


def machine_of(desk: str) -> str:
    return f"m{desk[1:]}"


def _ends(random: Random) -> Iterator[tuple[str, str, str]]:
    for floor in range(FLOORS):
        for x in range(ALONG):
            for y in range(ACROSS):
                for dx, dy in ((1, 0), (0, 1)):
                    if x + dx < ALONG and y + dy < ACROSS and random.random() < 0.75:
                        yield name(floor, x, y), name(floor, x + dx, y + dy), "corridor"
                if floor and (x, y) in ((0, 0), (19, 0), (0, 9), (19, 9)):
                    yield name(floor - 1, x, y), name(floor, x, y), "stairs"
