"""Where a source is asked over HTTP, as its section says.

url                  http, https, or webcal, which is https; may hold a name and a password
user, password       for basic authentication
headers              any others, for instance {Authorization: "Bearer ${TOKEN}"}
timeout_seconds      within which the whole answer has to be there
ca                   a file of certificates to trust instead of the system's
"""

from typing import Any
from urllib.parse import urlsplit

from engine.model.errors import SourceError
from ingest.checked_yaml import mapping, seconds, shown, text
from ingest.wrappers.fetching import Address, with_credentials

ADDRESS_KEYS = {"url", "user", "password", "headers", "timeout_seconds", "ca"}
TIMEOUT = 10.0


def address_of(found: dict[str, Any], where: str) -> Address:
    """Return the address that a section under one of the kinds declares."""
    url = text(found, "url", where)
    user, password = (text(found, key, where) if key in found else None for key in ("user", "password"))
    bare, credentials = with_credentials(url, user, password)
    parts = urlsplit(bare)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        msg = f"url of {where} is {bare[:40]}; expected http://host/path or https://host/path"
        raise SourceError(msg)
    ca = text(found, "ca", where) if "ca" in found else None
    timeout = seconds(found, where, TIMEOUT, "timeout_seconds")
    return Address(bare, {**_headers(found, where), **credentials}, timeout, ca=ca)


def _headers(found: dict[str, Any], where: str) -> dict[str, str]:
    given = mapping(found.get("headers") or {}, f"headers of {where}")
    for name, value in given.items():
        if not isinstance(value, str) or not name.isascii() or set("\r\n") & set(name + value):
            msg = f"header {name[:40]!r} of {where} is {shown(value)}; expected one line of text"
            raise SourceError(msg)
    return given
