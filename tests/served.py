"""Serves views in memory by the production server: python -m tests.served PORT STATE [BUILDING].

SERVED_CERT and SERVED_KEY, where they are set, are the certificate that it shows.
"""

import os
import sys
import threading
from pathlib import Path

from app.config import WebConfig
from app.create_app import create_app
from app.server import Served, serve
from app.tls import read_certificate
from engine.model.clock import SystemClock
from tests.memory_engine import MemoryEngine
from tests.web_parts import BUILDING

CERTIFICATE = read_certificate(os.environ.get("SERVED_CERT"), os.environ.get("SERVED_KEY"))


def build(port: int, state: Path, building: Path) -> Served:
    engine, clock, ended = MemoryEngine(), SystemClock(), threading.Event()
    config = WebConfig(state=state, building=building, port=port, has_certificate=CERTIFICATE is not None)
    web = create_app(engine, config)

    def tick() -> None:
        while not ended.wait(0.1):
            now = clock.now()
            engine.replace(now, people=[("ann", 1, now % 50_000_000 / 1e6, 2.0)])

    threading.Thread(target=tick, daemon=True).start()
    web.start()
    sys.stdout.write(f"{web.auth.issue_link()}\n")
    sys.stdout.flush()

    def stop() -> None:
        ended.set()
        web.stop()
        sys.stdout.write("stopped\n")

    return Served(web.app, stop)


if __name__ == "__main__":
    port, state, *building = sys.argv[1:]
    folder = Path(building[0]) if building else BUILDING
    serve(lambda: build(int(port), Path(state), folder), "127.0.0.1", int(port), certificate=CERTIFICATE)
