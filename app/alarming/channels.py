"""Channels: who can be told of an alarm, each by a name that rules use.

    email     server, port, security (none, starttls, tls), user, password, sender, to
    webhook   url, header, value          POST of JSON; the header carries a secret, if there is one
    mqtt      topic                       JSON, to the installation's broker

Kept in a file of the state folder that only its owner can read; a secret is never told again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from app.kept_file import KeptFile
from engine.model.errors import QueryError, nearest

EMAIL, WEBHOOK, MQTT = "email", "webhook", "mqtt"
SECURITY = ("none", "starttls", "tls")
NEEDED = {EMAIL: ("server", "sender", "to"), WEBHOOK: ("url",), MQTT: ("topic",)}
OFFERED = {EMAIL: ("port", "security", "user", "password"), WEBHOOK: ("header", "value"), MQTT: ()}
SECRETS = frozenset({"password", "value"})
DEFAULTS = {"port": "587", "security": "starttls"}
KEPT_SECRET = "•••"
MAX_NAME, LONGEST = 60, 1_000
SPEC = r'[^\s@<>,;:"()\[\]\\]+@\w(?:[\w.-]*\w)?'
ADDRESS = re.compile(rf'{SPEC}|[^@<>,;:"()\[\]\\]*<{SPEC}>')  # others break Python's own reading of a header


@dataclass(frozen=True)
class Channel:
    """``settings`` are texts, by name."""

    name: str
    kind: str
    settings: Mapping[str, str] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """Return it without its secrets."""
        hidden = {key for key, value in self.settings.items() if key in SECRETS and value}
        shown = {key: KEPT_SECRET if key in hidden else value for key, value in self.settings.items()}
        return {"name": self.name, "kind": self.kind, "settings": shown}


class Channels:
    """Thread-safe; what is changed is on the disk before it is said."""

    def __init__(self, path: Path) -> None:
        self._file = KeptFile(path, Channel, "channels of alarms", "remove it and make the channels again")
        self._lock = Lock()
        self._known = {channel.name: channel for channel in self._file.read()}

    def all(self) -> list[Channel]:
        return sorted(self._known.values(), key=lambda channel: channel.name)

    def find(self, name: str) -> Channel | None:
        return self._known.get(name)

    def get(self, name: str) -> Channel:
        found = self.find(name)
        if found is None:
            known = ", ".join(sorted(self._known)) or "none yet"
            message = (
                f"there is no channel {name:.60}; there are: {known}{nearest(name, sorted(self._known))}"
            )
            raise QueryError(message)
        return found

    def put(self, name: str, kind: str, settings: Mapping[str, str]) -> Channel:
        """Make a channel, or change it; a secret that is given as it is shown stays what it was."""
        before = self.find(name)
        held = before.settings if before is not None and before.kind == kind else {}
        said = {key: held.get(key, "") if value == KEPT_SECRET else value for key, value in settings.items()}
        channel = checked(Channel(name.strip(), kind, said))
        with self._lock:
            self._keep({**self._known, channel.name: channel})
        return channel

    def remove(self, name: str) -> None:
        channel = self.get(name)
        with self._lock:
            self._keep({other: each for other, each in self._known.items() if other != channel.name})

    def _keep(self, known: dict[str, Channel]) -> None:
        self._file.keep(known.values())
        self._known = known


def checked(channel: Channel) -> Channel:
    """Return a channel with all that it needs; raise what is wrong with it."""
    problem = _problem(channel)
    if problem:
        raise QueryError(problem)
    names = (*NEEDED[channel.kind], *OFFERED[channel.kind])
    settings = {name: channel.settings.get(name, "").strip() or DEFAULTS.get(name, "") for name in names}
    return Channel(channel.name, channel.kind, settings)


def _problem(channel: Channel) -> str | None:
    name, settings = channel.name, channel.settings
    if not name or len(name) > MAX_NAME or not name.isprintable() or "," in name:
        return f"a channel is named by 1 to {MAX_NAME} signs without a comma, found {name[:MAX_NAME]!r}"
    if channel.kind not in NEEDED:
        return f"a channel is one of {', '.join(NEEDED)}, found {channel.kind!r}"
    names = (*NEEDED[channel.kind], *OFFERED[channel.kind])
    for key, value in settings.items():
        if key not in names:
            return f"{key} is no setting of {channel.kind}; there are {', '.join(names)}{nearest(key, names)}"
        if len(value) > LONGEST or not value.isprintable():
            return f"{key} of the channel {name} is a line of text, {LONGEST} signs at most"
    missing = [each for each in NEEDED[channel.kind] if not settings.get(each, "").strip()]
    if missing:
        return f"the channel {name} needs {', '.join(missing)}"
    return {EMAIL: _email_problem, WEBHOOK: _webhook_problem, MQTT: _mqtt_problem}[channel.kind](settings)


def _email_problem(settings: Mapping[str, str]) -> str | None:
    port, security = settings.get("port") or "587", settings.get("security") or "starttls"
    if not port.isdecimal() or not 0 < int(port) < 65_536:
        return f"port is a number up to 65535, found {port!r}"
    if security not in SECURITY:
        return f"security is one of {', '.join(SECURITY)}, found {security!r}"
    addresses = [each.strip() for each in (settings["sender"], *settings["to"].split(","))]
    wrong = next((each for each in addresses if not ADDRESS.fullmatch(each)), None)
    expected = "expected such as ada@example.org or Ada Lovelace <ada@example.org>, several by commas"
    return None if wrong is None else f"{wrong!r} is no e-mail address; {expected}"


def _webhook_problem(settings: Mapping[str, str]) -> str | None:
    try:
        found = urlsplit(settings["url"].strip())
        names_host = found.scheme in ("http", "https") and bool(found.hostname) and found.port != 0
    except ValueError:
        names_host = False
    expected = "begins with https:// or http:// and names a host, if it likes with a port up to 65535"
    return None if names_host else f"url {expected}; found {settings['url']!r}"


def _mqtt_problem(settings: Mapping[str, str]) -> str | None:
    topic = settings["topic"].strip()
    if set("+#") & set(topic) or topic.startswith("$"):
        return f"a topic to publish to has no + and no # and does not begin with $, found {topic!r}"
    return None
