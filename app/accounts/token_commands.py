"""``smartcis token NAME`` makes an API token or takes it back; ``tokens`` lists."""

from typing import Any

import click

from app.accounts.accounts import ADMIN
from app.accounts.commands import ROLES
from app.accounts.token_routes import DEFAULT_DAYS
from app.asking import asking
from app.cells import say
from app.client import Client
from app.told import moment


@click.command()
@click.argument("name")
@click.option("--of", default=ADMIN, show_default=True, help="The account that the token acts as.")
@click.option("--role", type=ROLES, default="viewer", show_default=True, help="What it may do at most.")
@click.option("--reads-only", is_flag=True, help="Have it change nothing, whatever its role.")
@click.option("--days", default=DEFAULT_DAYS, show_default=True, help="For how long it is good; at most 365.")
@click.option("--revoke", is_flag=True, help="Take it back: it is nobody's from then on.")
def token(name: str, of: str, role: str, reads_only: bool, days: int, revoke: bool) -> None:
    """Make a token with which a program acts as an account, and print it; it is told this once."""
    with asking() as client:
        if revoke:
            client.send("DELETE", f"/api/tokens/{_identity(client, name, of)}")
            say(f"the token {name} of {of} was taken back")
            return
        asked = {"name": name, "of": of, "role": role, "reads_only": reads_only, "days": days}
        made = client.post("/api/tokens", asked)
        say(f"{what_of(made)}; send it as Authorization: Bearer …, it is told this once:")
        say(made["token"])


@click.command()
def tokens() -> None:
    """List the API tokens of all accounts, until when each is good, and when it was used last."""
    with asking() as client:
        for each in client.get("/api/tokens")["tokens"]:
            seen = f"used {moment(each['seen'])}" if each["seen"] else "never used"
            say(f"{what_of(each)}  {seen}")


def what_of(each: dict[str, Any]) -> str:
    reads = ", reads only" if each["reads_only"] else ""
    return f"{each['name']} of {each['of']}  {each['role']}{reads}  until {moment(each['until'])}"


def _identity(client: Client, name: str, of: str) -> str:
    known = client.get("/api/tokens")["tokens"]
    found = (each["id"] for each in known if (each["name"], each["of"].casefold()) == (name, of.casefold()))
    identity = next(found, None)
    if identity is None:
        message = f"{of} has no token {name}; `smartcis tokens` lists them all"
        raise click.UsageError(message)
    return str(identity)
