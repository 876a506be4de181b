"""What the web side is told by whoever puts the parts together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.device_words import SayOfDevice, nobody_listens
from app.doors import TellDoor, no_doors
from app.history.past import Past
from app.paces import Paces
from app.proxies import Network
from app.settings import USUALLY_TOGETHER
from app.tick_trace import TickTrace
from app.ways.wishing import NoWays, Ways
from app.why import LookBack
from engine.model.clock import Clock, SystemClock
from ingest.lately import nothing_kept


def _no_sources() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class WebConfig:
    """``feed`` is the clock whose stamps the log carries; ``wall`` is for sessions and the pulse.

    ``sources`` says of each source "ok" or what is wrong with it, ``since`` since when; ``trace`` knows what
    ticks took.
    ``speed`` is how fast ``feed`` runs; ``tell_door`` tells a door to open or close,
    ``say_of_device`` the log what people say of a device.
    ``database_url`` is where alarms are kept, a file in ``state`` where there is none; ``mqtt_url`` is the
    broker of OUTPUT TO MQTT; ``is_current`` says that the engine has caught up with the log of the start.
    ``facts_url`` is the database of the building's facts.
    ``why_no_ticks`` is what the feed says while none flow.
    ``host`` and ``port`` are what the server binds, with a certificate or without; ``public_url`` is set
    behind a proxy, and ``proxies`` are those whose forwarded headers count; ``past`` is where
    that of views is kept; ``paces`` says how often one account may ask, ``together`` how many people are a
    count that everybody may see; ``ways`` knows what visitors may wish for; ``look_back`` finds in the log
    when base rows came.
    """

    state: Path
    building: Path
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = None
    proxies: tuple[Network, ...] = ()
    has_certificate: bool = False
    admin_password: str | None = None
    feed: Clock = field(default_factory=SystemClock)
    wall: Clock = field(default_factory=SystemClock)
    speed: float = 1.0
    sources: Callable[[], Mapping[str, str]] = _no_sources
    since: Callable[[], Mapping[str, int]] = dict
    why_no_ticks: Callable[[], str | None] = lambda: None
    trace: TickTrace | None = None
    tell_door: TellDoor = no_doors
    say_of_device: SayOfDevice = nobody_listens
    database_url: str | None = None
    mqtt_url: str | None = None
    is_current: Callable[[], bool] = lambda: True
    past: Past | None = None
    facts_url: str | None = None
    look_back: LookBack = nothing_kept
    ways: Ways = field(default_factory=NoWays)
    max_sockets: int = 120
    max_queries: int = 100
    paces: Paces = field(default_factory=Paces)
    together: int = USUALLY_TOGETHER

    @property
    def address(self) -> str:
        """Where people find the pages: behind a proxy as it says, else what the server binds."""
        scheme = "https" if self.has_certificate else "http"
        return (self.public_url or f"{scheme}://{self.host}:{self.port}").rstrip("/")

    @property
    def is_encrypted(self) -> bool:
        """Whether browsers come by HTTPS, so that a cookie need never go without."""
        return self.has_certificate or (self.public_url or "").startswith("https:")
