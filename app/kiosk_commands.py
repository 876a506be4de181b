"""``smartcis kiosk NAME --point P`` makes the link of a kiosk, ``--revoke`` takes it back."""

import click

from app.asking import asking
from app.cells import say


@click.command()
@click.argument("name")
@click.option("--point", help="The routing point where it stands; the building's own kiosk if not said.")
@click.option("--revoke", is_flag=True, help="Take the kiosk's link back: it shows nothing from then on.")
def kiosk(name: str, point: str | None, revoke: bool) -> None:
    """Make the link of a kiosk, good until it is taken back; another one ends the one before."""
    with asking() as client:
        if revoke:
            client.post("/api/kiosks", {"name": name, "removed": True})
            say(f"the link of {name} was taken back")
            return
        made = client.post("/api/kiosks", {"name": name, **({"point": point} if point else {})})
        say(f"{name} stands at {made['point']}; open this on its browser:")
        say(client.url + made["link"])


@click.command()
def kiosks() -> None:
    """List the kiosks that have a link, and where each stands."""
    with asking() as client:
        for each in client.get("/api/kiosks")["kiosks"]:
            say(f"{each['name']}  {each['point']}")
