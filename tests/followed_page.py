"""A page of the docs, followed to the letter: its blocks are done in their order, in a folder of their own.

sh            by a shell, in which `smartcis` is ours, `mosquitto_pub` speaks to the building's broker and
              `curl` to the building itself, whose state folder is `.smartcis`
yaml NAME     is written into the file NAME
sql           by `smartcis sql`
text          is what the block before it said
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.places import ROOT
from tests.environment.absence import lacking
from tests.environment.product import Demo

BLOCK = re.compile(r"^```(\w+) ?([\w.]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PUBLISHER = """
import argparse
from paho.mqtt.publish import single
read = argparse.ArgumentParser(add_help=False)
for option in ("-h", "-p", "-t", "-m"):
    read.add_argument(option, required=True)
read.add_argument("-r", action="store_true")
told = read.parse_args()
assert (told.h, told.p) == ("127.0.0.1", "1883"), "where the embedded broker is"
single(told.t, told.m.encode(), qos=1, retain=told.r, port={port})
"""


ASKER = """
arguments=()
for each in "$@"; do arguments+=("${{each//http:\\/\\/127.0.0.1:8000/{url}}}"); done
exec {curl} "${{arguments[@]}}"
"""


class Follower:
    """Somebody with a shell, who does what a page says."""

    def __init__(self, folder: Path, product: Demo) -> None:
        self.folder, self.said, self.code = folder, "", 0
        tools = folder / "tools"
        tools.mkdir(parents=True)
        _script(tools / "smartcis", f'exec {shlex.quote(sys.executable)} -m app.cli "$@"')
        port = product.mqtt_url.rpartition(":")[2]
        (tools / "publish.py").write_text(PUBLISHER.format(port=port))
        _script(tools / "mosquitto_pub", f'exec {shlex.quote(sys.executable)} {tools / "publish.py"} "$@"')
        curl = shutil.which("curl") or lacking("curl", "apt-get install curl")
        _script(tools / "curl", ASKER.format(url=product.url, curl=curl), "bash")
        (folder / ".smartcis").symlink_to(product.state)
        self._environment = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "SMARTCIS_STATE": str(product.state),
        }

    def does(self, language: str, name: str, text: str) -> None:
        """Do a block; what it says is remembered."""
        match language:
            case "yaml":
                (self.folder / name).write_text(text, "utf-8")
            case "sh":
                self.said = self._run(["bash", "-e", "-o", "pipefail", "-c", text])
            case "sql":
                self.said = self._run(["smartcis", "sql", text])

    def is_told(self, block: tuple[str, str, str], expected: str) -> bool:
        """Tell whether the block said this first; if not, do it once more: what is on its way takes a moment.

        After it may come what others in the building said: devices that announce themselves.
        """
        told = expected.strip().splitlines()
        if self._first(told) != told:
            self.does(*block)
        return self._first(told) == told

    def _first(self, told: list[str]) -> list[str]:
        return self.said.splitlines()[: len(told)]

    def _run(self, command: list[str]) -> str:
        found = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        self.code = found.returncode
        return (found.stdout + found.stderr).strip()


def _script(path: Path, line: str, shell: str = "sh") -> None:
    path.write_text(f"#!/usr/bin/env {shell}\n{line}\n")
    path.chmod(0o755)


def blocks(page: str) -> list[tuple[str, str, str]]:
    """The blocks of a page: language, name, text."""
    return BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
