"""A copy of the whole state in one file, taken while everything runs, and the way back.

    FILE.tar.gz  =  files of the state folder, each SQLite database as of one moment (VACUUM INTO),
                    of a log or history elsewhere, as in PostgreSQL, the rows (log.rows, history.rows),
                    manifest.json: what there is, with its SHA-256

Beside the log, in its database, stand the alarms, what was done by whom, and which topics outputs keep.

The log is taken last, so that it knows all that the other parts have: what a restored part has done already
is recognised, and what it has not is done again. Left out on purpose: what a start makes anew (health,
the processes' own logs), and a facts database of somebody else's.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.accounts.audit import METADATA as AUDIT_TABLES
from app.alarming.tables import METADATA as ALARM_TABLES
from app.history.schema import METADATA as HISTORY_TABLES
from app.retained import METADATA as RETAINED_TABLES
from app.settings import Settings
from engine.model.errors import SourceError
from ingest.acquisition import HEALTH_FILE
from ingest.log.files import dump, load
from ingest.log.schema import METADATA as LOG_TABLES

VERSION = 1
MANIFEST, ROWS, LOG_FILE = "manifest.json", ".rows", "log.db"
MADE_ANEW = {HEALTH_FILE, "running.json", "logs"}
SQLITE = "sqlite:///"
SQLITE_MAGIC = b"SQLite format 3\0"
BESIDE_SQLITE = ("-wal", "-shm", "-journal")
PIECE = 1 << 20


class Database(NamedTuple):
    """A database of ours, by the setting that names it."""

    name: str
    url: str
    tables: sa.MetaData

    def is_in(self, state: Path) -> bool:
        """Tell whether it is one of the files of the state folder."""
        return self.url.startswith(SQLITE) and Path(self.url.removeprefix(SQLITE)).is_relative_to(state)


class Contents(NamedTuple):
    """What a backup has: how many files, and their bytes before they were compressed."""

    files: int
    size: int


def back_up(chosen: Settings, file: Path, at: int) -> Contents:
    """Write the one file; it appears under its name when it is whole."""
    draft = file.with_name(f"{file.name}.partial")
    if file.resolve().is_relative_to(chosen.state):
        msg = f"{file} is in the folder that is backed up, {chosen.state}; name a file outside of it"
        raise SourceError(msg)
    try:
        with (
            tempfile.TemporaryDirectory(dir=file.parent, prefix=".smartcis-backup-") as room,
            os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out,
        ):
            with tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as archive:
                found = dict(_copied(archive, chosen, Path(room)))
                manifest = {"backup": VERSION, "at": at, "files": found}
                note = Path(room) / MANIFEST
                note.write_text(json.dumps(manifest), "utf-8")
                archive.add(note, MANIFEST)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(file)
    except (OSError, sqlite3.Error) as error:
        draft.unlink(missing_ok=True)
        msg = f"cannot write the backup {file}: {error}"
        raise SourceError(msg) from error
    return Contents(len(found), sum(size for _, size in found.values()))


def _databases(chosen: Settings) -> tuple[Database, ...]:
    """Return what is ours, the log last."""
    history = Database("history", chosen.history_url, HISTORY_TABLES)
    beside = (LOG_TABLES, ALARM_TABLES, AUDIT_TABLES, RETAINED_TABLES)
    return history, Database("log", chosen.log_url, _together(beside))


def _together(several: Iterable[sa.MetaData]) -> sa.MetaData:
    found = sa.MetaData()
    for table in (table for each in several for table in each.sorted_tables):
        table.to_metadata(found)
    return found


def _copied(archive: tarfile.TarFile, chosen: Settings, room: Path) -> Iterator[tuple[str, tuple[str, int]]]:
    """Add every part; yield its name with its hash and size."""
    copy = room / "copy"
    for part in sorted(_parts(chosen.state), key=lambda one: one.name == LOG_FILE):
        name = part.relative_to(chosen.state).as_posix()
        try:
            source = _steady(part, copy)
        except FileNotFoundError:  # it went meanwhile
            continue
        archive.add(source, name)
        yield name, (_hash(source), source.stat().st_size)
        copy.unlink(missing_ok=True)
    for database in _databases(chosen):
        if not database.is_in(chosen.state):
            dump(database.url, database.tables, copy)
            archive.add(copy, f"{database.name}{ROWS}")
            yield f"{database.name}{ROWS}", (_hash(copy), copy.stat().st_size)


def _parts(state: Path) -> Iterator[Path]:
    for found in state.rglob("*"):
        is_made_anew = found.relative_to(state).parts[0] in MADE_ANEW
        if found.is_file() and not is_made_anew and not found.name.endswith(BESIDE_SQLITE):
            yield found


def _steady(part: Path, copy: Path) -> Path:
    """Return a file that nobody writes any more: a database as of now, another file as it is."""
    with part.open("rb") as opened:
        if opened.read(len(SQLITE_MAGIC)) != SQLITE_MAGIC:
            opened.seek(0)
            copy.write_bytes(opened.read())
            copy.chmod(part.stat().st_mode)
            return copy
    with closing(sqlite3.connect(part, timeout=30)) as database:
        database.execute("VACUUM INTO ?", (str(copy),))
    copy.chmod(part.stat().st_mode)
    return copy


def _hash(file: Path) -> str:
    total = hashlib.sha256()
    with file.open("rb") as opened:
        while piece := opened.read(PIECE):
            total.update(piece)
    return total.hexdigest()


def restore(chosen: Settings, file: Path) -> Contents:
    """Make the state folder of a backup; nothing is there before all of it was looked at."""
    state = chosen.state
    if state.exists() and any(state.iterdir()):
        msg = f"{state} is not empty; move it away, or set SMARTCIS_STATE to a folder that is not there"
        raise SourceError(msg)
    beside = state if state.exists() else state.parent  # a folder that is there may be a disk of its own
    try:
        beside.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=beside, prefix=".smartcis-restore-") as room:
            with tarfile.open(file, "r:gz") as archive:
                _unpack(archive, Path(room).resolve(), file)
            manifest = _checked(Path(room), file)
            (Path(room) / MANIFEST).unlink()
            with _undone(state):
                _load_rows(chosen, Path(room))
                for part in Path(room).iterdir():
                    part.replace(state / part.name)
    except (OSError, tarfile.TarError, EOFError) as error:
        msg = f"{file} cannot be restored: {error}"
        raise SourceError(msg) from error
    return Contents(len(manifest["files"]), sum(size for _, size in manifest["files"].values()))


def _unpack(archive: tarfile.TarFile, room: Path, file: Path) -> None:
    """Write plain files below a folder, nothing else; tarfile's own filter came only with Python 3.11.4."""
    for member in archive:
        target = (room / member.name).resolve()
        source = archive.extractfile(member) if member.isreg() else None
        if not target.is_relative_to(room) or (source is None and not member.isdir()):
            msg = f"{file} is no backup: {member.name!r} is no file of a state folder; nothing is restored"
            raise SourceError(msg)
        if source is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            with source, target.open("wb") as out:
                shutil.copyfileobj(source, out, PIECE)
            target.chmod(member.mode & 0o755)


