"""The programs that tests start beside ours: a browser and Mosquitto.

Where this runs as root on a Debian-like system they are installed when missing; elsewhere the command that
gets them is told, and the tests that need them say so when they are skipped.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from scripts.places import say


class Tool(NamedTuple):
    """A program, by the commands it may have and the package that brings it."""

    name: str
    commands: tuple[str, ...]
    package: str
    megabytes: int
    without_root: str


TOOLS = (
    Tool(
        "chromium",
        ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        "chromium",
        110,
        ".venv/bin/playwright install chromium   (or: sudo apt-get install chromium)",
    ),
    Tool("mosquitto", ("mosquitto",), "mosquitto", 1, "sudo apt-get install mosquitto"),
)


def with_system_folders(env: Mapping[str, str]) -> dict[str, str]:
    """The environment with the sbin folders on the PATH, where Debian keeps servers."""
    folders = env.get("PATH", os.defpath).split(os.pathsep)
    more = [folder for folder in ("/usr/local/sbin", "/usr/sbin") if folder not in folders]
    return {**env, "PATH": os.pathsep.join(folders + more)}


def present(tool: Tool, env: Mapping[str, str]) -> bool:
    """Whether the program is on the PATH, or among the browsers that Playwright keeps."""
    if any(shutil.which(command, path=env.get("PATH")) for command in tool.commands):
        return True
    return tool.name == "chromium" and _playwright_has_chromium(env)


def _playwright_has_chromium(env: Mapping[str, str]) -> bool:
    cache = env.get("PLAYWRIGHT_BROWSERS_PATH") or os.path.join(env.get("HOME", ""), ".cache/ms-playwright")
    return os.path.isdir(cache) and any(name.startswith("chromium") for name in os.listdir(cache))


def provide(env: dict[str, str]) -> None:
    """Installs the programs that are missing, or tells how to."""
    missing = [tool for tool in TOOLS if not present(tool, env)]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        sizes = ", ".join(f"{tool.package} ({tool.megabytes} MB)" for tool in missing)
        say(f"Will install by apt-get: {sizes}")
        apt_get([tool.package for tool in missing], env)
        missing = [tool for tool in missing if not present(tool, env)]
    for tool in missing:
        say(f"{tool.name} is missing; the tests that need it are skipped. To get it: {tool.without_root}")


def apt_get(packages: list[str], env: dict[str, str]) -> None:
    """Installs packages; a failure is not ours to end on, for the tests then say what they lack."""
    quiet = {**env, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        subprocess.run(["apt-get", "-q", *step], env=quiet, check=False)
