"""Where a broker is, and how it and we are known to each other.

    mqtt://[user[:password]@]host[:port]
    mqtts://[user[:password]@]host[:port][?ca=FILE][&cert=FILE&key=FILE]

``ca`` is whom we trust beside nobody else, where the machine's own authorities are not meant; ``cert`` and
``key`` are what we show a broker that asks its clients for a certificate.
"""

import re
import ssl
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from paho.mqtt.client import Client

from engine.model.errors import SourceError, nearest

PORTS = {"mqtt": 1883, "mqtts": 8883}
FILES = ("ca", "cert", "key")
SECRET = re.compile(r":[^:/]*@")
EXPECTED = "expected mqtt://host:port or mqtts://user:password@host:port"


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker and who we are to it."""

    host: str
    port: int
    user: str | None = None
    password: str | None = None
    tls: bool = False
    ca: str | None = None
    cert: str | None = None
    key: str | None = None

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"

    def prepare(self, client: Client, keep_alive: int) -> None:
        """Tell a client where to connect to; it does not connect yet."""
        if self.user is not None:
            client.username_pw_set(self.user, self.password)
        if self.tls:
            client.tls_set_context(self._context())
        client.connect_async(self.host, self.port, keep_alive)

    def _context(self) -> ssl.SSLContext:
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.cert is not None:
                context.load_cert_chain(self.cert, self.key, password=_no_password)
        except (OSError, ValueError) as error:
            named = ", ".join(f"{name} {getattr(self, name)}" for name in FILES if getattr(self, name))
            there = "expected readable PEM files, the key without a password"
            msg = f"{named} of {self} cannot be used: {error}; {there}"
            raise SourceError(msg) from error
        return context


def parse_mqtt_url(url: str) -> BrokerAddress:
    """Return the address a URL names."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        msg = f"the broker's URL is {SECRET.sub(':***@', url) or 'empty'}; {EXPECTED}"
        raise SourceError(msg)
    files = _files(parts.query, parts.scheme, parts.hostname)
    return BrokerAddress(
        host=parts.hostname,
        port=_port(parts) or PORTS[parts.scheme],
        user=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
        tls=parts.scheme == "mqtts",
        **files,
    )


def _files(query: str, scheme: str, host: str) -> dict[str, str]:
    """Return the files that a URL names; what it may hold of passwords is not repeated."""
    given = {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}
    for name in given:
        if name not in FILES:
            there = f"expected {', '.join(FILES)}{nearest(name, list(FILES))}"
            msg = f"the broker's URL says {name}= of {host}; {there}"
            raise SourceError(msg)
    if given and scheme != "mqtts":
        msg = f"the broker's URL says {', '.join(given)} of {host} without TLS; write mqtts:// instead"
        raise SourceError(msg)
    if "key" in given and "cert" not in given:
        msg = f"the broker's URL says key= of {host} without cert=; expected the certificate of the key"
        raise SourceError(msg)
    return given


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        msg = f"the broker's URL has a wrong port: {error}; {EXPECTED}"
        raise SourceError(msg) from error


def _no_password() -> str:
    """Answer for a key that wants a password, which nobody is there to type."""
    return ""