def _checked(room: Path, file: Path) -> dict[str, Any]:
    """Return the manifest of what was unpacked, or raise what does not agree with it."""
    try:
        manifest: dict[str, Any] = json.loads((room / MANIFEST).read_text("utf-8"))
        is_ours = manifest["backup"] == VERSION
        wanted = {str(name): str(total) for name, (total, _) in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        is_ours = False
    if not is_ours:
        msg = f"{file} is no whole backup: its {MANIFEST} is not there; smartcis backup writes one"
        raise SourceError(msg)
    for name, total in wanted.items():
        if not (room / name).is_file() or _hash(room / name) != total:
            msg = f"{file} is damaged: {name} is not what was backed up"
            raise SourceError(msg)
    return manifest


@contextmanager
def _undone(state: Path) -> Iterator[None]:
    """Have a folder that is not there, or is empty, be so again if what follows fails."""
    was_there = state.exists()
    state.mkdir(exist_ok=True)
    try:
        yield
    except BaseException:
        for part in state.iterdir() if was_there else (state,):
            shutil.rmtree(part) if part.is_dir() else part.unlink()
        raise


def _load_rows(chosen: Settings, room: Path) -> None:
    """Bring back what was rows where its setting says; what was a file comes back as one."""
    for database in _databases(chosen):
        rows = room / f"{database.name}{ROWS}"
        if rows.exists():
            load(database.url, database.tables, rows)
            rows.unlink()
        elif (room / f"{database.name}.db").exists() and not database.is_in(chosen.state):
            setting = f"SMARTCIS_{database.name.upper()}_URL"
            msg = f"the backup has the {database.name} as a file; unset {setting}, and start from there"
            raise SourceError(msg)
