"""What every verb shares that asks the server: the settings, the client, the exit codes."""

import os
import sys

import click

from app.cells import say
from app.client import Client, Refused, Unreachable
from app.settings import Settings, read_settings
from app.underline import underlined
from engine.model.errors import SmartCISError


def settings() -> Settings:
    try:
        return read_settings(os.environ)
    except SmartCISError as error:
        raise click.ClickException(error.message) from None


class asking:
    """A client, with the exit codes of what may go wrong; ``text`` is what an error's place is in."""

    def __init__(self, text: str = "") -> None:
        self._text = text

    def __enter__(self) -> Client:
        return Client(settings())

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Refused):
            for line in underlined(self._text, error.body.get("span")):
                say(line, err=True)
            say(str(error), err=True)
            sys.exit(2 if error.is_the_askers else 1)
        if isinstance(error, Unreachable):
            say(str(error), err=True)
            sys.exit(1)
