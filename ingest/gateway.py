"""The gateway agent: a process beside the devices of one gateway, which runs what queries ask of them.

    python -m ingest.gateway --name floor-1 --mqtt URL --sources FILE --state DIR [--speed 1]

It ends on SIGTERM, SIGINT or with its parent, and then says that it is gone; killed, its last will does.
"""

import argparse
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from engine.model.clock import Clock, SpedClock, SteadyClock, SystemClock
from engine.model.errors import SmartCISError
from ingest.ending import when_told_to_end
from ingest.gateways.connection import Connection, Held
from ingest.gateways.incarnations import Incarnations
from ingest.gateways.kept import Kept
from ingest.gateways.runs import Pace
from ingest.lifeline import end_with_parent
from ingest.sources import load_sources

NOT_ASKED = {"SMARTCIS_DATABASE_URL": "sqlite:///a-gateway-asks-no-database"}


def building_clock(speed: float, epoch: int | None) -> Clock:
    """Return the building's time: that of all its parts that were told the same epoch and speed."""
    if speed == 1:
        return SteadyClock()
    now = SystemClock().now()
    return SpedClock(speed, now if epoch is None else epoch + int((now - epoch) * speed))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the process; return its exit code."""
    asked = _asked(arguments)
    ending = threading.Event()
    when_told_to_end(ending.set)
    end_with_parent()
    try:
        asked.state.mkdir(parents=True, exist_ok=True)
        incarnations = Incarnations(asked.state / f"{asked.name}.incarnation", SystemClock())
        held = Held(incarnations, Kept(asked.state / f"{asked.name}.said"))
        sources = load_sources(asked.sources, {**NOT_ASKED, **os.environ, "SMARTCIS_STATE": str(asked.state)})
        pace = Pace(asked.packet, asked.speed)
        connection = Connection(asked.name, asked.mqtt, sources, held, pace)
        connection.run(building_clock(asked.speed, asked.epoch), ending)
    except (SmartCISError, OSError) as error:
        message = error.message if isinstance(error, SmartCISError) else str(error)
        sys.stderr.write(f"gateway {asked.name}: {message}\n")
        return 2
    return 0


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m ingest.gateway", description="Run what is asked of devices.")
    parser.add_argument("--name", required=True, help="the gateway's name in the section gateways")
    parser.add_argument("--mqtt", required=True, help="mqtt://[user:password@]host:port")
    parser.add_argument("--sources", required=True, type=Path, help="the building's sources.yaml")
    parser.add_argument(
        "--state",
        required=True,
        type=Path,
        help="folder for the last incarnation's number and what devices said last",
    )
    parser.add_argument("--speed", type=float, default=1.0, help="how fast the building's time runs")
    parser.add_argument(
        "--epoch", type=int, help="microseconds from which on it runs so fast; else the start"
    )
    parser.add_argument("--packet", type=int, default=Pace().packet, help="rows in one message, at most")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
