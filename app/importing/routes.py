"""The page of a building of one's own: a file is imported there, and desks and sensors are put onto the plan.

An import runs in a process of its own, so that a large or hostile file costs neither ticks nor memory here;
it makes a folder in the state folder, which the next start is told of by SMARTCIS_BUILDING. What is placed is
kept in the building folder and brought into the facts, where queries and the map find it like any other row.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from app.accounts.noting import note
from app.api import refused
from app.building import BuildingNow
from app.roles import BUILDING_ROLE, requires
from app.vendor import vendor_tags
from engine.model.errors import QueryError, SmartCISError, SourceError
from ingest.importing.folder import REPORT, is_imported, read_json, read_rows
from ingest.importing.placed import Thing, checked_things, read_placed, write_placed
from ingest.importing.seeding import prepare
from ingest.importing.sorting import slug

MOST_UPLOADED = 20_000_000
MOST_PLACED = 4_000_000
SECONDS = 120.0
FRAMES = ("auto", "degrees", "metres")


def create_building_routes(building: BuildingNow, state: Path, facts_url: str | None) -> Blueprint:
    """Return the routes."""
    routes, placing = Blueprint("building", __name__), Lock()

    @routes.get("/building")
    @requires(BUILDING_ROLE)
    def building_page() -> str:
        return render_template("building.html", building=building.name, vendor=vendor_tags())

    @routes.post("/api/building/imports")
    @requires(BUILDING_ROLE)
    def imports() -> tuple[Response, int]:
        request.max_content_length = MOST_UPLOADED
        name, frame = request.args.get("name", ""), request.args.get("frame", "auto")
        if frame not in FRAMES:
            message = f"frame is {frame!r:.40}; expected {', '.join(FRAMES)}"
            raise QueryError(message)
        note("imported a building", name)
        return jsonify(imported(request.get_data(), name, frame, state / "buildings")), 201

    @routes.get("/api/building/placed")
    @requires(BUILDING_ROLE)
    def placed() -> Response:
        problem = _why_fixed(building.folder, facts_url)
        things = [] if problem else read_placed(building.folder)
        return jsonify({"things": _listed(things), "fixed": problem})

    @routes.post("/api/building/placed")
    @requires(BUILDING_ROLE)
    def place() -> Response:
        request.max_content_length = MOST_PLACED
        problem = _why_fixed(building.folder, facts_url)
        if problem or facts_url is None:
            raise QueryError(problem)
        body = request.get_json(silent=True)
        things = checked_things(
            body.get("things") if isinstance(body, dict) else None, read_rows(building.folder)
        )
        note("put things onto the plan", f"{len(things)} things")
        with placing:
            _keep(building, things, facts_url)
        return jsonify({"things": _listed(things), "fixed": ""})

    routes.register_error_handler(SmartCISError, refused)
    return routes


def imported(body: bytes, name: str, frame: str, folder: Path) -> dict[str, Any]:
    """Import a file in a process of its own; return the folder and the report."""
    into = folder / (slug(name) if name.strip() else "imported")
    with tempfile.TemporaryDirectory() as beside:
        file = Path(beside) / f"{into.name}.geojson"
        file.write_bytes(body)
        asked = ["import", str(file), "--into", str(into), "--frame", frame]
        if name.strip():
            asked += [f"--name={name}"]
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "app.importing", *asked]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired as error:
            message = (
                f"the import took longer than {SECONDS:g} s; import the file by smartcis building import"
            )
            raise SourceError(message) from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise SourceError(lines[-1] if lines else f"the import ended with {done.returncode}")
    return {"folder": str(into), "report": read_json(into / REPORT)}


def _why_fixed(folder: Path, facts_url: str | None) -> str:
    """Return why nothing can be put onto the plan; empty where it can."""
    if not is_imported(folder):
        return "this building was not imported: its plans and facts are made elsewhere"
    return "" if facts_url else "this server has no database of facts"


def _keep(building: BuildingNow, things: Sequence[Thing], facts_url: str) -> None:
    try:
        write_placed(building.folder, things)
    except OSError as error:
        message = f"{building.folder} cannot be written: {error.strerror}; nothing was placed"
        raise SourceError(message) from error
    prepare(facts_url, building.folder)
    building.read_again()


def _listed(things: Sequence[Thing]) -> list[dict[str, Any]]:
    return [dict(vars(thing)) for thing in things]
