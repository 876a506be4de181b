"""What the command line prints of an answer: lines of text."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from app.cells import cell_of, escaped
from app.underline import width

SHOWN = 5


def explained(found: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that say why a row is there, or why it is not."""
    if "missing" in found:
        yield f"{found['view']} has no row {listed(found['row'])} as of tick {found['tick']}"
        yield from (f"  {told_gap(gap)}" for gap in found["missing"])
        return
    yield f"{found['view']}{listed(found['row'])} as of tick {found['tick']} stands on"
    yield from (f"  {named(row)}" for row in found["witness"])
    for missing in found["absent"]:
        wanted = f"with {listed(missing['key'])}" if missing["key"] else "as asked"
        yield f"  and on no row of {missing['relation']} {wanted}"
        yield from kept_away(missing)
    more = "at least " if found["truncated"] else ""
    if found["count"] > 1 or found["truncated"]:
        yield f"It has {more}{found['count']:,} derivations; the smallest are"
        for derivation in found["derivations"][:SHOWN]:
            yield "  " + "; ".join(named(row) for row in derivation)
    for cut in found["cuts"][:SHOWN]:
        yield "It would go if these went: " + " and ".join(named(row) for row in cut)
    if len(found["cuts"]) > SHOWN:
        yield f"and in {len(found['cuts']) - SHOWN} other ways at least; POST /api/why lists them"


def kept_away(missing: dict[str, Any]) -> Iterator[str]:
    """Yield what keeps a row away whose absence is stood on; that a base row is not there says no more."""
    gaps = [gap for gap in missing["missing"] if gap["reason"] != "no row"]
    yield from (f"    {told_gap(gap)}" for gap in gaps[:SHOWN])
    if len(gaps) > SHOWN or (gaps and missing["truncated"]):
        yield "    and more"


def told_gap(gap: dict[str, Any]) -> str:
    """Say what is missing."""
    wanted = ", ".join(f"{name}={cell_of(value)}" for name, value in gap["wanted"].items())
    text = f"{gap['reason']} of {gap['of']} with {wanted}" if wanted else f"{gap['reason']}: {gap['of']}"
    if gap["reason"] == "cut off":
        text = f"cut off with {wanted}"
    if gap["by"]:
        more = "; …" if len(gap["by"]) > SHOWN else ""
        text = f"{gap['reason']} by " + "; ".join(map(named, gap["by"][:SHOWN])) + more
    if gap["condition"]:
        text += f": {gap['condition']}"
    if gap["found"] and not gap["by"]:
        text += "; found " + "; ".join(listed(row) for row in gap["found"][:SHOWN])
    return text


def table(columns: Sequence[dict[str, str]], rows: Iterable[list[Any]]) -> Iterator[str]:
    """Yield rows under the names of their columns, each as wide as its widest cell; numbers to the right."""
    cells = [[cell_of(value) for value in row] for row in rows]
    names = [escaped(column["name"]) for column in columns]
    widths = [max(map(width, column)) for column in zip(names, *cells, strict=True)]
    to_the_right = [column["type"] in ("bigint", "double") for column in columns]
    for line in (names, ["-" * wide for wide in widths], *cells):
        padded = (
            " " * (wide - width(cell)) + cell if right else cell + " " * (wide - width(cell))
            for cell, wide, right in zip(line, widths, to_the_right, strict=True)
        )
        yield "  ".join(padded).rstrip()


def named(row: dict[str, Any]) -> str:
    """Name a row that something stands on; of another site's, as far as it is known here."""
    if "totals_of" in row:
        return f"the totals {labelled(row)} of {row['totals_of']}, whose rows are in the log"
    if "site" not in row:
        return f"{row['relation']}{listed(row['row'])}"
    if "of" not in row:
        return f"from {row['site']}: {row['relation']}{listed(row['row'])}"
    said = f"from {row['site']}: {listed(row['row'])}"
    if not row["parts"]:
        return f"{said} of {' and '.join(row['of'])}; by which rows, only {row['site']} can tell"
    return f"{said}, which is " + " with ".join(map(told_part, row["parts"]))


def labelled(row: dict[str, Any]) -> str:
    """Say the values of a row under their names."""
    names = [column["name"] for column in row["columns"]]
    said = [f"{name}={cell_of(value)}" for name, value in zip(names, row["row"], strict=True)]
    return f"({', '.join(said)})"


def told_part(part: dict[str, Any]) -> str:
    known = ", ".join(f"{name}={cell_of(value)}" for name, value in part["known"].items())
    return f"{part['relation']}({known})"


def listed(cells: Iterable[Any]) -> str:
    return f"({', '.join(map(cell_of, cells))})"


def moment(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000_000, UTC).isoformat(" ", "seconds").removesuffix("+00:00")
