"""The commands `smartcis backup FILE` and `smartcis restore FILE`.

Exit codes: 0 done, 1 not done, and nothing is half there.
"""

from pathlib import Path

import click
from sqlalchemy.exc import SQLAlchemyError

from app.asking import settings
from app.cells import say
from app.running import running
from engine.model.clock import SystemClock
from engine.model.errors import SmartCISError

FILE = click.Path(path_type=Path, dir_okay=False)
MEGABYTE = 1_000_000


@click.command()
@click.argument("file", type=FILE)
def backup(file: Path) -> None:
    """Write everything SmartCIS remembers into FILE (.tar.gz), while it runs or not; the file has secrets."""
    from app.keeping.archive import back_up  # other commands need none of it

    chosen = settings()
    if not chosen.state.is_dir():
        message = f"there is nothing at {chosen.state}; set SMARTCIS_STATE to the folder that is to be kept"
        raise click.ClickException(message)
    with _told():
        found = back_up(chosen, file, SystemClock().now())
    size = file.stat().st_size / MEGABYTE
    say(f"{found.files} files, {found.size / MEGABYTE:,.1f} MB, are in {file} ({size:,.1f} MB)")


@click.command()
@click.argument("file", type=FILE)
def restore(file: Path) -> None:
    """Make the state folder what it was when FILE was written; it must be empty or not there."""
    from app.keeping.archive import restore as bring_back

    chosen = settings()
    if running(chosen) is not None:
        message = f"SmartCIS runs on {chosen.state}; stop it first"
        raise click.ClickException(message)
    with _told():
        found = bring_back(chosen, file)
    say(f"{found.files} files, {found.size / MEGABYTE:,.1f} MB, are back in {chosen.state}")


class _told:
    """One line for whatever goes wrong."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, SmartCISError):
            raise click.ClickException(error.message) from None
        if isinstance(error, SQLAlchemyError):
            message = f"the log's database: {' '.join(str(error).split())[:300]}"
            raise click.ClickException(message) from None
