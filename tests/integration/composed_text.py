"""What a compose file's texts mean on this machine, without Docker.

    spark://spark-master:7077  →  spark://127.0.0.1:<a free port>
    --host spark-worker        →  --host 127.0.0.1
    /mosquitto/data/           →  a folder of the test's own

Left out: everything of compose that our file does not use.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LOCALHOST = "127.0.0.1"
VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?:(:[-?])([^}]*))?\})")


def interpolated(value: Any, settings: Mapping[str, str]) -> Any:
    """The value with `${NAME}`, `${NAME:-default}` and `${NAME:?message}` filled in."""
    if isinstance(value, str):
        return VARIABLE.sub(lambda found: _filled(found, settings), value)
    if isinstance(value, list):
        return [interpolated(item, settings) for item in value]
    if isinstance(value, dict):
        return {key: interpolated(item, settings) for key, item in value.items()}
    return value


def _filled(found: re.Match[str], settings: Mapping[str, str]) -> str:
    dollar, name, kind, rest = found.groups()
    if dollar:
        return "$"
    if settings.get(name):
        return settings[name]
    if kind == ":?":
        message = f"required variable {name} is missing: {rest}"
        raise KeyError(message)
    return rest or ""


def container_ports(service: Mapping[str, Any]) -> list[int]:
    """The ports a service listens on: the exposed ones and the targets of the published ones."""
    published = [str(port).rpartition(":")[2] for port in service.get("ports", [])]
    return [int(port) for port in [*map(str, service.get("expose", [])), *published]]


@dataclass
class Translation:
    """How the names of one composition read here: (service, port) → port, and per service its folders."""

    ports: Mapping[tuple[str, int], int]
    folders: dict[str, dict[str, Path]] = field(default_factory=dict)

    def text(self, text: str, service: str) -> str:
        """A text of a service: an argument, a value of the environment, a configuration file."""
        for (host, port), local in self.ports.items():
            text = re.sub(rf"\b{re.escape(host)}:{port}\b", f"{LOCALHOST}:{local}", text)
            if host == service:
                text = re.sub(rf"(?<![\w.:-]){port}(?![\w.-])", str(local), text)
                text = re.sub(rf"{re.escape(LOCALHOST)}:{port}\b", f"{LOCALHOST}:{local}", text)
        hosts = {host for host, _ in self.ports} | {"0.0.0.0"}
        for inside, outside in self.folders.get(service, {}).items():
            text = text.replace(inside, str(outside))
        return LOCALHOST if text in hosts else text
