"""The commands `smartcis log verify`, `export` and `compact`: they read the log itself and need no server.

Exit codes: 0 done, 1 the log is not what it should be, or it or a file cannot be read or written.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from sqlalchemy.exc import SQLAlchemyError

from app.asking import settings
from app.cells import say
from app.running import running
from engine.model.clock import SystemClock
from engine.model.errors import SmartCISError
from ingest.history import offset_at
from ingest.log import CLOCK_SOURCE, Log, Record
from ingest.log.check import verify
from ingest.log.compact import HOUR, compact
from ingest.recordings.file import write_recording

MEGABYTE = 1_000_000


class reading:
    """One line for whatever the log or a file answers instead."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        file = Path(self._url.removeprefix("sqlite:///"))
        if self._url.startswith("sqlite:///") and not file.exists():
            message = f"there is no log at {file}; set SMARTCIS_STATE or SMARTCIS_LOG_URL to where one is"
            raise click.ClickException(message)

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, SmartCISError):
            raise click.ClickException(error.message) from None
        if isinstance(error, SQLAlchemyError):
            reason = " ".join(str(error).split())[:300]
            message = f"the log cannot be read: {reason}"
            raise click.ClickException(message) from None


@click.group()
def log() -> None:
    """Verify, export or compact the acquisition log."""


@log.command("verify")
def verify_log() -> None:
    """Look at every entry: is each in its place, and is the database sound?"""
    chosen = settings()
    with reading(chosen.log_url):
        found = verify(chosen.log_url)
    for problem in found.problems:
        say(problem, err=True)
    if found.wrong:
        more = f", {found.wrong - len(found.problems):,} of them not shown" * (
            found.wrong > len(found.problems)
        )
        say(f"{found.wrong:,} problems in {found.entries:,} entries{more}", err=True)
        sys.exit(1)
    if not found.entries:
        say("the log is empty")
        return
    say(f"{found.entries:,} entries, {found.first} to {found.last}: every one is there, in order")


@log.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--hours", type=float, help="Only what was received in the last so many hours.")
@click.option("--source", "sources", multiple=True, help="Only of this source: mqtt, db:facts …; repeatable.")
def export_log(file: Path, hours: float | None, sources: tuple[str, ...]) -> None:
    """Write entries as they were received into FILE, a line of JSON each; a name in .gz is compressed."""
    chosen = settings()
    with reading(chosen.log_url), Log(chosen.log_url) as kept:
        entries = write_recording(file, _entries(kept, hours, sources))
    say(f"{entries:,} entries in {file}")


def _entries(kept: Log, hours: float | None, sources: tuple[str, ...]) -> Iterator[Record]:
    end = kept.last()
    at = 0 if hours is None else offset_at(kept, end.received - int(hours * HOUR), end.offset)
    while at < end.offset and (found := kept.read(at)):
        at = found[-1].offset
        wanted = (each for each in found if each.offset <= end.offset and each.source != CLOCK_SOURCE)
        yield from (each for each in wanted if not sources or each.source in sources)


@log.command("compact")
def compact_log() -> None:
    """Remove what is older than SMARTCIS_LOG_HOURS and needed by no snapshot, and give the space back."""
    chosen = settings()
    is_quiet = running(chosen) is None
    with reading(chosen.log_url):
        found = compact(chosen.log_url, chosen.log_hours, SystemClock(), is_quiet=is_quiet)
    size = f"{found.before / MEGABYTE:,.1f} MB before, {found.after / MEGABYTE:,.1f} MB after"
    say(f"{found.removed:,} entries removed; {size}")
    if not is_quiet:
        say("SmartCIS runs on this log: what became free is used again; stop it to give it back to the disk")
