"""The commands `smartcis building import`, `check` and `export`; they need no server.

    import FILE    GeoJSON in Simple Indoor Tagging becomes a building folder; ends with a report
    check DIR      is a building folder sound, and does a way lead to every room?
    export DIR FILE

Exit codes: 0 done, or nothing found; 2 the file or folder is wrong; 3 `check` found something.
"""

import json
import sys
from pathlib import Path

import click

from app.building import Building, read_building
from app.cells import say, say_lines
from engine.model.errors import SmartCISError, SourceError
from ingest.importing.checking import check_folder
from ingest.importing.exporting import export_building
from ingest.importing.folder import write_folder, write_text
from ingest.importing.frame import Unit
from ingest.importing.importer import import_building
from ingest.importing.reading import MOST_BYTES
from ingest.importing.sorting import slug

FOLDER = click.argument("folder", type=click.Path(path_type=Path))
FILE = click.argument("file", type=click.Path(path_type=Path))


class _told:
    """One line for what is wrong, and exit code 2."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, SmartCISError):
            say(error.message, err=True)
            sys.exit(2)


@click.group()
def building() -> None:
    """Bring a building of your own: import it, check it, export it."""


@building.command("import")
@FILE
@click.option("--into", type=click.Path(path_type=Path), help="The building folder; else beside the file.")
@click.option("--name", help="What the building is called; else what the file says.")
@click.option(
    "--frame",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "degrees", "metres"]),
    help="What coordinates are: of the earth, or of the building.",
)
def import_file(file: Path, into: Path | None, name: str | None, frame: Unit) -> None:
    """Make a building folder of FILE: GeoJSON in OpenStreetMap's Simple Indoor Tagging."""
    with _told():
        imported = import_building(_bytes(file), file.name, name, frame)
        folder = into or file.with_name(f"{slug(file.stem)}-building")
        kept = write_folder(imported, folder)
        say_lines(imported.report.as_text())
        if kept:
            say(f"kept as people have them: {', '.join(kept)}")
        say(f"written to {folder}; start it with SMARTCIS_BUILDING={folder} and a SMARTCIS_STATE of its own")


@building.command("check")
@FOLDER
def check(folder: Path) -> None:
    """Tell whether FOLDER is a sound building: its plans, sources and views, and the ways to its rooms."""
    with _told():
        found = check_folder(folder, _document(_sound(folder)))
    for problem in found:
        say(problem)
    say(f"{folder}: {f'{len(found)} things to look at' if found else 'sound'}")
    sys.exit(3 if found else 0)


@building.command("export")
@FOLDER
@FILE
def export(folder: Path, file: Path) -> None:
    """Write the building in FOLDER to FILE as GeoJSON, under the names and tags it was imported with."""
    with _told():
        text = export_building(_document(read_building(folder)))
        try:
            write_text(file, text)
        except OSError as error:
            message = f"{file} cannot be written: {error.strerror}"
            raise SourceError(message) from error
    say(f"{file}: {len(json.loads(text)['features'])} features")


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}; expected a file of GeoJSON"
        raise SourceError(message) from error


def _sound(folder: Path) -> Building:
    """Return a building of which also the sources and the views can be read."""
    from app.building_views import building_views  # an import waits for no language
    from ingest.sources import load_sources

    found = read_building(folder)
    environment = {
        "SMARTCIS_STATE": ".",
        "SMARTCIS_BUILDING": str(folder),
        "SMARTCIS_DATABASE_URL": "sqlite://",
    }
    load_sources(folder / "sources.yaml", environment)
    building_views(folder)
    return found


def _document(found: Building) -> dict[str, object]:
    document = json.loads(found.body)
    assert isinstance(document, dict)
    return document
