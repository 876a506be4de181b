"""smartcis history VIEW: the view as it was at a time, or how its values went."""

from typing import Any
from urllib.parse import quote, urlencode

import click

from app.asking import asking
from app.cells import cell_of, put_out, say
from app.told import moment, table

TIME = "A moment (2026-01-31T09:30Z) or how long ago (24 hours)."


@click.command()
@click.argument("view")
@click.option("--at", "at", metavar="TIME", help=f"Print the rows as of then. {TIME}")
@click.option("--from", "start", metavar="TIME", help="Where the stretch begins; a day before its end.")
@click.option("--to", "end", metavar="TIME", help="Where it ends; now.")
@click.option("--points", default=24, show_default=True, help="In how many points at most.")
@click.option("--key", "keys", multiple=True, metavar="COLUMN=VALUE", help="Only the series of this key.")
@click.option("--column", "columns", multiple=True, help="Only this column; several may be named.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def history(view: str, at: str | None, as_csv: bool, **stretch: Any) -> None:
    """Print a view as it was at a time, or how its values went between two."""
    asked = [("t", at)] if at is not None else _stretch(**stretch)
    path = f"/api/views/{quote(view, safe='')}/{'at' if at is not None else 'history'}?"
    with asking() as client:
        if as_csv:
            put_out(client.text(path + urlencode([*asked, ("format", "csv")])).rstrip("\n"))
            return
        found = client.get(path + urlencode(asked))
    _print_state(found) if at is not None else _print_stretch(found)


def _stretch(
    start: str | None, end: str | None, points: int, keys: tuple[str, ...], columns: tuple[str, ...]
) -> list[tuple[str, Any]]:
    times = [(name, text) for name, text in (("from", start), ("to", end)) if text is not None]
    return [
        *times,
        ("points", points),
        *(("key", key) for key in keys),
        *(("column", name) for name in columns),
    ]


def _print_state(found: dict[str, Any]) -> None:
    for line in table(found["columns"], found["rows"]):
        say(line)
    gap = f"; nothing was recorded from {moment(found['gap'][0])} on" if found["gap"] else ""
    say(f"({len(found['rows'])} rows at {moment(found['at'])}{gap})")


def _print_stretch(found: dict[str, Any]) -> None:
    for series in found["series"]:
        for column, figures in zip(found["columns"], series["columns"], strict=True):
            say(f"{', '.join(map(cell_of, series['key']))}: {cell_of(column['name'])}")
            shown = [name for name in ("count", "min", "mean_over_time", "max", "last") if name in figures]
            heads = [{"name": "from", "type": "text"}, *({"name": name, "type": "double"} for name in shown)]
            rows = zip(
                map(moment, found["at"]), *(map(_rounded, figures[name]) for name in shown), strict=True
            )
            for line in table(heads, [list(row) for row in rows]):
                say(f"  {line}")
    for start, end in found["gaps"]:
        say(f"nothing was recorded from {moment(start)} to {moment(min(end, found['to']))}")
    say(f"({len(found['series'])} series in {len(found['at'])} points, from {found['level']})")


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
