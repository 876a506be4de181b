"""Linear Road, as far as its toll query needs it: cars on expressways that say every 30 s where they are.

    (car, speed, expway, dir, seg, xpos)        100 segments of 5280 feet

Accidents stop the cars of a segment and slow those behind it; when one is cleared the next happens
elsewhere, so the places where cars are many, and how many report from one segment, keep shifting. Two
expressways by default, cars come in waves, in one direction and then in the other.

References:
    Arasu, Cherniack, Galvez, Maier, Maskey, Ryvkina, Stonebraker, Tibbetts. Linear Road: A Stream Data
    Management Benchmark. VLDB 2004. Liu, chapter 5: the query SegTollS.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from engine.model.catalog import Catalog
from engine.model.relation import RelationKind
from engine.model.values import Row, Type
from tests.strategies import relation

SEGMENT = 5_280
LAST = 100
REPORT = 30
SHIFT = 40
CARS = relation(
    "cars",
    RelationKind.STREAM,
    "SIZE 1 TUPLE PARTITION BY carid",
    **dict.fromkeys(("carid", "speed", "expway", "dir", "seg", "xpos"), Type.BIGINT),
)
CATALOG = Catalog([CARS])
SEG_TOLL = """
SELECT r5.carid, r2.expway, r2.dir, r2.seg, count(DISTINCT r5.xpos) AS places
FROM cars [SIZE 300 TIME] r1, cars [SIZE 1 TUPLE PARTITION BY expway, dir, seg] r2,
     cars [SIZE 1 TUPLE PARTITION BY carid] r3, cars [SIZE 30 TIME] r4,
     cars [SIZE 4 TUPLE PARTITION BY carid] r5
WHERE r2.expway = r3.expway AND r2.dir = 0 AND r3.dir = 0 AND r2.seg < r3.seg AND r2.seg > r3.seg - 10
  AND r3.carid = r4.carid AND r3.carid = r5.carid
  AND r1.expway = r2.expway AND r1.dir = r2.dir AND r1.seg = r2.seg
GROUP BY r5.carid, r2.expway, r2.dir, r2.seg
"""


@dataclass
class Car:
    """A car on its way."""

    number: int
    expway: int
    dir: int
    place: float
    phase: int

    @property
    def seg(self) -> int:
        return int(self.place // SEGMENT)

    def row(self, speed: float) -> Row:
        return (self.number, int(speed), self.expway, self.dir, self.seg, int(self.place))


class Road:
    """The cars of some expressways, second by second."""

    def __init__(self, seed: int, cars: int, expressways: int = 2) -> None:
        self._random = Random(seed)
        self._expressways = expressways
        self._jam: tuple[int, int, int] | None = None
        self._leaning = 0.5
        self._cars = [self._car(number) for number in range(cars)]
        self._next = cars

    def seconds(self, count: int) -> Iterator[list[Row]]:
        """Yield what the cars report, second after second."""
        for second in range(count):
            if not second % SHIFT:
                self._shift(second // SHIFT)
            self._cars = [self._moved(car) for car in self._cars]
            yield [car.row(self._speed(car)) for car in self._cars if second % REPORT == car.phase]

    def _shift(self, number: int) -> None:
        """Clear the accident and let another happen, or none; let more cars drive the other way."""
        self._leaning = (0.9, 0.2, 0.6, 0.05)[number % 4]
        place = self._random.randrange(20, LAST - 20)
        self._jam = None if number % 3 == 2 else (number % self._expressways, 0, place)

    def _moved(self, car: Car) -> Car:
        car.place += self._speed(car) * 1.4667
        return car if car.seg < LAST else self._renewed(car)

    def _renewed(self, car: Car) -> Car:
        self._next += 1
        return self._car(self._next, car.phase)

    def _car(self, number: int, phase: int | None = None) -> Car:
        random = self._random
        dir_ = int(random.random() > self._leaning)
        place = random.uniform(0, (LAST - 1) * SEGMENT if phase is None else 10 * SEGMENT)
        phase = random.randrange(REPORT) if phase is None else phase
        return Car(number, random.randrange(self._expressways), dir_, place, phase)

    def _speed(self, car: Car) -> float:
        """Miles an hour: none at an accident, little for twenty segments behind it."""
        if self._jam is None or self._jam[:2] != (car.expway, car.dir):
            return 50 + car.number % 40
        behind = self._jam[2] - car.seg
        return 0 if behind == 0 else 8 if 0 < behind < 20 else 50 + car.number % 40
