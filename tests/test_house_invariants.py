"""Invariants of the design that are not import contracts."""

import ast
import re
from pathlib import Path

PACKAGES = ("app", "engine", "federated", "ingest")
CLOCK = "engine/model/clock.py"
WALL_CLOCKS = {
    *(("time", name) for name in ("sleep", "time", "time_ns")),
    *(("datetime", name) for name in ("now", "utcnow", "today")),
}
SETTING = re.compile(r"SMARTCIS_[A-Z_]*[A-Z]")


def sources(repository: Path) -> list[Path]:
    return [file for package in PACKAGES for file in (repository / package).rglob("*.py")]


def calls(file: Path) -> set[tuple[str, str]]:
    attributes = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute))
    return {(node.value.id, node.attr) for node in attributes if isinstance(node.value, ast.Name)}


def test_time_comes_from_a_clock_that_is_passed_in(repository: Path) -> None:
    offenders = {
        str(file.relative_to(repository)): found
        for file in sources(repository)
        if (found := calls(file) & WALL_CLOCKS) and str(file.relative_to(repository)) != CLOCK
    }
    assert not offenders


def test_every_setting_in_the_code_is_in_the_table_of_the_readme(repository: Path) -> None:
    table = set(re.findall(r"^\| `(SMARTCIS_\w+)`", (repository / "README.md").read_text(), re.MULTILINE))
    places = [*sources(repository), repository / "docker-compose.yml", *(repository / "scripts").iterdir()]
    read = {name for file in places if file.is_file() for name in SETTING.findall(file.read_text())}
    read -= {"SMARTCIS_POSTGRES_PASSWORD"}
    assert read <= table, f"not documented: {sorted(read - table)}"
