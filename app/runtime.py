"""The only composition root: settings become a running building.

    broker, acquisition, devices (processes)  →  log  →  Spark  →  engine thread  →  web

Built in the server's worker, behind the fork. What takes long, Spark, starts in the background: the
pages answer meanwhile, and /healthz says that no tick flows yet.
"""

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError

from app import devices, interpreter
from app.accounts.accounts import ADMIN
from app.acquaintances import acquaintances
from app.catalog import declared_sources, environment_of, ranged_databases, reflected_tables
from app.cells import say
from app.config import WebConfig
from app.create_app import Web, create_app
from app.declarer import Declarer
from app.device_words import DeviceWords
from app.doors import TellDoor, door_teller
from app.elsewhere import Elsewhere
from app.history.past import Past
from app.history.recorder import Recorder
from app.history.store import Store
from app.itself import TellingItself
from app.registered import opened, restore
from app.roles import Role
from app.server import Served
from app.settings import Settings
from app.sites_known import informed_optimizer
from app.snapshotter import Snapshotter, newest_readable
from app.source_health import OK, delivers, since_in, sources_in, told_of
from app.supervisor import Supervisor
from app.tick_trace import TickTrace
from app.ways.wishing import RealWays
from engine.model.clock import SystemClock
from engine.model.errors import SmartCISError, SourceError
from engine.model.relation import Relation
from engine.service import Engine
from engine.spark import SparkCarrier, SparkFeed, SparkSettings, open_spark
from federated.placing.outgrown import Outgrown
from ingest.acquisition import HEALTH_FILE
from ingest.history import LogHistory
from ingest.lately import LookingBack
from ingest.log.retention import Retention, let_go
from ingest.reader import LogReader
from ingest.snapshots import Snapshots
from ingest.sources import Sources
from ingest.wrappers.mqtt.url import parse_mqtt_url

# Seconds between the starts of ticks: what a person can see, and what keeps windows and alarms in time.
WATCHED_INTERVAL, UNWATCHED_INTERVAL = 0.04, 0.25
FIRST_TICK_SECONDS = 120
LISTENING_TURNS, LISTENING_PAUSE = 100, 0.1

logger = structlog.get_logger()


class Beside(Protocol):
    """What runs on a thread of its own beside the engine."""

    def start(self) -> None: ...
    def stop(self) -> None: ...


