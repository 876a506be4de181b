"""Where the set-up reads and writes, all of it inside the checkout."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BUILD = ROOT / "build"
JRE = VENV / "jre"
CONSTRAINTS = ROOT / "constraints.txt"


class SetUpError(Exception):
    """The machine lacks something; the message says what and how to get it."""


def say(line: str = "") -> None:
    """One line of progress, seen at once even through a pipe."""
    print(line, flush=True)


def pins() -> dict[str, str]:
    """The exact version of every package, by name."""
    lines = (line.split("==") for line in CONSTRAINTS.read_text().splitlines() if "==" in line)
    return {name.strip().lower(): version.split(";")[0].strip() for name, version in lines}


def site_packages() -> Path:
    """The environment's library folder."""
    found = sorted(VENV.glob("lib/python3*/site-packages"))
    if not found:
        message = f"{VENV} has no site-packages; remove the folder and run the command again"
        raise SetUpError(message)
    return found[-1]


def with_writable_home(env: dict[str, str]) -> dict[str, str]:
    """The environment with a HOME that caches can be kept in: the user's own, else one under build/."""
    home = env.get("HOME", "")
    if home and os.access(home, os.W_OK | os.X_OK):
        return env
    own = BUILD / "home"
    own.mkdir(parents=True, exist_ok=True)
    return {**env, "HOME": str(own)}
