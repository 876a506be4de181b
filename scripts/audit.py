"""What is known to be dangerous: in our own code by bandit, in what it stands on by pip-audit.

    python -m scripts.audit

Both run, and either fails the whole. A package that could not be asked about counts as a failure: nobody
looked at it.
"""

import subprocess
import sys

from scripts.places import CONSTRAINTS, say

PACKAGES = ("app", "engine", "federated", "ingest", "scripts")
AUDITS = (
    ("our code", ["bandit", "--quiet", "--configfile", "pyproject.toml", "--recursive", *PACKAGES]),
    ("packages", ["pip-audit", "--strict", "--no-deps", "--disable-pip", "--requirement", str(CONSTRAINTS)]),
)


def main() -> int:
    """Runs the audits and names those that failed."""
    failed = []
    for name, command in AUDITS:
        say(f"== {name}: {' '.join(command)}")
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
    if failed:
        say(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
