"""The commands `smartcis sources check` and `smartcis sources try`: a file of sources before it is used.

    check FILE     is it right? else one line with the place
    try FILE       what would messages become, those that the broker keeps and those of some seconds;
                   and what has each page now?

FILE is a sources.yaml, or only streams of its section mqtt, or one stream; - is the standard input.
Exit codes: 0 right, and tried, all streams and pages had rows and nothing was rejected; 1 no messages can be
had; 2 the file is wrong; 3 something was rejected, or one had nothing.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import click
from sqlalchemy.exc import SQLAlchemyError

from app.asking import settings
from app.catalog import environment_of
from app.cells import say
from app.client import Client, Refused, Unreachable
from app.running import running
from app.settings import Settings
from app.trying.pages import lines_of_page, tried_page
from app.trying.said import lines_of
from app.trying.trial import tried
from engine.model.clock import SystemClock
from engine.model.errors import SmartCISError, SourceError
from engine.upkeep import is_kept, own_window
from ingest.checked_yaml import read_yaml
from ingest.declarations import in_force, read_declaration
from ingest.log import Log
from ingest.overhearing import Message, overhear
from ingest.sources import SECTIONS, MqttStream, Sources, load_sources, parse_sources
from ingest.sources.places import line_of

SECONDS = 3.0
FROM_LOG = 5_000
FILE = click.argument("file", type=click.Path(path_type=Path, allow_dash=True))


@click.group()
def sources() -> None:
    """Look at a file of sources before it is used: is it right, and what would messages become?"""


@sources.command("check")
@FILE
def check(file: Path) -> None:
    """Tell whether FILE is right; else what is wrong, and at which line."""
    found = _read(file)
    counts = [
        (len(found.streams), "streams"),
        (len(found.databases), "databases"),
        (len(found.calendars), "calendars"),
        (len(found.gateways), "gateways"),
        (len(found.pages), "pages"),
    ]
    there = ", ".join(f"{count} {what if count > 1 else what[:-1]}" for count, what in counts if count)
    say(f"{file}: right, {there or 'and empty'}")


@sources.command("try")
@FILE
@click.option("--mqtt", "url", help="The broker; else SMARTCIS_MQTT_URL, or the broker of what runs here.")
@click.option("--seconds", default=SECONDS, show_default=True, help="How long is listened.")
@click.option("--log", "from_log", is_flag=True, help="Take the newest messages of the log instead.")
def try_file(file: Path, url: str | None, seconds: float, from_log: bool) -> None:
    """Show what the last messages would become by FILE; nothing of it is kept."""
    found, chosen = _read(file), settings()
    pages_are_good = _try_pages(found)
    if found.pages and not found.streams:
        sys.exit(0 if pages_are_good else 3)
    try:
        messages = (
            _logged(chosen.log_url) if from_log else overhear(url or _broker(chosen), seconds, SystemClock())
        )
    except (SmartCISError, SQLAlchemyError) as error:
        raise click.ClickException(" ".join(str(error).split())[:300]) from None
    trial = tried(found.streams, messages, _mapped(chosen))
    if not trial.messages:
        say(f"no message came within {seconds:g} s")
    for line in lines_of(trial):
        say(line)
    sys.exit(0 if trial.is_good and pages_are_good else 3)


def _try_pages(found: Sources) -> bool:
    """Show what each page has now; tell whether all have rows and nothing was rejected."""
    now = SystemClock().now()
    trials = [tried_page(source, page, now) for source in found.pages for page in source.pages]
    for trial in trials:
        for line in lines_of_page(trial):
            say(line)
    return all(trial.is_good for trial in trials)


def _read(file: Path) -> Sources:
    """Return what a file declares, or end with the one line that says what is wrong with it, and where."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        say(f"{file} cannot be read: {reason}; expected a file of sources in YAML", err=True)
        sys.exit(2)
    whole = text
    try:
        whole = _whole(text, file)
        found = parse_sources(whole, _environment(), file.name)
        _check_windows(found)
    except SmartCISError as error:
        line = line_of(whole, error.message)
        place = "" if line is None else f", line {max(1, line - _added(text, whole))}"
        head = "" if error.message.startswith(file.name) else f"{file.name}{place}: "
        say(f"{head}{error.message}", err=True)
        sys.exit(2)
    return found


def _whole(text: str, file: Path) -> str:
    """Return a text as a whole file: one stream, or streams, are of the section mqtt."""
    root = read_yaml(text, file.name)
    if not isinstance(root, dict) or not root or root.keys() & SECTIONS:
        return text
    name = re.sub(r"\W", "", file.stem) or "stream"
    heads = ["mqtt:", f"  {name}:"] if {"topic", "columns"} & root.keys() else ["mqtt:"]
    return "\n".join([*heads, *("  " * len(heads) + line for line in text.splitlines())])


def _added(text: str, whole: str) -> int:
    return len(whole.splitlines()) - len(text.splitlines())


def _check_windows(found: Sources) -> None:
    relations = [stream.relation() for stream in found.streams]
    for relation in (*relations, *(page.relation() for page in found.pages)):
        try:
            if is_kept(relation):
                own_window(relation)
        except SmartCISError as error:
            kind = "page" if relation.source.startswith("page:") else "stream"
            msg = f"window of {kind} {relation.name}: {error.message}"
            raise SourceError(msg) from error


def _environment() -> dict[str, str]:
    return environment_of(settings())


def _broker(chosen: Settings) -> str:
    """Return the broker that is set, or that of what runs on the state folder."""
    if chosen.mqtt_url:
        return chosen.mqtt_url
    try:
        told = Client(chosen).get("/api/sources") if running(chosen) else {}
    except (Refused, Unreachable):
        told = {}
    found = re.search(r"mqtts?://[^\s;]+", str(told.get("mqtt", "")))
    if found is None:
        message = f"nothing runs on {chosen.state}; name a broker with --mqtt mqtt://host:port, or use --log"
        raise SourceError(message)
    return found[0]


def _mapped(chosen: Settings) -> tuple[MqttStream, ...]:
    """Return the streams that there are already, of the building and declared while it runs."""
    try:
        own = load_sources(chosen.building / "sources.yaml", environment_of(chosen)).streams
        if not running(chosen):
            return own
        with Log(chosen.log_url) as log:
            declared = in_force(read_declaration(*each) for each in log.declared())
    except (SmartCISError, SQLAlchemyError):
        return ()
    return (*own, *(each.stream for each in declared if each.stream is not None))


def _logged(url: str) -> Iterable[Message]:
    """Return the newest messages of the log, the oldest of them first."""
    with Log(url) as log:
        end = log.last().offset
        records = log.read(max(0, end - FROM_LOG), FROM_LOG)
    found = [Message(each.topic, each.payload, each.received) for each in records if each.source == "mqtt"]
    if not found:
        message = f"the newest {FROM_LOG} entries of the log have no message"
        raise SourceError(message)
    return found