class Runtime:
    """Everything that runs, and how it ends."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._supervisor = Supervisor(settings.state / "logs")
        self._first_tick = threading.Event()
        self._spark = SparkSettings(
            settings.state, settings.spark_master, settings.spark_host, partitions=settings.partitions
        )
        interpreter.share()
        try:
            self._start()
        except BaseException:
            self._supervisor.stop()
            raise

    def _start(self) -> None:
        settings, supervisor = self._settings, self._supervisor
        mqtt_url = devices.start_broker(settings, supervisor)
        sources = self._acquire(mqtt_url)
        tables = reflected_tables(sources, say)
        reader = LogReader(settings.log_url, sources, tables)
        relations = (*sources.relations(), *tables)
        outgrown = Outgrown(settings.partitions, settings.partition_rows)
        optimizer, sites_known = informed_optimizer(mqtt_url, sources, settings.state / HEALTH_FILE, outgrown)
        self._history = LogHistory(self._log, reader)
        self._look_back = LookingBack(self._log, LogReader(settings.log_url, sources, tables))
        session, script = opened(settings, self._log, relations, optimizer, self._history, self._carry)
        self._snapshots = Snapshots(settings.log_url)
        self._past = Store(settings.history_url, self._log.last().offset)
        image = newest_readable(self._snapshots, self._past.head().offset)
        restore(session, script, image, settings.together)
        reader.before = acquaintances(session)
        self.engine = Engine(session)
        self._keep(settings)
        self.engine.on_tick(lambda _: self._first_tick.set())
        self._feed = self._build_feed(reader, relations)
        self.engine.on_watched = self._feed.hurry
        self._ranged = ranged_databases(settings, sources, tables, self._log, self._carry)
        self._ways = RealWays(self.engine, session, self._log, self._clock, script)
        self.web = self._build_web(door_teller(sources, mqtt_url), mqtt_url)
        self.engine.keep_views = self._keep_views
        declarer = Declarer(self.engine, session, self._log, settings.state, environment_of(settings))
        self.engine.reach_out = declarer.maybe_run
        elsewhere = Elsewhere(self.engine, self._log, mqtt_url)
        telling = TellingItself(self.engine, session.itself, self._log, SystemClock(), settings.self_seconds)
        beside = (self._recorder, elsewhere, telling, sites_known, self._ways.moving)
        self._beside: tuple[Beside, ...] = (*beside, *self._ranged)
        for each in self._beside:
            each.start()
        start = partial(self._start_feed, mqtt_url)
        threading.Thread(target=start, name="start", daemon=True).start()

    def _acquire(self, mqtt_url: str) -> Sources:
        """Have what the building says come into the log; return what is declared of it."""
        settings, supervisor = self._settings, self._supervisor
        devices.prepare_building(settings, SystemClock())
        devices.forget_last_run(settings.state)
        devices.start_acquisition(settings, supervisor, mqtt_url)
        self._log, self._clock = devices.log_of(settings)
        sources = declared_sources(settings)
        devices.start_gateways(settings, supervisor, sources, mqtt_url, self._clock)
        self._gateways, self._begun = sources.gateways, self._log.last().offset
        return sources

    def _build_feed(self, reader: LogReader, relations: Sequence[Relation]) -> SparkFeed:
        settings = self._settings
        self._trace = TickTrace(self.engine, SystemClock(), settings.state)
        asked, close = self.engine.fragments, lambda tick: self._trace.advance(*tick)
        return SparkFeed(self._spark, reader, relations, asked, close, self._pace)

    def _carry(self) -> SparkCarrier:
        """Have the shares of one more view beside Spark's executors."""
        return SparkCarrier(partial(open_spark, self._spark), self._settings.partitions)

    def _keep(self, settings: Settings) -> None:
        self._recorder = Recorder(self.engine, self._past, settings.speed)
        settle = self._recorder.settle
        self._snapshotter = Snapshotter(self.engine, self._snapshots, self._clock, settle)

    def _keep_views(self) -> None:
        self._snapshotter.save()
        self.web.outlets.router.sync()
        self._recorder.sync()

    def _build_web(self, tell_door: TellDoor, mqtt_url: str) -> Web:
        settings, held = self._settings, self._log.last().offset
        config = WebConfig(
            state=settings.state,
            building=settings.building,
            host=settings.host,
            port=settings.port,
            public_url=settings.public_url,
            proxies=settings.proxies,
            has_certificate=settings.certificate is not None,
            admin_password=settings.admin_password,
            feed=self._clock,
            speed=settings.speed,
            sources=self._sources_health,
            since=partial(since_in, settings.state / HEALTH_FILE),
            why_no_ticks=lambda: self._feed.health().reason,
            trace=self._trace,
            tell_door=tell_door,
            say_of_device=DeviceWords(self.engine, self._log).say,
            database_url=settings.log_url,
            facts_url=settings.database_url,
            mqtt_url=mqtt_url,
            is_current=lambda: self.engine.stamp().offset >= held,
            past=Past(self._past.database, self._recorder.health),
            look_back=self._look_back,
            ways=self._ways,
            paces=settings.paces,
            together=settings.together,
        )
        web = create_app(self.engine, config)
        web.start()
        return web

    def _pace(self) -> float:
        return WATCHED_INTERVAL if self.engine.is_watched() else UNWATCHED_INTERVAL

    def _start_feed(self, mqtt_url: str) -> None:
        self._feed.start(self.engine.stamp().offset)
        pause = threading.Event()
        for _ in range(LISTENING_TURNS):  # a device that speaks before anybody listens is not heard
            if self._is_listened() or pause.wait(LISTENING_PAUSE):
                break
        devices.start_devices(self._settings, self._supervisor, mqtt_url, SystemClock())
        retention = Retention(self._settings.log_url, declared_sources(self._settings).streams)
        hours = self._settings.log_hours
        self._snapshotter.start(partial(let_go, self._log, hours, self._clock, retention))
        while not self._first_tick.wait(FIRST_TICK_SECONDS):
            reason = self._feed.health().reason
            say(f"no tick for {FIRST_TICK_SECONDS} s: {reason}; see {self._settings.state}/logs")
        interpreter.keep()
        say(f"MQTT at {parse_mqtt_url(mqtt_url)}")
        say(f"SmartCIS is alive: {self._settings.url}{self.web.auth.issue_link(Role.ADMIN, ADMIN)}")

    def _is_listened(self) -> bool:
        """Tell whether what devices say is heard: by their gateways, and by the acquisition."""
        is_heard = not self._settings.simulate or devices.are_up(self._gateways, self._log, self._begun)
        return is_heard and delivers(self._sources_health().get("mqtt", ""))

    def _sources_health(self) -> Mapping[str, str]:
        """Return how each source does; and what else is wrong that nobody sees by looking at the building."""
        found = dict(sources_in(self._settings.state / HEALTH_FILE))
        for each in self._ranged:
            if each.is_all:
                found.pop(each.source, None)
            found[each.name] = told_of(each.state, each.problem)
        at_risk = self.engine.at_risk()
        if at_risk:
            found["shares"] = f"{OK}, but an executor that is lost would take along {'; '.join(at_risk)}"
        if self._snapshotter.problem:
            found["snapshots"] = f"none can be taken: {self._snapshotter.problem}; the log is kept meanwhile"
        return found

    def stop(self) -> None:
        """End in the opposite order; the last snapshot is of the last tick."""
        self.web.stop()
        self._feed.stop()
        try:
            self._snapshotter.stop()
            self._snapshotter.save()
        except SmartCISError as error:
            logger.warning("no last snapshot", error=error.message)
        for each in self._beside:
            each.stop()
        self.engine.stop()
        self._supervisor.stop()
        self._snapshots.close()
        self._log.close()


def build(settings: Settings) -> Served:
    """Start everything; the server's factory."""
    try:
        runtime = Runtime(settings)
    except (OSError, ValueError, SQLAlchemyError) as error:
        message = f"SmartCIS cannot start: {in_one_line(error)}; see the settings in README.md"
        raise SourceError(message) from error
    return Served(runtime.web.app, runtime.stop)


def in_one_line(error: Exception) -> str:
    """Say what failed, without the statement and the links that a database library adds."""
    cause = getattr(error, "orig", None) or error
    return f"{type(cause).__name__}: {str(cause).splitlines()[0] if str(cause) else 'no more is known'}"
