"""A building folder on disk: written by an import, read by whoever starts or checks it.

building.json, floor-*.geojson, facts.json and report.json are the import's: the next one writes them anew.
sources.yaml, views.sql, the calendar and placed.geojson are people's: an import makes them where none is.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.model.errors import SourceError
from ingest.importing import starter
from ingest.importing.importer import Imported

FACTS, REPORT, PLACED = "facts.json", "report.json", "placed.geojson"


def write_folder(imported: Imported, folder: Path) -> tuple[str, ...]:
    """Write a building; return the files that were there and are people's, which stay as they are."""
    _check_ours(folder)
    texts = {"building.json": _pretty(imported.summary), REPORT: _pretty(imported.report.as_document())}
    texts[FACTS] = _rows(imported.facts)
    for floor, plan in imported.plans.items():
        texts[f"floor-{floor}.geojson"] = _features(plan)
    peoples: dict[str, Callable[[], str]] = {
        "sources.yaml": starter.sources_yaml,
        "views.sql": starter.views_sql,
        starter.CALENDAR_FILE: lambda: starter.CALENDAR,
    }
    kept = tuple(name for name in (*peoples, PLACED) if (folder / name).exists())
    texts |= {name: text() for name, text in peoples.items() if name not in kept}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("floor-*.geojson"):
            if old.name not in texts:
                old.unlink()
        for name, text in texts.items():
            write_text(folder / name, text)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}; name another folder with --into"
        raise SourceError(message) from error
    return kept


def write_text(path: Path, text: str) -> None:
    """Write a file so that whoever reads it sees the old one or the new one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8", newline="")
    beside.replace(path)


def is_imported(folder: Path) -> bool:
    """Tell whether a building's facts are in its folder."""
    return (folder / FACTS).is_file()


def read_json(path: Path) -> Any:
    """Return what a file of a folder has, or raise that it is not as expected."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"{path} cannot be read: {reason}; import the building again"
        raise SourceError(message) from error


def read_rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the imported rows by table."""
    found = read_json(folder / FACTS)
    if not isinstance(found, dict) or not all(isinstance(rows, list) for rows in found.values()):
        message = f"{folder / FACTS} has no tables of rows; import the building again"
        raise SourceError(message)
    return found


def _check_ours(folder: Path) -> None:
    """An import goes into a new folder or over an earlier import, never over anything else."""
    if folder.exists() and not folder.is_dir():
        message = f"{folder} is a file; name a folder with --into"
        raise SourceError(message)
    if folder.is_dir() and any(folder.iterdir()) and not is_imported(folder):
        message = (
            f"{folder} has something else in it, no {FACTS} of an import; name another folder with --into"
        )
        raise SourceError(message)


def _pretty(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rows(facts: Mapping[str, list[dict[str, Any]]]) -> str:
    """One row a line, so that a difference can be read."""
    tables = (
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
        for name, rows in facts.items()
    )
    return "{\n" + ",\n".join(tables) + "\n}\n"


def _features(plan: Mapping[str, Any]) -> str:
    head = json.dumps({key: value for key, value in plan.items() if key != "features"}, ensure_ascii=False)
    lines = ",\n".join(json.dumps(feature, ensure_ascii=False) for feature in plan["features"])
    return f'{head[:-1]}, "features": [\n{lines}\n]}}\n'
