"""What the sockets' benchmark asks: python -m tests.benchmarks._socket_server PORT STATE TICKS_A_SECOND.

The production server with the product's web side over views in memory: each tick some of the people move.
"""

import sys
import threading
import time
from itertools import count
from pathlib import Path

from app.config import WebConfig
from app.create_app import create_app
from app.server import Served, serve
from engine.model.clock import SystemClock
from engine.model.values import Row
from tests.memory_engine import MemoryEngine
from tests.web_parts import BUILDING

PEOPLE, MOVE = 48, 16
WIDTH, HEIGHT = 92.0, 54.0


def people(tick: int) -> list[Row]:
    """Where everybody is: in each tick another third has moved."""
    return [_person(n, (tick + n % 3) // 3) for n in range(PEOPLE)]


def _person(number: int, step: int) -> Row:
    place = (step * 0.37 + number * 3.1) % WIDTH
    return (f"person-{number:02d}", 1 + number % 3, round(place, 3), round(place * HEIGHT / WIDTH, 3))


def build(port: int, state: Path, rate: float) -> Served:
    engine, clock, ended = MemoryEngine(), SystemClock(), threading.Event()
    web = create_app(engine, WebConfig(state=state, building=BUILDING, port=port))

    def tick() -> None:
        begun = time.monotonic()
        for n in count(1):
            if ended.wait(max(begun + n / rate - time.monotonic(), 0)):
                return
            engine.replace(clock.now(), people=people(n))

    threading.Thread(target=tick, daemon=True).start()
    web.start()
    sys.stdout.write(f"{web.auth.issue_link()}\n")
    sys.stdout.flush()

    def stop() -> None:
        ended.set()
        web.stop()

    return Served(web.app, stop)


if __name__ == "__main__":
    port, state, rate = sys.argv[1:]
    serve(lambda: build(int(port), Path(state), float(rate)), "127.0.0.1", int(port))
