"""What stands around the engine in a start of everything: the broker, the facts, the simulated building.

Each of them gives way to a real one: SMARTCIS_MQTT_URL, SMARTCIS_DATABASE_URL, SMARTCIS_SIMULATE.
"""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from app.ports import free_port, port_holder, port_is_taken
from app.settings import DEFAULT_MQTT_PORT, SIMULATED_BUILDING, Settings
from app.supervisor import Supervisor
from engine.model.clock import Clock, SystemClock
from engine.model.errors import SourceError
from ingest.acquisition import HEALTH_FILE, log_clock
from ingest.building import facts, reservations
from ingest.importing import seeding
from ingest.importing.folder import is_imported
from ingest.log import Log
from ingest.recordings.replaying import LogTime
from ingest.sources import Gateway, Sources
from ingest.wrappers.database import first_seen
from ingest.wrappers.mqtt.url import parse_mqtt_url

LOOPBACK = "127.0.0.1"
FLOORS = (1, 2, 3)
PAGES_PORT = 8093
UNITS_URL = "SMARTCIS_PDU_URL"


def start_broker(settings: Settings, supervisor: Supervisor) -> str:
    """Return the broker's URL; without one of the user's, start the embedded broker."""
    if settings.mqtt_url:
        parse_mqtt_url(settings.mqtt_url)  # what is wrong with it is said here, not in a child's log
        return settings.mqtt_url
    port = embedded_port(settings)
    folder = settings.state / "broker"
    supervisor.start(
        "broker", "ingest.broker", "--host", LOOPBACK, "--port", str(port), "--state", str(folder)
    )
    return f"mqtt://{LOOPBACK}:{port}"


def embedded_port(settings: Settings) -> int:
    """Return the port that was asked for, or the usual one, or the next that is free."""
    if settings.mqtt_port is not None:
        if port_is_taken(LOOPBACK, settings.mqtt_port):
            holder = port_holder(settings.mqtt_port)
            by = f" by {holder}" if holder else ""
            message = (
                f"port {settings.mqtt_port} is taken{by}; stop it, set SMARTCIS_MQTT_PORT to another port, "
                "or SMARTCIS_MQTT_URL to use a broker that runs"
            )
            raise SourceError(message)
        return settings.mqtt_port
    usual = range(DEFAULT_MQTT_PORT, DEFAULT_MQTT_PORT + 20)
    return next((port for port in usual if not port_is_taken(LOOPBACK, port)), None) or free_port()


def epoch_of(now: int, machine: int, speed: float) -> int:
    """Return from which moment on time ran ``speed`` times as fast to be ``now`` at the machine's time.

    now = e + (machine - e) · speed; where both run alike, any moment does.
    """
    return now if speed == 1 else int((machine * speed - now) / (speed - 1))


def start_gateways(
    settings: Settings, supervisor: Supervisor, sources: Sources, mqtt_url: str, clock: Clock
) -> None:
    """Start what stands between the simulated devices and the broker, one process for each gateway.

    They go by the log's time, whenever they are started: so a window on demand ends when any other does.
    """
    if not settings.simulate:
        return
    epoch = epoch_of(clock.now(), SystemClock().now(), settings.speed)
    for gateway in sources.gateways:
        supervisor.start(
            f"gateway-{gateway.name}",
            "ingest.gateway",
            *("--name", gateway.name, "--mqtt", mqtt_url),
            *("--speed", str(settings.speed), "--epoch", str(epoch)),
            *("--sources", str(settings.building / "sources.yaml")),
            *("--state", str(settings.state / "gateways")),
        )


def are_up(gateways: Iterable[Gateway], log: Log, after: int) -> bool:
    """Tell whether each gateway has said, since an entry of the log, that it is up."""
    states = {f"gateway/{gateway.name}/state" for gateway in gateways}
    while records := log.read(after):
        states -= {record.topic for record in records if b'"up"' in record.payload}
        after = records[-1].offset
    return not states


@cache
def pages_port() -> int:
    """Return the port at which the simulated power units show their pages: the usual one or the next free."""
    usual = range(PAGES_PORT, PAGES_PORT + 20)
    return next((port for port in usual if not port_is_taken(LOOPBACK, port)), None) or free_port()


def forget_last_run(state: Path) -> None:
    """Take away what the acquisition said of the last run, and what that saw first of its databases."""
    (state / HEALTH_FILE).unlink(missing_ok=True)
    first_seen.forget(state)


def start_acquisition(settings: Settings, supervisor: Supervisor, mqtt_url: str) -> None:
    """Start the process that appends what all sources say to the log, or a recording of it."""
    if settings.recording:
        supervisor.start(
            "acquisition",
            "ingest.recordings.replaying",
            *("--log", settings.log_url, "--recording", str(settings.recording)),
            *("--state", str(settings.state), "--speed", str(settings.speed)),
        )
        return
    units = os.environ.get(UNITS_URL) or f"http://{LOOPBACK}:{pages_port()}"
    supervisor.start(
        "acquisition",
        "ingest.acquisition",
        *("--log", settings.log_url, "--mqtt", mqtt_url, "--database", settings.database_url),
        *("--sources", str(settings.building / "sources.yaml"), "--state", str(settings.state)),
        *("--speed", str(settings.speed), "--set", f"{UNITS_URL}={units}"),
        *("--set", f"SMARTCIS_BUILDING={settings.building}"),
        *(("--without-ranges",) if settings.partitions else ()),
    )


def log_of(settings: Settings) -> tuple[Log, Clock]:
    """Return the log, and the building's time: of a recording, that of its last entry there."""
    time = LogTime(Log(settings.log_url)) if settings.recording else None
    clock = time or log_clock(settings.log_url, settings.speed)
    return Log(settings.log_url, clock), clock


def prepare_building(settings: Settings, clock: Clock) -> None:
    """Write the facts of an imported or simulated building, where there are none, and the day's bookings."""
    if is_imported(settings.building):
        seeding.prepare(settings.database_url, settings.building)
    if settings.simulate or (settings.recording and settings.building == SIMULATED_BUILDING):
        facts.prepare(settings.database_url)
    if settings.simulate:
        reservations.prepare(settings.state / "reservations.ics", clock.now(), settings.seed)


def start_devices(settings: Settings, supervisor: Supervisor, mqtt_url: str, clock: Clock) -> None:
    """Start the simulated devices, each part in its own process; on the first start also the recorded day."""
    if not settings.simulate:
        return
    epoch = str(clock.now())
    common = [
        "--mqtt",
        mqtt_url,
        "--seed",
        str(settings.seed),
        "--speed",
        str(settings.speed),
        "--epoch",
        epoch,
        "--state",
        str(settings.state / "doors"),
    ]
    for part in (*(f"floor-{floor}" for floor in FLOORS), "people"):
        shown = ("--pages", str(pages_port())) if part == "floor-1" else ()
        supervisor.start(part, "ingest.building.simulate", "--part", part, *common, *shown)
    recorded = settings.state / "recorded-day"
    if not recorded.exists():
        module = ["ingest.building.simulate", "--part", "recorded"]
        supervisor.start("recorded", *module, *common, is_kept=False, on_finished=recorded.touch)
