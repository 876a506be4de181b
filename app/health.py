"""Is it alive? Ticks flow while the last closed one is younger than three seconds of the feed's clock."""

from collections.abc import Mapping, Sized
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from app.config import WebConfig
from app.facade import Engine
from app.losses import Loss, again, losses, unasked, under_pressure
from app.refused import refused
from app.source_health import delivers
from app.tick_trace import TickTimes
from engine.contracts import Punctuality
from engine.model.clock import SECOND
from engine.model.values import Row
from ingest.wrappers.mqtt.url import parse_mqtt_url

STALE_SECONDS = 3.0
MQTT = "mqtt"
SEARCH = (
    ("smartcis_plans_considered", "join plans known"),
    ("smartcis_plans_recomputed", "of these computed anew so far"),
    ("smartcis_plan_switches", "changes of plan of running views and queries since the start"),
    ("smartcis_plans_given_up", "changes of plan begun and given up since the start"),
)


class Health:
    """Answers /healthz and /metrics."""

    def __init__(self, engine: Engine, config: WebConfig, sockets: Sized) -> None:
        self._engine, self._config, self._sockets = engine, config, sockets

    def lag_seconds(self) -> float:
        """Return the age of the last tick in seconds of the reader, whatever the feed's speed."""
        behind = (self._config.feed.now() - self._engine.stamp().at) / SECOND
        return max(behind, 0.0) / self._config.speed

    def report(self) -> tuple[dict[str, Any], int]:
        """Return what /healthz says, and its status."""
        stamp, lag = self._engine.stamp(), self.lag_seconds()
        sources = {name: delivers(state) for name, state in self._config.sources().items()}
        report = {"run": self._engine.run, "tick": stamp.tick, "lag": round(lag, 3), "sources": sources}
        if stamp.tick and lag < STALE_SECONDS:
            return {"status": "ok", **report}, 200
        said = f"the last tick is {lag:.0f} s old" if stamp.tick else "no tick has closed yet"
        why = self._config.why_no_ticks()
        reason = f"{said}; Spark: {why}" if why else said
        return {"status": "stale", "reason": reason, **report}, 503

    def sources(self) -> Mapping[str, str]:
        """Return of each source "ok", or what is wrong with it; of MQTT also where the broker is."""
        sources, url = dict(self._config.sources()), self._config.mqtt_url
        if url and MQTT in sources:
            address = str(parse_mqtt_url(url))  # it names no password
            told = sources[MQTT]
            sources[MQTT] = told if address in told else f"{told}, at {address}"
            turned_away = refused(self._config.state, self._config.wall.now())
            more = [each for each in (turned_away, under_pressure(self._config.state)) if each]
            sources[MQTT] = "; ".join((sources[MQTT], *more))
        return sources

    def sources_since(self) -> list[dict[str, Any]]:
        """Return each source with what is told of it, and since when it delivers, or does not."""
        since = self._config.since()
        return [
            {"source": name, "state": state, "delivers": delivers(state), "since": since.get(name)}
            for name, state in sorted(self.sources().items())
        ]

    def losses(self) -> list[Loss]:
        """Return how many messages of each stream are not in the log, by cause."""
        return losses(self._config.state)

    def punctuality(self) -> tuple[Punctuality, ...]:
        """Return of each window that goes by event time how many rows were late, and wait."""
        return self._engine.punctuality()

    def sites(self) -> tuple[Row, ...]:
        """Return how each gateway and database is, as it said last."""
        return self._engine.sites()

    def ticks(self) -> list[TickTimes]:
        """Return what the last ticks took, oldest first."""
        trace = self._config.trace
        return trace.last() if trace is not None else []

    def metrics(self) -> bytes:
        """Return the state in Prometheus's text form."""
        registry = CollectorRegistry()
        stamp = self._engine.stamp()
        for name, meaning, value in (
            ("smartcis_tick", "number of the last closed tick", stamp.tick),
            ("smartcis_log_offset", "log offset up to which views are current", stamp.offset),
            ("smartcis_tick_age_seconds", "age of the last closed tick", self.lag_seconds()),
            ("smartcis_sockets", "connected browsers", len(self._sockets)),
        ):
            Gauge(name, meaning, registry=registry).set(value)
        if self._config.trace is not None:
            for name, total in self._config.trace.totals().items():
                Counter(name, "since the start", registry=registry).inc(total)
        self._shares(registry)
        search = self._engine.searched()
        totals = (search.considered, search.recomputed, search.switches, search.abandoned)
        for (name, meaning), counted in zip(SEARCH, totals, strict=True):
            Gauge(name, meaning, registry=registry).set(counted)
        rows = Gauge("smartcis_view_rows", "rows of a view", ["view"], registry=registry)
        for view in self._engine.views():
            rows.labels(view.name).set(view.rows)
        late = Gauge("smartcis_window_late_rows", "rows that came too late", ["window"], registry=registry)
        waiting = Gauge("smartcis_window_waiting_rows", "rows of the future", ["window"], registry=registry)
        for window in self.punctuality():
            late.labels(window.window).set(window.late)
            waiting.labels(window.window).set(window.waiting)
        self._messages(registry)
        up = Gauge("smartcis_source_up", "1 while a source delivers", ["source"], registry=registry)
        for name, state in self._config.sources().items():
            up.labels(name).set(delivers(state))
        return generate_latest(registry)

    def _shares(self, registry: CollectorRegistry) -> None:
        """Tell of views and tables in shares: how much each share keeps, and what it takes to keep it."""
        shares = self._engine.shares()
        rows = Gauge("smartcis_share_rows", "rows that a share keeps", ["share"], registry=registry)
        for number, kept in enumerate(shares.kept):
            rows.labels(str(number)).set(kept)
        Gauge("smartcis_shares_rounds", "rounds of what runs", registry=registry).set(shares.rounds)
        last = "rounds of each in its last tick, in all"
        Gauge("smartcis_shares_last_rounds", last, registry=registry).set(shares.last_rounds)
        sent = Gauge("smartcis_shares_sent_rows", "rows between shares", ["kind"], registry=registry)
        size = Gauge("smartcis_shares_sent_bytes", "and their bytes", ["kind"], registry=registry)
        for kind, each in shares.sent.items():
            sent.labels(kind).set(each.rows)
            size.labels(kind).set(each.bytes)

    def _messages(self, registry: CollectorRegistry) -> None:
        """Tell of what came and is not in the log."""
        lost = Gauge("smartcis_lost_messages", "not in the log", ["stream", "cause"], registry=registry)
        for loss in self.losses():
            lost.labels(loss.stream, loss.cause).set(loss.messages)
        aside = Gauge("smartcis_messages_aside", "that nobody asks for", ["kind"], registry=registry)
        for kind, count in unasked(self._config.state).items():
            aside.labels(kind).set(count)
        repeated = Gauge(
            "smartcis_repeated_messages", "came again, and dropped", ["source"], registry=registry
        )
        for name, count in again(self._config.state).items():
            repeated.labels(name).set(count)
