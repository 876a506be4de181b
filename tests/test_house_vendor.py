"""Library tags point here when the files are here, else at the CDN, with the same hash."""

import json
import shutil
from pathlib import Path

from app.vendor import STATIC, csp_hosts, maybe_bundle, vendor_tags
from scripts.browser_bundles import bundles


def test_without_local_files_the_tags_name_the_cdn_and_the_policy_allows_it(tmp_path: Path) -> None:
    shutil.copy(STATIC / "vendor.json", tmp_path)
    tags = [tag for of_library in vendor_tags(tmp_path).values() for tag in of_library]
    assert all(tag.remote and tag.url.startswith("https://") and "@" in tag.url for tag in tags)
    assert all(tag.integrity.startswith("sha384-") for tag in tags)
    assert len(csp_hosts(tmp_path)) == 1


def test_with_local_files_nothing_is_fetched_from_elsewhere(tmp_path: Path) -> None:
    shutil.copy(STATIC / "vendor.json", tmp_path)
    remote = {name: [tag.integrity for tag in tags] for name, tags in vendor_tags(tmp_path).items()}
    local = tmp_path / "local"
    local.mkdir()
    shutil.copy(STATIC / "vendor.json", local)
    for name in vendor_tags(tmp_path):
        for path in _files(tmp_path, name):
            file = local / "vendor" / f"{name}-{_version(tmp_path, name)}" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    assert all(tag.url.startswith("/static/vendor/") for tags in vendor_tags(local).values() for tag in tags)
    assert {name: [tag.integrity for tag in tags] for name, tags in vendor_tags(local).items()} == remote
    assert csp_hosts(local) == ()


def test_a_bundle_is_here_or_nowhere(tmp_path: Path) -> None:
    shutil.copy(STATIC / "vendor.json", tmp_path)
    assert maybe_bundle("editor", tmp_path) is None
    local = tmp_path / "local"
    ((_, path, _),) = bundles(json.loads((tmp_path / "vendor.json").read_text()))
    (local / "vendor" / path).parent.mkdir(parents=True)
    (local / "vendor" / path).touch()
    shutil.copy(STATIC / "vendor.json", local)
    assert maybe_bundle("editor", local) == f"/static/vendor/{path}"


def _version(static: Path, name: str) -> str:
    return str(json.loads((static / "vendor.json").read_text())["libraries"][name]["version"])


def _files(static: Path, name: str) -> list[str]:
    return list(json.loads((static / "vendor.json").read_text())["libraries"][name]["files"])
