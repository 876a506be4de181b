"""The verbs about devices: which there are, and what people say of one."""

from typing import Any

import click

from app.asking import asking
from app.cells import cell_of, say


@click.command()
def devices() -> None:
    """List the known devices: id, name, state, where it stands, what it said last."""
    with asking() as client:
        for found in client.get("/api/devices")["devices"]:
            say(in_one_line(found))


@click.command()
@click.argument("device")
@click.option("--name", help="What people call it.")
@click.option("--room", help="The room it stands in; '' for none.")
@click.option("--desk", help="The desk it stands at, which says the room; '' for none.")
@click.option("--disable/--enable", "disabled", default=None, help="Leave out what it says, or no longer.")
@click.option("--forget", is_flag=True, help="Let it go, and what the broker keeps of it.")
def device(device: str, *, forget: bool, **said: Any) -> None:
    """Say something of a device, or, without options, tell all that is known of it."""
    words = {word: value for word, value in said.items() if value is not None}
    if forget:
        words = {"forgotten": True}
    with asking() as client:
        if words:
            client.post("/api/devices", {"device": device, **words})
            say(f"{device} is forgotten" if forget else f"{device} is changed")
            return
        found = [each for each in client.get("/api/devices")["devices"] if each["device"] == device]
        if not found:
            message = f"unknown device {device}; `smartcis devices` lists them all"
            raise click.ClickException(message)
        tell(found[0])


def tell(found: dict[str, Any]) -> None:
    """Print all that is known of one device."""
    for name, value in found.items():
        if name != "values" and value is not None:
            say(f"{name}: {cell_of(value)}")
    for each in found["values"]:
        at = f", at {each['at']}" if each["at"] else ""
        say(f"  {each['entity']}: {value_of(each)}{at}")


def in_one_line(found: dict[str, Any]) -> str:
    """Return a line about a device."""
    state = "disabled" if found["disabled"] else found["state"] or "unknown"
    place = found["desk"] or found["room"] or "no room"
    values = (f"{called(each)} {value_of(each)}" for each in found["values"])
    return f"{found['device']}  {found['name'] or ''}  {state}  {place}  {', '.join(values)}".rstrip()


def called(found: dict[str, Any]) -> str:
    """Return what people call an entity of a device."""
    return str(found["name"] or found["quantity"] or found["entity"])


def value_of(found: dict[str, Any]) -> str:
    """Return what an entity said last, with its unit where it is a number."""
    if found["text"] is not None:
        return str(cell_of(found["text"]))
    if found["value"] is None:
        return "-"
    value = found["value"]
    number = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f"{number} {found['unit'] or ''}".rstrip()
