"""The commands `smartcis record` and `smartcis replay`.

record   what the log gets, from now on or from before, into a file; it reads the log and needs no server
replay   a file in place of the building: everything starts, on a state folder of its own, and is shown as it
         was; or its messages to a broker, as if the devices spoke

Exit codes: 0 done, 1 the log, a file or the broker cannot be read or written.
"""

import os
import tempfile
import threading
import time
from pathlib import Path

import click

from app.cells import say
from app.keeping.log_command import reading
from app.keeping.replay_to_broker import to_broker
from app.settings import read_settings
from app.starting import start
from engine.model.clock import SECOND
from engine.model.errors import SmartCISError
from ingest.ending import when_told_to_end
from ingest.log import Log
from ingest.recordings.file import read_recording, write_recording
from ingest.recordings.recorder import record as recorded
from ingest.sources.recordings import MAX, speed_of

FASTEST = "1000000000"  # as a setting, which is a number
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=FILE)
@click.option("--for", "seconds", type=click.FloatRange(0), help="End after so many seconds; else at Ctrl-C.")
@click.option("--past", default=0.0, type=click.FloatRange(0), help="Begin so many seconds before now.")
@click.option("--source", "sources", multiple=True, help="Only of this source: mqtt, db:facts …; repeatable.")
def record(file: Path, seconds: float | None, past: float, sources: tuple[str, ...]) -> None:
    """Write what the log gets into FILE, as it comes, a line of JSON each; a name in .gz is compressed."""
    chosen, ending = read_settings(os.environ), threading.Event()
    when_told_to_end(ending.set)
    until = None if seconds is None else time.monotonic() + seconds

    def goes_on(wait: float) -> bool:
        left = wait if until is None else min(wait, until - time.monotonic())
        return left >= 0 and not ending.wait(left)

    with reading(chosen.log_url), Log(chosen.log_url) as log:
        entries = write_recording(file, recorded(log, int(past * SECOND), set(sources), goes_on))
    say(f"{entries:,} entries in {file}")


@click.command()
@click.argument("file", type=FILE)
@click.option("--speed", default="1", show_default=True, help=f"Recorded seconds in a second, or {MAX}.")
@click.option(
    "--mqtt", "broker", help="Send its messages to this broker, mqtt://HOST:PORT, and nothing else."
)
def replay(file: Path, speed: str, broker: str | None) -> None:
    """Show FILE, which `smartcis record` wrote, as if it happened now; on a fresh state folder."""
    try:
        times = speed_of(speed)
        if broker is not None:
            say(f"{to_broker(broker, file, times):,} messages sent")
            return
        next(read_recording(file), None)
        with tempfile.TemporaryDirectory(prefix="smartcis-replay-") as fresh:
            given = {"SMARTCIS_STATE": fresh, **os.environ, "SMARTCIS_RECORDING": str(file.resolve())}
            given["SMARTCIS_SPEED"] = FASTEST if speed == MAX else str(times)
            chosen = read_settings(given)
            _refuse_another(chosen.log_url, file)
            start(chosen)
    except SmartCISError as error:
        raise click.ClickException(error.message) from None


def _refuse_another(log_url: str, file: Path) -> None:
    """A log holds one recording, which a start goes on with, and nothing else."""
    kept = Path(log_url.removeprefix("sqlite:///"))
    if log_url.startswith("sqlite:///") and not kept.exists():
        return
    with Log(log_url) as log:
        found = log.state("recording").get("file")
        if log.last().offset and found != file.name:
            holds = f"the recording {found}" if found else "what was received"
            message = f"the log at {log_url} holds {holds}; name an empty folder by SMARTCIS_STATE"
            raise click.ClickException(message)
