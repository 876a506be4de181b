"""A PostgreSQL of one's own: from the pgserver wheel, else the machine's."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import psycopg.sql

from tests.environment.absence import lacking
from tests.environment.waiting import free_port, until

# What a test server need not survive is a power cut.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "max_connections": "50"}


def programs(folder: Path) -> Path:
    """The folder of initdb and postgres, readable by the user they run as."""
    wheel = importlib.util.find_spec("pgserver")
    if wheel and wheel.origin:
        installed = Path(wheel.origin).parent
        return (installed if os.geteuid() != 0 else _copied(installed, folder)) / "pginstall" / "bin"
    on_path = shutil.which("postgres")
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin")) + ([Path(on_path).parent] if on_path else [])
    if not system:
        lacking("PostgreSQL", "pip install pgserver, or sudo apt-get install postgresql")
    return system[-1]


def _copied(installed: Path, folder: Path) -> Path:
    """A copy of the wheel beside the libraries it links to: root's environment may be closed to others."""
    for name in ("pgserver", "pgserver.libs"):
        shutil.copytree(installed.parent / name, folder / "wheel" / name, symlinks=True)
    return folder / "wheel" / "pgserver"


def unprivileged() -> dict[str, Any]:
    """The user to run as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


class Postgres:
    """A server process with one superuser, trusted on 127.0.0.1."""

    def __init__(self, port: int | None = None, user: str = "smartcis") -> None:
        # Not under pytest's folders: those are closed to the user PostgreSQL runs as.
        self.folder = Path(tempfile.mkdtemp(prefix="smartcis-postgres-"))
        self.port = port or free_port()
        self.user = user
        self.programs = programs(self.folder)
        self.process: subprocess.Popen[bytes] | None = None
        self._own(self.folder)
        initialize = [self.programs / "initdb", "-D", self.folder / "data", "-U", user, "--auth=trust"]
        subprocess.run(
            [*initialize, "--encoding=utf8", "--no-sync"],
            **unprivileged(),
            check=True,
            capture_output=True,
            cwd=self.folder,
        )

    def url(self, database: str = "postgres") -> str:
        """The SQLAlchemy address of a database."""
        return f"postgresql+psycopg://{self.user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Starts the server and returns when it answers."""
        places = ["-D", self.folder / "data", "-h", "127.0.0.1", "-p", str(self.port), "-k", self.folder]
        settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "postgres.log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", *places, *settings],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **unprivileged(),
            )
        until(self.answers, 20, f"PostgreSQL on port {self.port} (its log: {self.folder}/postgres.log)")

    def answers(self) -> bool:
        """Whether a connection can be made."""
        try:
            psycopg.connect(self._dsn(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def create_database(self, name: str | None = None) -> str:
        """Makes an empty database and returns its address."""
        name = name or f"test_{uuid4().hex[:12]}"
        with psycopg.connect(self._dsn(), autocommit=True) as connection:
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
        return self.url(name)

    def stop(self) -> None:
        """Ends the server at once, open connections and all."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(120)
            self.process = None

    def remove(self) -> None:
        """Ends the server and removes its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user={self.user} dbname=postgres"

    def _own(self, folder: Path) -> None:
        folder.chmod(0o755)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
