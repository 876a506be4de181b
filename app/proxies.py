"""Forwarded headers, taken from named proxies only.

    browser ─→ proxy (named) ─X-Forwarded-For, -Proto, -Host→ us        who else says them is not heard

Of several addresses in X-Forwarded-For the last that is no named proxy is the client: what stands before
it, the client may have written itself. A request by a named proxy may have any host name: which names
lead here is the proxy's affair then.
"""

from collections.abc import Callable, Iterable
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from engine.model.errors import SourceError

Network = IPv4Network | IPv6Network
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
PROXIED = "smartcis.proxied"
SCHEMES = ("http", "https")


def read_proxies(text: str | None) -> tuple[Network, ...]:
    """Return the addresses and networks of a list with commas, or raise the first that is none."""
    names = [part.strip() for part in (text or "").split(",") if part.strip()]
    return tuple(_network(name) for name in names)


def _network(name: str) -> Network:
    try:
        return ip_network(name, strict=False)
    except ValueError:
        message = (
            f"SMARTCIS_PROXIES names {name}, which is no address; "
            "expected addresses or networks by commas, such as 127.0.0.1, 10.0.0.0/8"
        )
        raise SourceError(message) from None


class Proxied:
    """The WSGI layer that believes named proxies and nobody else."""

    def __init__(self, inside: Wsgi, proxies: tuple[Network, ...]) -> None:
        self._inside, self._proxies = inside, proxies

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if self._is_proxy(environ.get("REMOTE_ADDR", "")):
            self._believe(environ)
        return self._inside(environ, start_response)

    def _believe(self, environ: dict[str, Any]) -> None:
        environ[PROXIED] = True
        client = next((a for a in reversed(_said(environ, "FOR")) if not self._is_proxy(a)), None)
        if client is not None and _address(client) is not None:
            environ["REMOTE_ADDR"] = client
        if (scheme := _last(environ, "PROTO").lower()) in SCHEMES:
            environ["wsgi.url_scheme"] = scheme
        if host := _last(environ, "HOST"):
            environ["HTTP_HOST"] = host

    def _is_proxy(self, text: str) -> bool:
        address = _address(text)
        return address is not None and any(address in network for network in self._proxies)


def _said(environ: dict[str, Any], what: str) -> list[str]:
    return [part.strip() for part in environ.get(f"HTTP_X_FORWARDED_{what}", "").split(",") if part.strip()]


def _last(environ: dict[str, Any], what: str) -> str:
    return next(reversed(_said(environ, what)), "")


def _address(text: str) -> Any:
    try:
        found = ip_address(text.strip("[]"))
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
