"""The acquisition process: every declared source, one log.

    python -m ingest.acquisition --log URL --mqtt URL --sources FILE --state DIR [--speed 1]

Once a second it writes what each source says of itself to STATE/acquisition.json. It ends on SIGTERM,
SIGINT or with its parent, after writing what was received.
"""

import argparse
import json
import os
import secrets
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from engine.model.clock import Clock, SpedClock, SteadyClock, SystemClock
from engine.model.errors import SmartCISError
from ingest.declared_sources import Asked, DeclaredSources
from ingest.ending import when_told_to_end
from ingest.lifeline import end_with_parent
from ingest.listening import Listening
from ingest.log import Log
from ingest.log.writer import LogWriter
from ingest.pressure import FILE as VIEWS_FILE
from ingest.sources import DatabaseSource, Sources, load_sources
from ingest.wrapper import Wrapper
from ingest.wrappers.calendar import CalendarWrapper
from ingest.wrappers.database import DatabaseWrapper
from ingest.wrappers.mqtt.asked import Asked as Topics
from ingest.wrappers.mqtt.url import parse_mqtt_url
from ingest.wrappers.mqtt.wrapper import MqttWrapper
from ingest.wrappers.pages.wrapper import PageWrapper
from ingest.wrappers.replay import ReplayWrapper

HEALTH_FILE = "acquisition.json"
LOOK_PERIOD = 0.2
LOOKS_A_REPORT = 5


class Acquisition:
    """All wrappers and the writer they share."""

    def __init__(
        self,
        log: Log,
        wrappers: Sequence[Wrapper],
        declared: DeclaredSources,
        listening: Listening,
        state: Path,
        clock: Clock,
    ) -> None:
        self._log = log
        self._own, self._declared, self._listening = wrappers, declared, listening
        self._writer = LogWriter(log, state / VIEWS_FILE)
        self._file = state / HEALTH_FILE
        self._clock = clock
        self._since: dict[str, tuple[str, int]] = {}

    def run(self, ending: threading.Event) -> None:
        """Acquire until told to end."""
        self._writer.start()
        self._declared.introduce(self._writer)
        for wrapper in self._own:
            wrapper.open(self._writer, self._log)
        self._look()
        turn = 0
        while not ending.wait(LOOK_PERIOD):
            turn += 1
            if self._look() or turn % LOOKS_A_REPORT == 0:
                self._write_health()
        for wrapper in self._wrappers():
            wrapper.close()
        self._writer.close()
        self._write_health()
        self._log.close()

    def _wrappers(self) -> list[Wrapper]:
        return [*self._listening.wrappers(), *self._declared.wrappers(), *self._own]

    def _look(self) -> bool:
        try:
            is_news = self._declared.look(self._writer)
            self._listening.look(self._writer)
        except SQLAlchemyError:  # told by the writer, which fails too
            return False
        return is_news

    def _write_health(self) -> None:
        writer = self._writer.health()
        health = {
            "at": self._clock.now(),
            "pid": os.getpid(),
            "log": {**writer._asdict(), "last": writer.last._asdict()},
            "declared": self._declared.offset,
            "sources": {wrapper.source: self._told(wrapper) for wrapper in self._wrappers()},
        }
        draft = self._file.with_suffix(".draft")
        with suppress(OSError):  # a full disk is told by the log's own error, a second later
            draft.write_text(json.dumps(health), "utf-8")
            draft.replace(self._file)

    def _told(self, wrapper: Wrapper) -> dict[str, Any]:
        """Return how a source does, and since when it does so."""
        health = wrapper.health()
        if self._since.get(wrapper.source, ("", 0))[0] != health.state:
            self._since[wrapper.source] = health.state, self._clock.now()
        return {**asdict(health), "since": self._since[wrapper.source][1]}


