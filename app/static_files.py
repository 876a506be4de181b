"""Scripts and styles: compressed, at addresses that change with what is in them.

    /static/v-<hash of all of them>/js/start.js    the browser keeps it for a year
    /static/js/start.js, or under another hash     the browser asks each time

A module names its neighbours by relative addresses, so they are under the same hash: nothing is built.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from flask import Flask, Response, g, has_app_context, url_for
from flask_compress import Compress

STATIC = Path(__file__).resolve().parent.parent / "static"
VENDOR = "vendor/"  # each library in a folder that names its version
FOREVER = "public, max-age=31536000, immutable"
IMPORT = re.compile(r'^(?:import|export) (?:[^;"]* from )?"(\./[^"]+)";', re.MULTILINE)
SMALL = 500  # bytes; what is smaller is sent as it is


def serve_static(app: Flask) -> None:
    """Let an application send its scripts and styles so, and templates list modules that a page needs."""
    app.config.update(COMPRESS_ALGORITHM=["br", "gzip"], COMPRESS_MIN_SIZE=SMALL, COMPRESS_STREAMS=False)
    Compress(app)

    def static(filename: str) -> Response:
        named, path = _parted(filename)
        response = app.send_static_file(path)
        response.direct_passthrough = False
        response.make_sequence()  # what is streamed is not compressed: it would wait for more
        if path.startswith(VENDOR) or named == _version_here():
            response.headers["Cache-Control"] = FOREVER
        return response

    @app.url_defaults
    def put_version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static" and not values["filename"].startswith(VENDOR):
            values["filename"] = f"v-{_version_here()}/{values['filename']}"

    app.view_functions["static"] = static
    app.jinja_env.globals["modules"] = addresses_of_modules


def addresses_of_modules(*entries: str, without: tuple[str, ...] = ()) -> list[str]:
    """Return the addresses of modules and of all that they import, but not what others import."""
    left_out = {each for entry in without for each in modules_of(entry)}
    found = dict.fromkeys(each for entry in entries for each in modules_of(entry))
    return [url_for("static", filename=f"js/{name}") for name in found if name not in left_out]


def modules_of(entry: str) -> tuple[str, ...]:
    """Return a module and what it imports from the start, in the order in which a browser meets them."""
    return _modules_of(entry, _version_here() if has_app_context() else version())


@lru_cache(maxsize=64)
def _modules_of(entry: str, _version: str) -> tuple[str, ...]:
    found, waiting = [entry], [entry]
    while waiting:
        text = (STATIC / "js" / waiting.pop(0)).read_text("utf-8")
        named = [str(PurePosixPath(address)) for address in IMPORT.findall(text)]
        fresh = [name for name in dict.fromkeys(named) if name not in found]
        found += fresh
        waiting += fresh
    return tuple(found)


def version() -> str:
    """Return a hash of all scripts and styles as they are now."""
    return _hash_of(tuple((path, path.stat().st_mtime_ns) for path in _files()))


def _version_here() -> str:
    """Return the same once for all that a request asks."""
    if "static_version" not in g:
        g.static_version = version()
    return str(g.static_version)


@lru_cache(maxsize=2)
def _hash_of(files: tuple[tuple[Path, int], ...]) -> str:
    digest = hashlib.sha256()
    for path, _ in files:
        digest.update(path.relative_to(STATIC).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _files() -> Iterator[Path]:
    for found in sorted(STATIC.iterdir()):
        if found.is_dir() and found.name != VENDOR.rstrip("/"):
            yield from sorted(path for path in found.rglob("*.*") if path.is_file())
        elif found.is_file():
            yield found


def _parted(filename: str) -> tuple[str, str]:
    """Return the hash that an address names, and the path behind it."""
    first, _, rest = filename.partition("/")
    return (first.removeprefix("v-"), rest) if first.startswith("v-") and rest else ("", filename)
