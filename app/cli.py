"""The command line.

    smartcis run | status | link | views | sql TEXT | query SQL | explain SQL | why VIEW COLUMN=VALUE…
           | alarms | alarm NUMBER | door ID STATE | datalog PROGRAM | agent
           | log verify|export|compact | backup FILE | restore FILE | record FILE
           | replay FILE | sources check|try FILE | history VIEW
           | kiosk NAME | kiosks | account NAME | accounts | audit
           | token NAME | tokens
           | building import FILE|check DIR|export DIR FILE

``run`` and ``replay`` start everything; ``datalog``, ``agent``, ``log``, ``record``, ``backup``, ``restore``,
``building`` and ``sources`` need no server; the others ask the one that runs on the same state folder.
Exit codes: 0 done, 1 no server or it failed, 2 the query is wrong.
"""

import sys
from urllib.parse import quote

import click

from app import queries
from app.asking import asking, settings
from app.cells import say
from app.device_commands import device, devices
from app.starting import start
from app.verbs import Verbs

LOST = {
    "shed": "left out under pressure",
    "gap": "missing by their numbers",
}


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """SmartCIS: a building that can be looked at, asked, and trusted."""


@main.command()
def run() -> None:
    """Run the building until Ctrl-C; ends its start with the address of the map."""
    start(settings())


for verb in (
    devices,
    device,
    queries.sql,
    queries.query,
    queries.explain,
    queries.why,
    queries.views,
):
    main.add_command(verb)


@main.command()
@click.argument("door")
@click.argument("state", type=click.Choice(["open", "closed"]))
def door(door: str, state: str) -> None:
    """Tell a door to open or close; ends when the door says that it has."""
    with asking() as client:
        client.post(f"/api/doors/{quote(door, safe='')}", {"state": state})
        say(f"{door} is {state}")


@main.command()
@click.option("--role", default="admin", show_default=True, help="What the link's reader may do.")
def link(role: str) -> None:
    """Print a one-time link that signs its reader in."""
    with asking() as client:
        say(client.url + client.post("/api/links", {"role": role})["link"])


@main.command()
def status() -> None:
    """Tell whether ticks flow, and how each source and each other site does."""
    with asking() as client:
        found = client.get("/healthz")
        reason = found.get("reason", "")
        say(f"{found['status']}: tick {found['tick']}, {found['lag']} s ago {reason}".rstrip())
        for name, state in client.get("/api/sources").items():
            say(f"  {name}: {state}")
        for each in client.get("/api/windows"):
            say(f"  {each['window']}: {each['late']} late, {each['waiting']} waiting")
        for loss in client.get("/api/losses"):
            how = LOST.get(loss["cause"], loss["cause"])
            say(f"  {loss['stream']}: {loss['messages']:,} messages {how} since the log began")
        for site in client.get("/api/sites"):
            problem = f": {site['problem']}" if site["problem"] else ""
            say(f"  {site['site']}: {site['state']}{problem}")
        if found["status"] != "ok":
            sys.exit(1)


if __name__ == "__main__":
    main()
