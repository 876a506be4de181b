"""All the set-up of `make run` and `make test`; quick when there is nothing to do.

    python -m scripts.setup run|test|audit [-- command ...]

      .venv with the pinned packages  →  a Java  →  browser libraries  →  (test) chromium and mosquitto

What was installed, and a hash of all that decides it, is kept in `.venv/set-up.json`; while the hash stands
nothing is asked of any index. The command, if one is given, then replaces this process, in an environment
where Spark finds its Java.
"""

import hashlib
import json
import os
import shutil
import sys
from typing import NoReturn

from scripts import browser_libraries, java, tools, venv
from scripts.places import CONSTRAINTS, ROOT, VENV, SetUpError, say, with_writable_home

STAMP = VENV / "set-up.json"
DECIDING = (ROOT / "pyproject.toml", CONSTRAINTS, ROOT / "package.json", browser_libraries.MANIFEST)
EXTRAS = {"run": frozenset[str](), "test": frozenset({"test", "dev"}), "audit": frozenset({"audit"})}


def fingerprint() -> str:
    """A hash of everything that decides what is installed, and of where."""
    digest = hashlib.sha256(str(ROOT).encode())
    for file in DECIDING:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def installed_extras() -> frozenset[str] | None:
    """The extras that the environment has at the present pins; None when it must be installed."""
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return None
    return frozenset(stamp["extras"]) if stamp["fingerprint"] == fingerprint() else None


def install(extras: frozenset[str], env: dict[str, str]) -> None:
    """Fills the environment and the browser libraries, and leaves the stamp."""
    venv.announce(extras, venv.find_uv())
    uv = venv.create(env)
    venv.install(uv, extras, env)
    if "java" in extras:
        java.write_shim()
    if not browser_libraries.installed():
        browser_libraries.install(env)
    STAMP.write_text(json.dumps({"fingerprint": fingerprint(), "extras": sorted(extras)}))
    say("Set-up done.")


def prepare(purpose: str, env: dict[str, str]) -> dict[str, str]:
    """Sets up what `purpose` needs and returns the environment to run it in."""
    own_java = java.with_java(env)
    needed = EXTRAS[purpose] | (frozenset() if own_java else {"java"})
    if browser_libraries.npm_command(env) is None and not browser_libraries.installed():
        needed |= {"node"}
    has = installed_extras()
    if has is None or not needed <= has or not venv.works():
        install(needed | (has or frozenset()), env)
    if purpose == "test":
        tools.provide(env)
    with_java = own_java or java.with_packaged_java(env)
    return {**with_java, "VIRTUAL_ENV": str(VENV), "PATH": f"{VENV / 'bin'}{os.pathsep}{env['PATH']}"}


def main(arguments: list[str]) -> int:
    """Reads the command line, sets up, and becomes the command."""
    purpose, command = arguments[0] if arguments else "", arguments[2:]
    if purpose not in EXTRAS or arguments[1:2] not in ([], ["--"]):
        say("usage: python -m scripts.setup run|test|audit [-- command ...]")
        return 2
    os.chdir(ROOT)
    try:
        env = prepare(purpose, tools.with_system_folders(with_writable_home(dict(os.environ))))
    except SetUpError as error:
        say(f"set-up: {error}")
        return 1
    if not command:
        return 0
    program = shutil.which(command[0], path=env["PATH"])
    if program is None:
        say(f"set-up: {command[0]} is not in {VENV / 'bin'} nor on the PATH")
        return 1
    return become(program, command, env)


def become(program: str, command: list[str], env: dict[str, str]) -> NoReturn:
    """Replaces this process by the command."""
    os.execve(program, command, env)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
