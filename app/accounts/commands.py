"""``smartcis account NAME`` invites somebody, or changes an account; ``accounts`` and ``audit`` list."""

from typing import Any
from urllib.parse import quote, urlencode

import click

from app.accounts.accounts import GIVEN_ROLES
from app.asking import asking
from app.cells import say
from app.told import moment

ROLES = click.Choice([role.label for role in GIVEN_ROLES])


@click.command()
@click.argument("name")
@click.option("--role", type=ROLES, help="What the account may do; of one that is there, from now on.")
@click.option("--invite", is_flag=True, help="Make another invitation, with which a new password is chosen.")
@click.option(
    "--disable/--enable", default=None, help="Keep somebody out and end their sessions, or let them in."
)
@click.option("--remove", is_flag=True, help="Remove the account.")
def account(name: str, role: str | None, invite: bool, disable: bool | None, remove: bool) -> None:
    """Make an account and print its invitation; or change the account that has the name."""
    path = f"/api/accounts/{quote(name, safe='')}"
    with asking() as client:
        known = {each["name"].casefold() for each in client.get("/api/accounts")["accounts"]}
        if remove:
            client.send("DELETE", path)
            say(f"the account {name} was removed")
            return
        if name.casefold() not in known:
            if disable is not None:
                message = f"there is no account {name} to keep out or let in; `smartcis accounts` lists them"
                raise click.UsageError(message)
            made = client.post("/api/accounts", {"name": name, "role": role or "viewer"})
            invited(client.url + made["link"], name)
            return
        change: dict[str, Any] = {"role": role} if role else {}
        if disable is not None:
            change |= {"disabled": disable}
        if change:
            now = client.send("PATCH", path, change)
            say(f"{now['name']} is {now['role']}, {now['state']}")
        if invite:
            invited(client.url + client.post(f"{path}/invitation", {})["link"], name)
        if not change and not invite:
            message = f"there is an account {name}; say --role, --invite, --disable, --enable or --remove"
            raise click.UsageError(message)


def invited(link: str, name: str) -> None:
    """Print an invitation."""
    say(f"send this to {name}; it is good for three days, and once:")
    say(link)


@click.command()
def accounts() -> None:
    """List who may sign in, with which role, and since when they were last here."""
    with asking() as client:
        for each in client.get("/api/accounts")["accounts"]:
            seen = f"signed in {moment(each['seen'])}" if each["seen"] else "never signed in"
            say(f"{each['name']}  {each['role']}  {each['state']}  {seen}")


@click.command()
@click.option("--words", default="", help="Only rows that have these words.")
@click.option("--most", default=50, show_default=True, help="How many rows at most.")
def audit(words: str, most: int) -> None:
    """List what was done by whom, the last first."""
    with asking() as client:
        asked = urlencode({"words": words, "most": most})
        for row in client.get(f"/api/audit?{asked}")["rows"]:
            told = (row["who"], row["what"], row["object"], row["outcome"], row["address"])
            say(f"{moment(row['at'])}  {'  '.join(filter(None, told))}")
