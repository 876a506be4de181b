"""One part of the building's devices as a process of its own.

    python -m ingest.building.simulate --mqtt mqtt://127.0.0.1:1883 --part people
    python -m ingest.building.simulate --mqtt … --part load --rate 500 --devices 500 --seconds 60

A part is a floor (floor-1, floor-2, floor-3), the people, or yesterday (recorded). Parts agree by the seed
and the epoch alone. Every part ends with its parent (stdin ends) or on SIGTERM.
"""

import argparse
import gc
import sys
from pathlib import Path

from engine.model.clock import SpedClock, SystemClock
from engine.model.errors import SourceError
from ingest.building import load, recorded
from ingest.building.air import AirSensors
from ingest.building.badges import BadgeDevices
from ingest.building.design import the_building
from ingest.building.doors import DoorDevices
from ingest.building.floors import FloorDevices
from ingest.building.publisher import Publisher
from ingest.building.rota import Rota
from ingest.building.schedule import Schedule
from ingest.building.web_pages import WebPages
from ingest.building.words import Words
from ingest.ending import when_told_to_end
from ingest.lifeline import end_with_parent

FLOORS = ("floor-1", "floor-2", "floor-3")
PARTS = (*FLOORS, "people", "recorded", "load")


def main(arguments: list[str] | None = None) -> None:
    """Play a part until told to stop."""
    end_with_parent()
    asked = _asked(arguments)
    if asked.part == "load":
        load.run(asked.mqtt, asked.rate, asked.devices, asked.seconds)
        return
    clock = _clock(asked)
    out = Publisher(asked.mqtt, f"building-{asked.part}")
    rota = _rota(asked, clock, out)

    when_told_to_end(rota.end)
    gc.collect()
    gc.freeze()
    out.start()
    rota.run(out.is_back)
    out.close()


def _clock(asked: argparse.Namespace) -> SpedClock:
    """The building's time: the same in all parts of one epoch and speed, whenever they were started."""
    started = SystemClock().now()
    if asked.epoch is None:
        asked.epoch = started
    return SpedClock(asked.speed, asked.epoch + int((started - asked.epoch) * asked.speed))


def _rota(asked: argparse.Namespace, clock: SpedClock, out: Publisher) -> Rota:
    building, schedule = the_building(), Schedule(asked.epoch)
    if asked.part == "recorded":
        rota = Rota(SystemClock(), 1.0)
        recorded.enrol(building, asked.seed, clock.now(), rota, out)
        return rota
    rota = Rota(clock, asked.speed)
    if asked.part == "people":
        BadgeDevices(building, asked.seed, schedule, out).enrol(rota)
    else:
        floor = FLOORS.index(asked.part) + 1
        pages = _pages(asked.pages)
        devices = FloorDevices(building, floor, asked.seed, schedule, out, pages)
        devices.enrol(rota)
        AirSensors(building, floor, devices.people, schedule, out).enrol(rota)
        if pages is not None:
            pages.start()
        contacts = [contact for contact in building.contacts if contact.floor == floor]
        words = Words(asked.state and asked.state / f"{asked.part}.json")
        DoorDevices(contacts, asked.seed, schedule, out, words).enrol(rota)
    return rota


def _pages(port: int | None) -> WebPages | None:
    """Return what shows the power units' pages; where the port is taken the other devices go on without."""
    try:
        return None if port is None else WebPages(port)
    except OSError as error:
        sys.stderr.write(f"power units: no pages at port {port}: {error.strerror}\n")
        return None


def _asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ingest.building.simulate", description=__doc__)
    parser.add_argument("--mqtt", required=True, help="mqtt://[user:password@]host:port")
    parser.add_argument("--part", required=True, choices=PARTS)
    parser.add_argument("--state", type=Path, help="a folder in which doors keep what they are told")
    parser.add_argument("--pages", type=int, help="the port at which a floor's power units show their pages")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=float, default=1.0, help="how fast the building's time runs")
    parser.add_argument(
        "--epoch", type=int, help="microseconds at which the schedule showed 10:15; else the start"
    )
    parser.add_argument("--rate", type=float, default=500.0, help="load: messages a second in all")
    parser.add_argument("--devices", type=int, default=500, help="load: how many devices share the rate")
    parser.add_argument("--seconds", type=float, default=60.0, help="load: how long")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        main()
    except SourceError as error:
        raise SystemExit(error.message) from error
