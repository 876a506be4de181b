"""A connection to a database of facts: its transactions see one moment of it, its statements end in time.

PostgreSQL ends a statement by itself (``statement_timeout``). SQLite runs in this process: it asks every
few thousand steps whether the time is over, and calls what our SQL has of our own (``ours_…``), by which
a value that its column cannot hold is told instead of compared. Its file may be replaced while it is open
(a backup that is put back): a connection is to the file that has the name now, or there is none.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import IsolationLevel

from engine.model.errors import SourceError, nearest
from engine.model.relation import Column
from engine.model.values import SCALARS, Type, Value
from engine.plan.functions import FUNCTIONS
from ingest.log.schema import parse_url
from ingest.wrappers.database.far_moments import take_far_moments
from ingest.wrappers.database.values import converter
from ingest.wrappers.keyed import UnreadableError

STATEMENT_SECONDS = 10.0
STEPS = 10_000  # of SQLite's machine, between two looks at the time; about a millisecond
OURS = "ours_"
KNOWN = ("sqlite", "postgresql")
OWN = ("sqlite", "postgresql", "mysql", "mariadb", "oracle", "mssql")
ONE_MOMENT: tuple[IsolationLevel, ...] = ("REPEATABLE READ", "SERIALIZABLE")
UNFIT, UNTIL, ENCODING, OPENED, POLLED = "unfit", "until", "encoding", "opened", "polled"
BY_CODE_POINT = ("UTF-8", "UTF8", "LATIN1")


class NotInstalledError(SourceError):
    """What a URL names cannot be read by what is installed; no waiting mends it."""


def open_facts(url: str, seconds: float = STATEMENT_SECONDS) -> sa.Engine:
    """Return an engine for facts; a statement may take so long."""
    parsed = parse_url(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return _open_sqlite(parsed, seconds)
    if backend == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
        ending = {"options": f"-c statement_timeout={int(seconds * 1000)}"}
        engine = _made(parsed, isolation_level="REPEATABLE READ", connect_args=ending)
        take_far_moments(engine)
        return engine
    engine = _made(parsed)
    _see_one_moment(engine)
    return engine


def _made(url: sa.URL, **settings: Any) -> sa.Engine:
    """Return an engine, or raise what is missing for one."""
    try:
        return sa.create_engine(url, enable_from_linting=False, pool_pre_ping=True, **settings)
    except sa.exc.NoSuchModuleError as error:
        known = f"of its own SQLAlchemy knows {', '.join(OWN)}"
        name = url.drivername
        msg = (
            f"nothing installed here can read {name}: {known}{nearest(name, list(OWN))}; install its dialect"
        )
        raise NotInstalledError(msg) from error
    except ImportError as error:
        what = f"{url.drivername} needs the Python package {error.name}, which is not installed"
        msg = f"{what}; install it, or name another driver, as in {url.get_backend_name()}+DRIVER://"
        raise NotInstalledError(msg) from error


def _see_one_moment(engine: sa.Engine) -> None:
    """Have a transaction see one moment, where the database can; a dialect may name what its driver lacks."""
    dialect = engine.dialect

    @sa.event.listens_for(engine, "connect")
    def choose(connection: Any, _record: object) -> None:
        lacking = (NotImplementedError, AttributeError, sa.exc.SQLAlchemyError, dialect.loaded_dbapi.Error)
        with suppress(*lacking):
            levels = dialect.get_isolation_level_values(connection)
            for level in [each for each in ONE_MOMENT if each in levels][:1]:
                dialect.set_isolation_level(connection, level)


def orders_by_code_point(connection: sa.Connection) -> bool:
    """Tell whether texts that are compared byte by byte there are compared by code point.

    Of a database whose SQL is not known here they are not: what is computed of its rows is computed here.
    """
    if connection.dialect.name not in KNOWN:
        return False
    if ENCODING not in connection.info:
        question = "PRAGMA encoding" if connection.dialect.name == "sqlite" else "SHOW server_encoding"
        connection.info[ENCODING] = str(connection.exec_driver_sql(question).scalar())
    return connection.info[ENCODING] in BY_CODE_POINT


def share(connection: sa.Connection, tables: Iterable[str]) -> None:
    """Have tables of PostgreSQL stay what they are until the transaction ends; said before it reads anything.

    One that is rewritten by ALTER TABLE looks empty to a transaction that began before.
    """
    if connection.dialect.name == "postgresql":
        names = ", ".join(map(connection.dialect.identifier_preparer.quote, tables))
        if names:
            connection.exec_driver_sql(f"LOCK TABLE {names} IN ACCESS SHARE MODE")


def is_first_poll_of(connection: sa.Connection) -> bool:
    """Tell, once, that a connection is new: what it is to may be other than what was seen last."""
    is_known = bool(connection.info.get(POLLED))
    connection.info[POLLED] = True
    return not is_known


def unfit_in(connection: sa.Connection) -> UnreadableError | None:
    """Return which value a statement stopped at, if it was one that its column cannot hold."""
    found: UnreadableError | None = connection.info.pop(UNFIT, None)
    return found


def reason_of(error: Exception) -> str:
    """Return why a statement failed, in a line."""
    cause = getattr(error, "orig", None) or error
    text = " ".join(str(cause).split())[:200]
    is_late = text == "interrupted" or "statement timeout" in text
    return f"it took longer than statement_seconds allows ({text})" if is_late else text


def _open_sqlite(url: sa.URL, seconds: float) -> sa.Engine:
    engine = sa.create_engine(url, connect_args={"timeout": 5}, enable_from_linting=False)
    file = url.database or ":memory:"
    path = None if file.startswith((":memory:", "file:")) else Path(file)

    @sa.event.listens_for(engine, "do_connect")
    def create_no_file(_dialect: object, record: Any, *_arguments: object) -> None:
        record.info[OPENED] = _identity(path)
        if path is not None and not path.is_file():
            msg = f"there is no database file {path.absolute()}; expected one that has the tables"
            raise SourceError(msg)

    @sa.event.listens_for(engine, "checkout")
    def see_the_file(_connection: object, record: Any, _proxy: object) -> None:
        if record.info[OPENED] != _identity(path):
            raise sa.exc.DisconnectionError

    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions are begun by us
        teach(connection, record.info)
        record.info[UNTIL] = float("inf")
        connection.set_progress_handler(lambda: time.monotonic() > record.info[UNTIL], STEPS)

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    @sa.event.listens_for(engine, "before_cursor_execute")
    def allow(connection: sa.Connection, *_statement: object) -> None:
        connection.info[UNTIL] = time.monotonic() + seconds

    return engine


def _identity(path: Path | None) -> tuple[int, int] | None:
    """Return which file has a name now; another one that gets the name is not the same."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def teach(connection: Any, info: dict[str, Any]) -> None:
    """Give a connection of SQLite what the SQL for it calls."""
    for kind in SCALARS:
        name = f"{OURS}{kind}_of_column"
        connection.create_function(name, 2, partial(_of_column, kind, info), deterministic=True)
    for function in FUNCTIONS.values():
        for site, text in function.renderings.items():
            if site.startswith("sqlite") and text.startswith(OURS):
                connection.create_function(text.partition("(")[0], -1, function.meaning, deterministic=True)
    connection.create_aggregate(f"{OURS}sum", 1, SumOfColumn)


def _of_column(kind: Type, info: dict[str, Any], value: Any, name: str) -> Value:
    """Return what a column holds as one of its type; what was found instead is remembered."""
    try:
        return converter(Column(name, kind))(value)
    except UnreadableError as error:
        info[UNFIT] = error
        raise


class SumOfColumn:
    """A sum of whole numbers for SQLite, whose own fails beyond 64 bits."""

    def __init__(self) -> None:
        self._sum: int | None = None

    def step(self, value: int | None) -> None:
        if value is not None:
            self._sum = value + (self._sum or 0)

    def finalize(self) -> int | None:
        total = self._sum
        return total if total is None or -(1 << 63) <= total < 1 << 63 else None
