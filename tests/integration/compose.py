"""The services of docker-compose.yml, run without Docker by the very commands the file states.

Commands, environment and ports are read from the file; `composed_text` says how its host names, ports and
folders read on this machine. Every service runs in a process group of its own and is ended as a group.
PostgreSQL, whose command is in its image, is the tests' own one with the user and database of the file.
"""

import os
import pwd
import shlex
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.environment.postgres import Postgres
from tests.environment.waiting import free_port, listens, until
from tests.integration.composed_text import Translation, container_ports, interpolated

ROOT = Path(__file__).resolve().parents[2]
INHERITED = ("HOME", "JAVA_HOME", "LANG", "TMPDIR")


@dataclass(frozen=True)
class Service:
    """What to run, in which environment, and where it then listens (port in the file → port here)."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    ports: Mapping[int, int]


class Composition:
    """The services of a compose file, to be started one by one and ended together."""

    def __init__(self, file: Path, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self.stated: dict[str, Any] = interpolated(yaml.safe_load(file.read_text()), settings)["services"]
        stated = [(name, port) for name, of in self.stated.items() for port in container_ports(of)]
        self.translation = Translation({name_and_port: free_port() for name_and_port in stated})
        for name in self.stated:
            self._mount(name)
        self.services = {name: self._service(name) for name in self.stated}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.postgres: Postgres | None = None

    def __enter__(self) -> "Composition":
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(list(self.processes)):
            self.stop(name)
        if self.postgres is not None:
            self.postgres.remove()

    def start(self, name: str, within: float = 30) -> Service:
        """Starts a service and returns when all its ports accept connections."""
        service = self.services[name]
        if name == "postgres":
            self._start_postgres(service)
            return service
        with self.log(name).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                service.argv, env=dict(service.env), stdout=log, stderr=log, cwd=ROOT, start_new_session=True
            )
        until(lambda: self._up(name), within, f"{name} to listen (its log: {self.log(name)})")
        return service

    def stop(self, name: str) -> None:
        """Asks the service to end; kills it after ten seconds."""
        self._signal(self.processes[name], signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.processes[name].wait(120)
        self.kill(name)

    def kill(self, name: str) -> None:
        """Ends the service and its children at once."""
        process = self.processes.pop(name)
        self._signal(process, signal.SIGKILL)
        process.wait()

    def log(self, name: str) -> Path:
        """What the service prints."""
        return self.folder / f"{name}.log"

    def port(self, name: str, stated: int) -> int:
        """Where a service listens that the file says listens on `stated`."""
        return self.translation.ports[name, stated]

    def _up(self, name: str) -> bool:
        if self.processes[name].poll() is not None:
            code = self.processes[name].returncode
            message = f"{name} ended with {code}; its log: {self.log(name).read_text()}"
            raise RuntimeError(message)
        return all(listens(port) for port in self.services[name].ports.values())

    def _signal(self, process: subprocess.Popen[bytes], how: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)

    def _service(self, name: str) -> Service:
        stated = self.stated[name]
        command = stated.get("command", [])
        words = shlex.split(command) if isinstance(command, str) else command
        path = f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}{os.pathsep}/usr/sbin"
        inherited = {key: os.environ[key] for key in INHERITED if key in os.environ}
        own = {key: self._text(value, name) for key, value in stated.get("environment", {}).items()}
        return Service(
            name,
            (*words[:1], *(self._text(word, name) for word in words[1:])),
            {**inherited, "PATH": path, **own},
            {port: self.port(name, port) for port in container_ports(stated)},
        )

    def _text(self, text: object, name: str) -> str:
        return self.translation.text(str(text), name)

    def _mount(self, name: str) -> None:
        """Gives each volume a folder, then each mounted file a translated copy."""
        volumes = [volume.split(":") for volume in self.stated[name].get("volumes", [])]
        folders = self.translation.folders.setdefault(name, {})
        for source, inside, *_ in volumes:
            outside = self.folder / name / inside.strip("/")
            (outside.parent if source.startswith(".") else outside).mkdir(parents=True, exist_ok=True)
            folders[inside] = outside
        for source, inside, *_ in volumes:
            if source.startswith("."):
                folders[inside].write_text(self._configuration((ROOT / source).read_text(), name))

    def _configuration(self, text: str, name: str) -> str:
        translated = self._text(text, name)
        # In its image Mosquitto runs as a user who may write its folder; here that is ourselves.
        user = pwd.getpwuid(os.geteuid()).pw_name
        return f"{translated}\nuser {user}\n" if name == "mosquitto" else translated

    def _start_postgres(self, service: Service) -> None:
        self.postgres = Postgres(self.port("postgres", 5432), service.env["POSTGRES_USER"])
        self.postgres.start()
        self.postgres.create_database(service.env["POSTGRES_DB"])
