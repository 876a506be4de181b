"""Where a broker is: mqtt://[user[:password]@]host[:port] or mqtts://…[?ca=/path/to/ca.pem]."""

import ssl
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from paho.mqtt.client import Client

from engine.model.errors import SourceError

PORTS = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker and who we are to it."""

    host: str
    port: int
    user: str | None = None
    password: str | None = None
    tls: bool = False
    ca: str | None = None

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"

    def prepare(self, client: Client, keep_alive: int) -> None:
        """Tell a client where to connect to; it does not connect yet."""
        if self.user is not None:
            client.username_pw_set(self.user, self.password)
        if self.tls:
            client.tls_set_context(ssl.create_default_context(cafile=self.ca))
        client.connect_async(self.host, self.port, keep_alive)


def parse_mqtt_url(url: str) -> BrokerAddress:
    """Return the address a URL names."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        msg = f"the broker's URL is {url or 'empty'}; expected mqtt://host:port or mqtts://user:password@host:port"
        raise SourceError(msg)
    return BrokerAddress(
        host=parts.hostname,
        port=parts.port or PORTS[parts.scheme],
        user=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
        tls=parts.scheme == "mqtts",
        ca=parse_qs(parts.query).get("ca", [None])[0],
    )
