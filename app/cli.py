"""The command line.

    smartcis run | status | link | views | query SQL | explain SQL | why VIEW COLUMN=VALUE… | alarms
           | door ID STATE

``run`` starts everything; the others ask the server that runs on the same state folder. Exit codes:
0 done, 1 no server or it failed, 2 the query is wrong.
"""

import json
import os
import sys
from typing import Any
from urllib.parse import quote

import click

from app.client import Client, Refused, Unreachable
from app.running import Running, claim
from app.settings import Settings, read_settings
from app.told import explained, moment, text_of
from engine.model.errors import SmartCISError


def settings() -> Settings:
    try:
        return read_settings(os.environ)
    except SmartCISError as error:
        raise click.ClickException(error.message) from None


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """SmartCIS: a building that can be looked at, asked, and trusted."""


@main.command()
def run() -> None:
    """Run the building until Ctrl-C; ends its start with the address of the map."""
    chosen = settings()
    try:
        held = claim(chosen)
    except OSError as error:
        message = f"{chosen.state} cannot be written: {error.strerror}; set SMARTCIS_STATE to another folder"
        raise click.ClickException(message) from None
    if isinstance(held, Running):
        click.echo(
            f"SmartCIS runs here already: {held.url} (pid {held.pid}); `smartcis link` makes a sign-in link"
        )
        return
    from app.server import (
        serve,
    )  # the server and Spark take a second to import; the other commands need neither

    click.echo(f"State is kept in {chosen.state}; `make reset` removes it.")
    click.echo("Starting the broker, the building, the log and Spark …")
    try:
        with held:
            serve(lambda: _build(chosen), chosen.host, chosen.port)
    except SmartCISError as error:
        raise click.ClickException(error.message) from None


def _build(chosen: Settings) -> Any:
    from app.runtime import build

    return build(chosen)


@main.command()
@click.argument("sql")
def query(sql: str) -> None:
    """Print a query's rows, then its changes as + and -, until Ctrl-C."""
    with asking() as client:
        try:
            for line in client.stream("/api/query", {"sql": sql}):
                show(line)
        except KeyboardInterrupt:
            return


@main.command()
@click.argument("sql")
def explain(sql: str) -> None:
    """Print how a query is run: each node with its site, rows and cost; of a view's name, what it keeps."""
    with asking() as client:
        click.echo(client.post("/api/explain", {"sql": sql})["plan"])


@main.command()
@click.argument("view")
@click.argument("conditions", nargs=-1, metavar="[COLUMN=VALUE]...")
def why(view: str, conditions: tuple[str, ...]) -> None:
    """Say why a row of a view is there: what it stands on, and what would remove it."""
    pairs = [condition.partition("=") for condition in conditions]
    wrong = next((name for name, sign, _ in pairs if not sign), None)
    if wrong is not None:
        message = f"expected column=value, found {wrong}"
        raise click.UsageError(message)
    names = [name for name, _, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"{twice} is said more than once"
        raise click.UsageError(message)
    with asking() as client:
        found = client.post("/api/why", {"view": view, "where": {name: value for name, _, value in pairs}})
    for line in explained(found):
        click.echo(line)


@main.command()
@click.argument("sql", required=False)
def views(sql: str | None) -> None:
    """List the views; given CREATE VIEW name AS SELECT … or DROP VIEW name, do it."""
    with asking() as client:
        if sql is not None:
            done = client.post("/api/views", {"sql": sql})
            click.echo(f"{done['view']} is there" if "view" in done else f"{done['dropped']} is gone")
            return
        for view in client.get("/api/views"):
            columns = ", ".join(f"{column['name']} {column['type']}" for column in view["columns"])
            state = f"  suspended: {view['suspended']}" if view.get("suspended") else ""
            click.echo(f"{view['name']}({columns})  {view['rows']} rows{state}")


@main.command()
@click.argument("door")
@click.argument("state", type=click.Choice(["open", "closed"]))
def door(door: str, state: str) -> None:
    """Tell a door to open or close; ends when the door says that it has."""
    with asking() as client:
        client.post(f"/api/doors/{quote(door, safe='')}", {"state": state})
        click.echo(f"{door} is {state}")


@main.command()
@click.option("--ended", default=0, show_default=True, help="How many that ended are listed too.")
def alarms(ended: int) -> None:
    """List the alarms that stand: since when, its name or view, its row."""
    with asking() as client:
        for alarm in client.get(f"/api/alarms?ended={ended}")["alarms"]:
            until = "" if alarm["until"] is None else f" to {moment(alarm['until'])}"
            row = " ".join(f"{name}={text_of([value])}" for name, value in alarm["row"].items())
            click.echo(f"{moment(alarm['since'])}{until}  {alarm['name'] or alarm['view']}  {row}")


@main.command()
@click.option("--role", default="admin", show_default=True, help="What the link's reader may do.")
def link(role: str) -> None:
    """Print a one-time link that signs its reader in."""
    with asking() as client:
        click.echo(client.url + client.post("/api/links", {"role": role})["link"])


@main.command()
def status() -> None:
    """Tell whether ticks flow, and how each source does."""
    with asking() as client:
        found = client.get("/healthz")
        reason = found.get("reason", "")
        click.echo(f"{found['status']}: tick {found['tick']}, {found['lag']} s ago {reason}".rstrip())
        for name, state in client.get("/api/sources").items():
            click.echo(f"  {name}: {state}")
        for each in client.get("/api/windows"):
            click.echo(f"  {each['window']}: {each['late']} late, {each['waiting']} waiting")
        if found["status"] != "ok":
            sys.exit(1)


class asking:
    """A client, with the exit codes of what may go wrong."""

    def __enter__(self) -> Client:
        self._settings = settings()
        return Client(self._settings)

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Refused):
            click.echo(str(error), err=True)
            sys.exit(2 if error.is_the_askers else 1)
        if isinstance(error, Unreachable):
            click.echo(str(error), err=True)
            sys.exit(1)


def show(line: str) -> None:
    """Print one line of an answer."""
    found = json.loads(line)
    if "columns" in found:
        click.echo("\t".join(column["name"] for column in found["columns"]))
        for row in found["rows"]:
            click.echo(text_of(row))
        click.echo(
            f"-- {len(found['rows'])} rows at tick {found['tick']}; changes follow, Ctrl-C ends", err=True
        )
    for count, row in found.get("changes", ()):
        sign = "+" if count > 0 else "-"
        for _ in range(abs(count)):
            click.echo(f"{sign}\t{text_of(row)}")
    if "error" in found:
        raise Refused(found["error"], is_the_askers=False)


if __name__ == "__main__":
    main()
