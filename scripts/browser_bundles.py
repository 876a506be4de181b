"""Browser libraries that are many modules: each becomes one file in `static/vendor/`, made by esbuild.

    node_modules/@codemirror/…  ──scripts/bundles/editor.js──▶  static/vendor/editor-<hash>/editor.js

`package.json` pins every package that goes in, and esbuild, so that the file is the same everywhere: its hash
is in `static/vendor.json` like those of files that are taken as they come. No CDN has it; a page without it
does with less.
"""

import hashlib
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.places import ROOT, SetUpError

ENTRIES = ROOT / "scripts" / "bundles"
ESBUILD = ROOT / "node_modules" / "esbuild" / "bin" / "esbuild"
BUNDLE_SECONDS = 60


def bundles(of: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each bundle of a manifest, as (name, path under static/vendor, integrity)."""
    for name, expected in of["bundles"].items():
        yield name, f"{name}-{hashlib.sha256(expected.encode()).hexdigest()[:12]}/{name}.js", expected


def bundle(name: str, target: Path, node: Sequence[str]) -> bytes:
    """Makes a bundle and returns what is in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    asked = ["--bundle", "--format=esm", "--minify", "--target=es2022", "--log-level=warning"]
    command = [*node, str(ESBUILD), str(ENTRIES / f"{name}.js"), *asked, f"--outfile={target}"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=BUNDLE_SECONDS, check=False
    )
    if done.returncode:
        message = f"esbuild could not make {name}.js: {done.stderr.strip()[:500]}"
        raise SetUpError(message)
    return target.read_bytes()
