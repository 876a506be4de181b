"""Every setting, from the environment, read once.

SMARTCIS_HOST, SMARTCIS_PORT      where the pages are served         127.0.0.1, 8000
SMARTCIS_STATE                    the folder of all state            ./.smartcis
SMARTCIS_BUILDING                 the building folder                the simulated building
SMARTCIS_SIMULATE                 run the simulated devices          1 for the simulated building
SMARTCIS_SEED, SMARTCIS_SPEED     of the simulation                  7, 1
SMARTCIS_RECORDING                replayed in place of all sources   none
SMARTCIS_MQTT_URL                 a broker                           an embedded one
SMARTCIS_MQTT_PORT                port of the embedded broker        1883, or the next free one
SMARTCIS_DATABASE_URL             the facts                          SQLite in the state folder
SMARTCIS_LOG_URL                  the acquisition log                SQLite in the state folder
SMARTCIS_LOG_HOURS                how long the log is kept           24
SMARTCIS_HISTORY_URL              the past of views that keep it     SQLite in the state folder
SMARTCIS_QUERY_ROWS               most rows of a query or a window   1000000
SMARTCIS_QUERY_ROUNDS             of its recursion in one tick       20000
SMARTCIS_QUERY_MEGABYTES          of its state, estimated            1000
SMARTCIS_QUERY_SECONDS            of computing in one tick           2
SMARTCIS_QUERY_START_SECONDS      of computing for its start         1
SMARTCIS_PACE_QUERIES             queries a minute of one account    60
SMARTCIS_PACE_QUESTIONS           plans and reasons                  120
SMARTCIS_PACE_CHECKS              texts looked through while typed   300
SMARTCIS_PACE_PAST                answers from the past              240
SMARTCIS_PACE_IMPORTS             files of a building                6
SMARTCIS_QUERIES_AT_ONCE          followed at once by one account    8
SMARTCIS_ADAPTIVE                 running views change their plans   on
SMARTCIS_SELF_SECONDS             how often SmartCIS tells of itself   5 (0: never)
SMARTCIS_SPARK_MASTER             where Spark runs                   local[2]
SMARTCIS_PARTITIONS               shares of a view that outgrows us  0; 4 on a cluster
SMARTCIS_PARTITION_ROWS           how many rows a view outgrows      500000
SPARK_LOCAL_HOSTNAME              our name for Spark's executors     127.0.0.1
SMARTCIS_PUBLIC_URL               the address behind a proxy         none
SMARTCIS_PROXIES                  whose forwarded headers count      none
SMARTCIS_TLS_CERT, SMARTCIS_TLS_KEY  serve HTTPS by these PEM files  none
SMARTCIS_ADMIN_PASSWORD           lets an admin sign in by password  none
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from app.paces import Paces
from app.proxies import Network, read_proxies
from app.tls import Certificate, read_certificate
from engine.model.errors import SourceError

SIMULATED_BUILDING = Path(__file__).resolve().parent.parent / "ingest" / "building"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
DEFAULT_MQTT_PORT = 1883
USUALLY_TOGETHER = 3  # people
MOST_PARTITIONS = 1_000
PACES = {
    "queries": "SMARTCIS_PACE_QUERIES",
    "questions": "SMARTCIS_PACE_QUESTIONS",
    "checks": "SMARTCIS_PACE_CHECKS",
    "past": "SMARTCIS_PACE_PAST",
    "imports": "SMARTCIS_PACE_IMPORTS",
    "at_once": "SMARTCIS_QUERIES_AT_ONCE",
}


@dataclass(frozen=True)
class Settings:
    """What the environment says, checked."""

    host: str
    port: int
    state: Path
    building: Path
    simulate: bool
    recording: Path | None
    seed: int
    speed: float
    mqtt_url: str | None
    mqtt_port: int | None
    database_url: str
    log_url: str
    log_hours: float
    history_url: str
    query_rows: int
    query_rounds: int
    query_megabytes: float
    query_seconds: float
    query_start_seconds: float
    paces: Paces
    together: int
    adaptive: bool
    self_seconds: float
    spark_master: str
    spark_host: str
    partitions: int
    partition_rows: int
    public_url: str | None
    proxies: tuple[Network, ...]
    certificate: Certificate | None
    admin_password: str | None

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        scheme = "https" if self.certificate else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings, or raise the first that is wrong."""
    values = {name: value for name, value in environment.items() if value}
    state = Path(values.get("SMARTCIS_STATE", ".smartcis")).resolve()
    building = Path(values.get("SMARTCIS_BUILDING", SIMULATED_BUILDING)).resolve()
    recording = values.get("SMARTCIS_RECORDING")
    simulated = "1" if building == SIMULATED_BUILDING and not recording else "0"
    settings = Settings(
        host=values.get("SMARTCIS_HOST", "127.0.0.1"),
        port=_port(values, "SMARTCIS_PORT") or 8000,
        state=state,
        building=building,
        simulate=_switch(values, "SMARTCIS_SIMULATE", simulated),
        recording=Path(recording).resolve() if recording else None,
        seed=_whole(values, "SMARTCIS_SEED", 7, least=0),
        speed=_number(values, "SMARTCIS_SPEED", 1, least=0.01),
        mqtt_url=values.get("SMARTCIS_MQTT_URL"),
        mqtt_port=_port(values, "SMARTCIS_MQTT_PORT"),
        database_url=values.get("SMARTCIS_DATABASE_URL", f"sqlite:///{state / 'facts.db'}"),
        log_url=values.get("SMARTCIS_LOG_URL", f"sqlite:///{state / 'log.db'}"),
        log_hours=_number(values, "SMARTCIS_LOG_HOURS", 24, least=0.01),
        history_url=values.get("SMARTCIS_HISTORY_URL", f"sqlite:///{state / 'history.db'}"),
        query_rows=_whole(values, "SMARTCIS_QUERY_ROWS", 1_000_000, least=1),
        query_rounds=_whole(values, "SMARTCIS_QUERY_ROUNDS", 20_000, least=1),
        query_megabytes=_number(values, "SMARTCIS_QUERY_MEGABYTES", 1_000, least=1),
        query_seconds=_number(values, "SMARTCIS_QUERY_SECONDS", 2, least=0.001),
        query_start_seconds=_number(values, "SMARTCIS_QUERY_START_SECONDS", 1, least=0.001),
        paces=_paces(values),
        together=_whole(values, "SMARTCIS_TOGETHER", USUALLY_TOGETHER, least=1),
        adaptive=_switch(values, "SMARTCIS_ADAPTIVE", "on"),
        self_seconds=_number(values, "SMARTCIS_SELF_SECONDS", 5, least=0),
        spark_master=values.get("SMARTCIS_SPARK_MASTER", "local[2]"),
        spark_host=values.get("SPARK_LOCAL_HOSTNAME", "127.0.0.1"),
        partitions=_whole(values, "SMARTCIS_PARTITIONS", _usual_partitions(values), 0, MOST_PARTITIONS),
        partition_rows=_whole(values, "SMARTCIS_PARTITION_ROWS", 500_000, least=0),
        public_url=_address(values, "SMARTCIS_PUBLIC_URL"),
        proxies=read_proxies(values.get("SMARTCIS_PROXIES")),
        certificate=read_certificate(values.get("SMARTCIS_TLS_CERT"), values.get("SMARTCIS_TLS_KEY")),
        admin_password=values.get("SMARTCIS_ADMIN_PASSWORD"),
    )
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    if settings.host not in LOOPBACK and not settings.admin_password:
        message = (
            f"SMARTCIS_HOST={settings.host} opens the building to the network, and nobody has an account; "
            "set SMARTCIS_ADMIN_PASSWORD, or leave SMARTCIS_HOST at 127.0.0.1"
        )
        raise SourceError(message)
    if not (settings.building / "sources.yaml").is_file():
        message = f"SMARTCIS_BUILDING={settings.building} has no sources.yaml; name a building folder"
        raise SourceError(message)
    if settings.recording and (settings.simulate or not settings.recording.is_file()):
        found = "goes with no simulation" if settings.simulate else "is no file"
        message = f"SMARTCIS_RECORDING={settings.recording} {found}; expected what smartcis record wrote"
        raise SourceError(message)
    if settings.simulate and settings.building != SIMULATED_BUILDING:
        message = "SMARTCIS_SIMULATE=1 simulates the devices of our own building; unset SMARTCIS_BUILDING"
        raise SourceError(message)


