"""The verbs of the command line, each imported when it is asked for.

So ``smartcis agent``, on a small machine, waits for nothing that the verbs beside it need.
"""

from collections.abc import Mapping
from importlib import import_module

import click

PLACES: Mapping[str, str] = {
    "account": "app.accounts.commands",
    "accounts": "app.accounts.commands",
    "agent": "app.agent",
    "alarm": "app.alarming.commands",
    "alarms": "app.alarming.commands",
    "audit": "app.accounts.commands",
    "backup": "app.keeping.backup",
    "building": "app.importing.command",
    "datalog": "app.datalog.command",
    "history": "app.history.command",
    "kiosk": "app.kiosk_commands",
    "kiosks": "app.kiosk_commands",
    "log": "app.keeping.log_command",
    "record": "app.keeping.record_command",
    "replay": "app.keeping.record_command",
    "restore": "app.keeping.backup",
    "sources": "app.trying.command",
    "token": "app.accounts.token_commands",
    "tokens": "app.accounts.token_commands",
}


class Verbs(click.Group):
    """Commands of its own, and those that stand in ``PLACES``, by their names."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *PLACES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = PLACES.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        found = getattr(import_module(place), cmd_name)
        assert isinstance(found, click.Command)
        return found
