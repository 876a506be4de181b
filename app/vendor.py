"""Where the pages get the libraries they did not write: from here, else from the CDN.

The set-up puts the libraries under `static/vendor/` when npm answers. A library that is not there is named by
its CDN address. Either way the tag carries the hash of `static/vendor.json`, so that neither a proxy nor a
CDN can put other code into a page. What the set-up bundles (`scripts/browser_bundles.py`) is here or nowhere.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

STATIC = Path(__file__).resolve().parent.parent / "static"


class Tag(NamedTuple):
    """One `<script src>` or `<link rel="stylesheet" href>`; remote ones need `crossorigin="anonymous"`."""

    kind: Literal["script", "style"]
    url: str
    integrity: str
    remote: bool


@cache
def vendor_tags(static: Path = STATIC) -> dict[str, tuple[Tag, ...]]:
    """The tags of each library, by its npm name: leaflet, socket.io-client, uplot, @dagrejs/dagre."""
    manifest = json.loads((static / "vendor.json").read_text())
    return {name: _tags(manifest, name, static) for name in manifest["libraries"]}


@cache
def csp_hosts(static: Path = STATIC) -> tuple[str, ...]:
    """The origins that script-src, style-src and img-src must allow beside 'self'; none when all is local."""
    remote = [tag.url for tags in vendor_tags(static).values() for tag in tags if tag.remote]
    return tuple(sorted({"{0.scheme}://{0.netloc}".format(urlsplit(url)) for url in remote}))


@cache
def maybe_bundle(name: str, static: Path = STATIC) -> str | None:
    """Return the address of a module that the set-up made of many, None where it could not."""
    expected = json.loads((static / "vendor.json").read_text())["bundles"][name]
    path = f"vendor/{name}-{hashlib.sha256(expected.encode()).hexdigest()[:12]}/{name}.js"
    return f"/static/{path}" if (static / path).exists() else None


def _tags(manifest: dict[str, Any], name: str, static: Path) -> tuple[Tag, ...]:
    library = manifest["libraries"][name]
    folder = f"vendor/{name}-{library['version']}"
    local = all((static / folder / path).exists() for path in library["files"])
    base = f"/static/{folder}" if local else f"{manifest['cdn']}/{name}@{library['version']}"
    kinds: dict[str, Literal["script", "style"]] = {".js": "script", ".css": "style"}
    return tuple(
        Tag(kinds[Path(path).suffix], f"{base}/{path}", integrity, not local)
        for path, integrity in library["files"].items()
        if Path(path).suffix in kinds
    )