def _usual_partitions(values: Mapping[str, str]) -> int:
    """Return how many shares a view may be cut into; on one machine it would only share that with us."""
    return 0 if values.get("SMARTCIS_SPARK_MASTER", "local").startswith("local") else 4


def _address(values: Mapping[str, str], name: str) -> str | None:
    text = values.get(name, "").rstrip("/")
    if not text:
        return None
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
        message = f"{name} must be such as https://building.example, without a path; found {text}"
        raise SourceError(message)
    return text


def _paces(values: Mapping[str, str]) -> Paces:
    usual = Paces()._asdict()
    return Paces(**{kind: int(_number(values, PACES[kind], most, least=1)) for kind, most in usual.items()})


def _number(
    values: Mapping[str, str],
    name: str,
    default: float,
    least: float,
    most: float = float("inf"),
    is_whole: bool = False,
) -> float:
    text = values.get(name, str(default))
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    fits = least <= number <= most and number != float("inf")
    if not fits or (is_whole and not number.is_integer()):
        bound = "" if most == float("inf") else f" to {most:,g}"
        kind = "whole number" if is_whole else "number"
        message = f"{name} must be a {kind} from {least:g}{bound}, found {text}"
        raise SourceError(message)
    return number


def _whole(
    values: Mapping[str, str], name: str, default: float, least: float, most: float = float("inf")
) -> int:
    return int(_number(values, name, default, least, most, is_whole=True))


def _port(values: Mapping[str, str], name: str) -> int | None:
    text = values.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) < 65_536:
        message = f"{name} must be a port from 1 to 65535, found {text}"
        raise SourceError(message)
    return int(text)


def _switch(values: Mapping[str, str], name: str, default: str) -> bool:
    text = values.get(name, default).lower()
    if text not in ("0", "1", "true", "false", "yes", "no", "on", "off"):
        message = f"{name} must be 1 or 0, found {text}"
        raise SourceError(message)
    return text in ("1", "true", "yes", "on")