def build_wrappers(sources: Sources, clock: Clock, state: Path) -> list[Wrapper]:
    """Return a wrapper for each of these sources; MQTT's has topics that come and go."""
    pages = [PageWrapper(source, page, clock) for source in sources.pages for page in source.pages]
    databases = [DatabaseWrapper(database, clock, state) for database in sources.databases]
    calendars = [CalendarWrapper(calendar, clock) for calendar in sources.calendars]
    return [*databases, *calendars, *pages, *map(ReplayWrapper, sources.recordings)]


def build_acquisition(
    log: Log, sources: Sources, mqtt_url: str, state: Path, clock: Clock, environment: Mapping[str, str]
) -> Acquisition:
    """Put the process together."""
    relations = tuple(stream.relation() for stream in sources.streams)
    address, client_id = parse_mqtt_url(mqtt_url), installation_id(state)

    def make_mqtt(topics: Topics) -> MqttWrapper:
        return MqttWrapper(address, client_id, topics, relations, clock)

    wrappers = build_wrappers(sources, clock, state)
    asked = {each.site: each for each in wrappers if isinstance(each, Asked)}
    listening = Listening(log, make_mqtt, clock)
    declared = DeclaredSources(log, sources, clock, environment, listening, asked)
    return Acquisition(log, wrappers, declared, listening, state, clock)


def apart(databases: Iterable[DatabaseSource]) -> tuple[DatabaseSource, ...]:
    """Return databases of which somebody else reads what is in ranges."""
    return tuple(replace(each, is_apart=True) for each in databases)


def installation_id(state: Path) -> str:
    """Return the identifier this installation has at a broker, the same at every start."""
    file = state / "mqtt-client-id"
    if not file.exists():
        file.write_text(f"smartcis-{secrets.token_hex(4)}", "utf-8")
    return file.read_text("utf-8").strip()


def log_clock(log_url: str, speed: float) -> Clock:
    """Return a clock that goes on where the log's stamps stopped, should they be ahead of the machine's."""
    with Log(log_url) as log:
        last = log.last().received
    return SteadyClock(last) if speed == 1 else SpedClock(speed, max(last, SystemClock().now()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the process; return its exit code."""
    parser = argparse.ArgumentParser("python -m ingest.acquisition", description="Append what sources say.")
    parser.add_argument("--log", required=True, help="sqlite:///path or postgresql://host/name")
    parser.add_argument("--mqtt", required=True, help="mqtt://host:port")
    parser.add_argument("--database", help="what ${SMARTCIS_DATABASE_URL} in the sources stands for")
    parser.add_argument("--sources", required=True, type=Path, help="the building's sources.yaml")
    parser.add_argument("--state", required=True, type=Path, help="folder for the health file")
    parser.add_argument(
        "--set", action="append", default=[], help="NAME=what ${NAME} in the sources stands for"
    )
    parser.add_argument("--speed", type=float, default=1.0, help="seconds of building time per second")
    parser.add_argument("--without-ranges", action="store_true", help="somebody else reads what is in ranges")
    chosen = parser.parse_args(arguments)
    ending = threading.Event()
    when_told_to_end(ending.set)
    end_with_parent()
    environment = {**os.environ, "SMARTCIS_STATE": str(chosen.state)}
    environment |= dict(pair.split("=", 1) for pair in chosen.set)
    if chosen.database:
        environment["SMARTCIS_DATABASE_URL"] = chosen.database
    try:
        chosen.state.mkdir(parents=True, exist_ok=True)
        sources = load_sources(chosen.sources, environment)
        if chosen.without_ranges:
            sources = replace(sources, databases=apart(sources.databases))
        clock = log_clock(chosen.log, chosen.speed)
        log = Log(chosen.log, clock)
        build_acquisition(log, sources, chosen.mqtt, chosen.state, clock, environment).run(ending)
    except SQLAlchemyError as error:
        sys.stderr.write(f"acquisition: cannot open the log: {' '.join(str(error).split())[:300]}\n")
        return 2
    except SmartCISError as error:
        sys.stderr.write(f"acquisition: {error.message}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
