"""Under which address a phone reaches this server, or why none can."""

import socket

import psutil

from app.config import WebConfig
from app.security import is_loopback

ONLY_HERE = (
    "Only this computer can reach SmartCIS, so no phone could open the way. "
    "Whoever runs it sets SMARTCIS_PUBLIC_URL, or SMARTCIS_HOST with SMARTCIS_ADMIN_PASSWORD."
)
NO_ADDRESS = (
    "SmartCIS does not know under which address a phone reaches it: this page came from {host}, and this "
    "computer is on no network. Whoever runs it sets SMARTCIS_PUBLIC_URL."
)


class OutOfReach(Exception):
    """No phone can come here; the text says why."""


def address_for_phones(config: WebConfig, scheme: str, host: str) -> str:
    """Return where a phone finds us; ``host`` is under which name, and port, this request came."""
    if config.public_url:
        return config.public_url.rstrip("/")
    name = host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host
    if not is_loopback(name):
        return f"{scheme}://{host}"
    if is_loopback(config.host):
        raise OutOfReach(ONLY_HERE)
    bound = config.host.strip("[]")
    found = bound if bound not in ("0.0.0.0", "::") else _on_the_network()
    if found is None:
        raise OutOfReach(NO_ADDRESS.format(host=host))
    return f"{scheme}://{f'[{found}]' if ':' in found else found}:{config.port}"


def _on_the_network() -> str | None:
    """Return the first address of this computer that others can know."""
    every = [each for those in psutil.net_if_addrs().values() for each in those]
    return next((a.address for a in every if a.family == socket.AF_INET and not is_loopback(a.address)), None)
