"""A start of everything, on a state folder that nobody else runs on."""

from typing import Any

import click

from app.running import Running, claim
from app.settings import Settings
from engine.model.errors import SmartCISError


def start(chosen: Settings) -> None:
    """Run until Ctrl-C; the start ends with the address of the map."""
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
    fed = f"the recording {chosen.recording}" if chosen.recording else "the building"
    click.echo(f"Starting the broker, {fed}, the log and Spark …")
    try:
        with held:
            serve(lambda: _build(chosen), chosen.host, chosen.port, certificate=chosen.certificate)
    except SmartCISError as error:
        raise click.ClickException(error.message) from None


def _build(chosen: Settings) -> Any:
    from app.runtime import build

    return build(chosen)
