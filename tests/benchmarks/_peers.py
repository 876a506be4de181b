"""Peers of the benchmarks: other systems, each in a virtual environment of its own.

    with Peer("pathway", ["pathway==0.33.0"], "tests.benchmarks._pathway_general") as peer:
        reply = peer.ask({"load": rows})          # one line of JSON there, one line of JSON back

The environment stands under ``build/peers/NAME`` and is made where it is not there or asks for other
requirements. The module runs in the peer's Python and calls ``serve``; it may import this module, which
needs nothing that is not Python's own, and no package that the peer was not given.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scripts.indexes import uv_environment
from scripts.places import BUILD, ROOT, say
from scripts.venv import find_uv

PEERS = BUILD / "peers"


class PeerMissing(Exception):
    """The peer cannot be installed here; the message says why."""


def peer_python(name: str, requirements: Sequence[str]) -> Path:
    """Return the Python of a peer's environment, made where it is not there."""
    folder = PEERS / name
    python, made_of = folder / "bin" / "python", folder / "requirements.txt"
    wanted = "\n".join(sorted(requirements)) + "\n"
    if python.exists() and made_of.exists() and made_of.read_text() == wanted:
        return python
    uv = find_uv()
    if uv is None:
        message = f"uv was not found; the peer {name} needs it"
        raise PeerMissing(message)
    say(f"Making build/peers/{name}: {', '.join(requirements)}")
    environment = uv_environment(dict(os.environ))
    _run([uv, "venv", "--clear", "--python", sys.executable, folder], environment, name)
    _run([uv, "pip", "install", "--python", python, *requirements], environment, name)
    made_of.write_text(wanted)
    return python


def _run(command: Sequence[str | Path], environment: dict[str, str], name: str) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"the peer {name} cannot be made: {done.stderr.strip()[-500:]}"
        raise PeerMissing(message)


class Peer:
    """A module that runs in a peer's Python and answers questions, one at a time."""

    def __init__(
        self, name: str, requirements: Sequence[str], module: str, arguments: Sequence[str] = ()
    ) -> None:
        command = [peer_python(name, requirements), "-m", module, *arguments]
        self._process = subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, question: Any) -> Any:
        """Send a question and wait for its answer."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            message = f"the peer ended with code {self._process.wait()}"
            raise PeerMissing(message)
        return json.loads(line)

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve(answer: Callable[[Any], Any]) -> None:
    """In the peer: answer every question, until there are none; what the peer prints goes to stderr."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        replies.write(json.dumps(answer(json.loads(line))) + "\n")
        replies.flush()
    # A peer's threads may run on; nobody asks them any more.
    os._exit(0)
