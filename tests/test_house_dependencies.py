"""What is imported is declared, what is declared is pinned, and nothing says where it comes from."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

PACKAGES = ("app", "engine", "federated", "ingest")


def normal(name: str) -> str:
    return re.split(r"[\[<>=;! ]", name)[0].lower().replace("_", "-")


def declared(repository: Path) -> set[str]:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    return {normal(requirement) for requirement in project["dependencies"]}


def imported_modules(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_every_imported_distribution_is_a_declared_dependency(repository: Path) -> None:
    providers = packages_distributions()
    undeclared = {
        f"{file.relative_to(repository)} imports {module}"
        for package in PACKAGES
        for file in (repository / package).rglob("*.py")
        for module in imported_modules(file)
        if module not in sys.stdlib_module_names
        and module not in PACKAGES
        and not {normal(provider) for provider in providers.get(module, [])} & declared(repository)
    }
    assert not undeclared


def test_every_dependency_is_pinned(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(r for rs in project["optional-dependencies"].values() for r in rs)]
    pinned = {line.partition("==")[0] for line in (repository / "constraints.txt").read_text().splitlines()}
    assert {normal(requirement) for requirement in wanted} <= {normal(pin) for pin in pinned}


def test_every_pin_is_exact_and_names_no_address(repository: Path) -> None:
    for line in (repository / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9.!+-]+( ; .*)?", line)


def test_the_set_up_uses_the_standard_library_alone(repository: Path) -> None:
    for file in (repository / "scripts").glob("*.py"):
        assert set(imported_modules(file)) <= sys.stdlib_module_names | {"scripts"}, file.name
