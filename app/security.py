"""What every answer and every request must satisfy, whoever asks.

Three attacks and their answer:

* another site posts with the reader's cookie: an unsafe request or a socket must come from our own
  origin (Sec-Fetch-Site, else Origin), unless it carries the bearer token, which no site has;
* another name is made to resolve to 127.0.0.1: while bound to loopback only loopback names are served;
* a string of a sensor becomes markup: the content security policy runs no inline code at all.
"""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from flask import Request, Response
from werkzeug.wrappers import Response as PlainResponse

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach the bind address or host name."""
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def host_is_ours(environ: Mapping[str, Any], bind: str) -> bool:
    """Tell whether the Host header names us; off loopback the name is the operator's affair."""
    if not is_loopback(bind):
        return True
    try:
        name = urlsplit(f"//{environ.get('HTTP_HOST', '')}").hostname or ""
    except ValueError:  # a bracket that nothing closes
        return False
    return is_loopback(name)


def origin_is_ours(origin: str | None, environ: Mapping[str, Any], public_url: str | None = None) -> bool:
    """Tell whether the origin is the one this request was sent to, or the public address in front of us."""
    if not origin:
        return False
    own = f"{environ['wsgi.url_scheme']}://{environ.get('HTTP_HOST', '')}"
    return origin in {own, (public_url or own).rstrip("/")}


def comes_from_elsewhere(request: Request, public_url: str | None) -> bool:
    """Tell whether another site may have caused this unsafe request; silence counts as yes."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site not in {"same-origin", "none"}
    return not origin_is_ours(request.headers.get("Origin"), request.environ, public_url)


def policy(host: str, script_hosts: tuple[str, ...] = (), style_nonce: str | None = None) -> str:
    """Return the content security policy; ``script_hosts`` serve libraries that are not installed here.

    A style sheet that a script makes itself must carry ``style_nonce``, which is another for each answer.
    """
    elsewhere = " ".join(("", *script_hosts))
    own_styles = "" if style_nonce is None else f" 'nonce-{style_nonce}'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self'{elsewhere}",
            f"style-src 'self'{elsewhere}{own_styles}",
            "img-src 'self' data:",
            "font-src 'self'",
            "manifest-src 'self'",
            "worker-src 'self'",
            f"connect-src 'self' ws://{host} wss://{host}",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def harden(
    response: Response | PlainResponse,
    host: str,
    script_hosts: tuple[str, ...],
    style_nonce: str | None = None,
) -> None:
    """Set the headers that every answer carries."""
    headers = response.headers
    headers["Content-Security-Policy"] = policy(host, script_hosts, style_nonce)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Permissions-Policy"] = PERMISSIONS
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers.setdefault("Cache-Control", "no-store")
