"""The verbs that take a text: sql, query, explain, why, views."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

import click

from app.asking import asking
from app.cells import row_of, say, say_lines
from app.client import Client, Refused
from app.told import explained, table

given: Callable[[Any], Any] = click.option(
    "--param", "values", multiple=True, metavar="NAME=VALUE", help="The value of :NAME in the text."
)


@click.command()
@click.argument("text", required=False)
@click.option("-f", "--file", type=click.File("r", "utf-8"), help="Take the text from a file.")
@given
def sql(text: str | None, file: TextIO | None, values: tuple[str, ...]) -> None:
    """Carry out statements, separated by semicolons; - or nothing reads them from the standard input."""
    if file is not None and text is not None:
        message = "a text or -f FILE, not both"
        raise click.UsageError(message)
    reads_on = file is None and text in (None, "-")
    source = sys.stdin if reads_on else file
    read = str(text) if source is None else source.read()
    whole = said(read, "statements, such as 'SHOW VIEWS'")
    with asking(whole) as client:
        try:
            done = client.post("/api/statements", {"sql": whole, "parameters": pairs(values)})
        except Refused as error:
            print_outcomes(error.body.get("outcomes", []))
            raise
        print_outcomes(done["outcomes"])


@click.command()
@click.argument("text", metavar="SQL")
@given
def query(text: str, values: tuple[str, ...]) -> None:
    """Print a query's rows, then its changes as + and -, until Ctrl-C."""
    said(text, "a query, such as 'SELECT * FROM free_desks'")
    with asking(text) as client:
        follow(client, {"sql": text, "parameters": pairs(values)})


def follow(client: Client, body: dict[str, Any]) -> None:
    try:
        for line in client.stream("/api/query", body):
            show(line)
    except KeyboardInterrupt:
        return


@click.command()
@click.argument("text", metavar="SQL")
@click.option("--json", "as_json", is_flag=True, help="Print nodes and edges as JSON.")
@given
def explain(text: str, as_json: bool, values: tuple[str, ...]) -> None:
    """Print how a query is run: each node with its site, rows and cost; of a view's name, what it keeps."""
    said(text, "a query or the name of a view")
    form = "json" if as_json else "text"
    with asking(text) as client:
        asked = {"sql": text, "format": form, "parameters": pairs(values)}
        say_lines(plan_text(client.post("/api/explain", asked)["plan"]))


@click.command()
@click.argument("view")
@click.argument("conditions", nargs=-1, metavar="[COLUMN=VALUE]...")
def why(view: str, conditions: tuple[str, ...]) -> None:
    """Say why a row of a view is there: what it stands on, and what would remove it."""
    where = pairs(conditions)
    with asking() as client:
        found = client.post("/api/why", {"view": view, "where": where})
    for line in explained(found):
        say(line)


@click.command()
@click.argument("text", metavar="SQL", required=False)
def views(text: str | None) -> None:
    """List the views; given CREATE VIEW name AS SELECT … or DROP VIEW name, do it."""
    with asking(text or "") as client:
        if text is not None:
            done = client.post("/api/views", {"sql": text})
            say(f"{done['view']} is there" if "view" in done else f"{done['dropped']} is gone")
            return
        for view in client.get("/api/views"):
            columns = ", ".join(f"{column['name']} {column['type']}" for column in view["columns"])
            state = f"  suspended: {view['suspended']}" if view.get("suspended") else ""
            say(f"{view['name']}({columns})  {view['rows']} rows{state}{without(view.get('missing', ()))}")


def said(text: str, expected: str) -> str:
    """Return a text that says something."""
    if not text.strip():
        message = f"expected {expected}, found nothing"
        raise click.UsageError(message)
    return text


def pairs(texts: tuple[str, ...]) -> dict[str, str]:
    """Return NAME=VALUE as values by name."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            message = f"expected name=value, found {text}"
            raise click.UsageError(message)
        if name in found:
            message = f"{name} is said more than once"
            raise click.UsageError(message)
        found[name] = value
    return found


def print_outcomes(outcomes: list[dict[str, Any]]) -> None:
    for outcome in outcomes:
        for line in outcome_lines(outcome):
            say(line)


def outcome_lines(outcome: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that say what a statement led to."""
    if "done" in outcome:
        if "rows" in outcome:
            yield f"{outcome['rows']} rows {outcome['done']}"
        else:
            yield f"{outcome['kind']} {', '.join(outcome['names']) or '(none)'} {outcome['done']}"
    elif "plan" in outcome:
        yield from plan_text(outcome["plan"]).split("\n")
    elif "why" in outcome:
        yield from explained(outcome["why"])
    else:
        yield from table(outcome["columns"], outcome["rows"])
        count = len(outcome["rows"])
        more = f", and {outcome['more']} more that are not shown" if outcome["more"] else ""
        sites = outcome.get("missing", ())
        why = ": not up, or still to answer" if sites else ""
        yield f"({count} row{'' if count == 1 else 's'}{more}){without(sites)}{why}"


def without(sites: Sequence[str]) -> str:
    """Say which sites rows are without: they are not up, or have not answered."""
    return f"  without {', '.join(sites)}" if sites else ""


def plan_text(plan: Any) -> str:
    """Return a plan as it was asked for."""
    return plan if isinstance(plan, str) else json.dumps(plan, indent=2, ensure_ascii=False)


def show(line: str) -> None:
    """Print one line of an answer."""
    found = json.loads(line)
    if "columns" in found:
        say(row_of(column["name"] for column in found["columns"]))
        for row in found["rows"]:
            say(row_of(row))
        stands = f"{len(found['rows'])} rows at tick {found['tick']}{without(found['missing'])}"
        say(f"-- {stands}; changes follow, Ctrl-C ends", err=True)
    elif "missing" in found:
        say(f"--{without(found['missing']) or '  whole again'}", err=True)
    for count, row in found.get("changes", ()):
        sign = "+" if count > 0 else "-"
        for _ in range(abs(count)):
            say(f"{sign}\t{row_of(row)}")
    if "error" in found:
        raise Refused(found["error"], is_the_askers=False)
