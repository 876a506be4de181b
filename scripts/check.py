"""The legs of `make test`: every one runs, and any that fails fails the whole.

    python -m scripts.check [--lint] [--all] [pytest arguments ...]

The autoref leg runs the tests of the BDD back end a second time, on the one that needs no compiled wheel.
Pages and whole servers are tested one after the other, since the processes of each already share the cores;
all other tests share them. With arguments for pytest there is one run, of what they select.
"""

import os
import subprocess
import sys

from scripts.places import say

NO_TESTS_SELECTED = 5
LINT = (
    ("ruff", ["ruff", "check", "--output-format=concise", "."]),
    ("mypy", ["mypy"]),
    ("import contracts", ["lint-imports", "--no-logo"]),
)
SERVED = ("tests/browser", "tests/integration")
SHARED = ("--numprocesses=logical", "--maxprocesses=4", "--dist=worksteal")


def leg(name: str, command: list[str], **settings: str) -> int:
    """Runs one leg with its settings in the environment."""
    say(f"== {name}: {' '.join([*(f'{key}={value}' for key, value in settings.items()), *command])}")
    return subprocess.run(command, env={**os.environ, **settings}, check=False).returncode


def main(arguments: list[str]) -> int:
    """Runs the legs and names those that failed."""
    only_lint, everything = "--lint" in arguments, "--all" in arguments
    more = [argument for argument in arguments if argument not in {"--lint", "--all"}]
    codes = {name: leg(name, command) for name, command in LINT}
    if not only_lint:
        marked = [] if everything else ["-m", "not slow"]
        only_bdd = ["-m", "bdd" if everything else "bdd and not slow"]
        autoref = leg("pytest, autoref", ["pytest", *only_bdd, *more], SMARTCIS_BDD="autoref")
        codes["pytest, autoref"] = 0 if more and autoref == NO_TESTS_SELECTED else autoref
        if more:
            codes["pytest"] = leg("pytest", ["pytest", *marked, *more])
        else:
            others = [f"--ignore={folder}" for folder in SERVED]
            codes["pytest, served"] = leg("pytest, served", ["pytest", *marked, *SERVED])
            codes["pytest"] = leg("pytest", ["pytest", *marked, *SHARED, *others])
    failed = [name for name, code in codes.items() if code]
    if failed:
        say(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
