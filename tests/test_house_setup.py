"""The set-up: what pip was told reaches uv, the packaged Java starts, a machine is told what it lacks."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from scripts import java, places
from scripts.browser_bundles import bundles
from scripts.browser_libraries import integrity, manifest
from scripts.indexes import uv_environment
from scripts.setup import EXTRAS


def test_pips_settings_reach_uv_unless_uv_has_its_own(tmp_path: Path) -> None:
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nindex-url = one\nextra-index-url = two\n  three\ntimeout = 9\n")
    told = {"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(config), "PIP_NO_INDEX": "false"}
    result = uv_environment({**told, "PIP_FIND_LINKS": "/a /b", "UV_HTTP_TIMEOUT": "5"})
    assert result["UV_DEFAULT_INDEX"] == "one"
    assert result["UV_INDEX"] == "two three"
    assert result["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    assert result["UV_FIND_LINKS"] == "/a,/b"
    assert result["UV_HTTP_TIMEOUT"] == "5"
    assert "UV_NO_INDEX" not in result


def test_indexes_of_a_uv_toml_stand(tmp_path: Path) -> None:
    (tmp_path / ".config/uv").mkdir(parents=True)
    (tmp_path / ".config/uv/uv.toml").write_text("offline = true\n")
    result = uv_environment({"HOME": str(tmp_path), "PIP_INDEX_URL": "one", "PIP_CERT": "/c"})
    assert "UV_DEFAULT_INDEX" not in result
    assert result["SSL_CERT_FILE"] == "/c"


def test_the_shim_drops_the_module_that_the_packaged_java_lacks(tmp_path: Path) -> None:
    echo = tmp_path / "java"
    echo.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    shim = tmp_path / "shim"
    shim.write_text(java.SHIM.format(java=echo))
    for program in (echo, shim):
        program.chmod(0o755)
    arguments = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "Main", ""]
    told = subprocess.run([shim, *arguments], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == ["-cp", "a b", "Main", ""]


def test_a_java_that_is_too_old_or_broken_is_passed_over(tmp_path: Path) -> None:
    old = tmp_path / "bin/java"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    old.chmod(0o755)
    assert java.major_version(old) == 8
    assert java.with_java({"JAVA_HOME": str(tmp_path), "PATH": str(tmp_path)}) is None


def test_a_home_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "BUILD", tmp_path / "build")
    assert places.with_writable_home({"HOME": str(tmp_path)})["HOME"] == str(tmp_path)
    for home in ("", "/nonexistent"):
        assert places.with_writable_home({"HOME": home})["HOME"] == str(tmp_path / "build/home")


def test_a_machine_without_a_fitting_python_is_told_what_to_install(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    copy = tmp_path / "scripts/find-python"
    copy.write_text((repository / "scripts/find-python").read_text())
    for program in ("dirname", "sh"):
        (tmp_path / program).symlink_to(f"/usr/bin/{program}")
    bare = {"PATH": str(tmp_path)}
    told = subprocess.run(["/bin/sh", copy], env=bare, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "needs Python 3.11 or later; found none" in told.stderr


def test_make_alone_lists_every_target(repository: Path) -> None:
    told = subprocess.run(["make"], cwd=repository, capture_output=True, text=True, check=True).stdout
    for target in ("run", "test", "test-all", "lint", "reset", "clean", "bench-NAME"):
        assert f"make {target} " in told


def test_reset_removes_a_state_folder_and_nothing_else(repository: Path, tmp_path: Path) -> None:
    def reset(folder: Path) -> int:
        env = {**os.environ, "SMARTCIS_STATE": str(folder)}
        done = subprocess.run(["make", "reset"], cwd=repository, env=env, capture_output=True, check=False)
        return done.returncode

    state, strange = tmp_path / "state", tmp_path / "strange"
    for folder, file in ((state, "log.db"), (strange, "thesis.tex")):
        folder.mkdir()
        (folder / file).touch()
    assert reset(state) == 0
    assert not state.exists()
    assert reset(strange) != 0
    assert (strange / "thesis.tex").exists()


def test_the_pinned_browser_libraries_are_those_of_the_manifest(repository: Path) -> None:
    manifest = json.loads((repository / "static/vendor.json").read_text())["libraries"]
    pinned = json.loads((repository / "package.json").read_text())["dependencies"]
    assert {name: entry["version"] for name, entry in manifest.items()} == pinned


def test_installed_browser_libraries_are_what_the_manifest_says(repository: Path) -> None:
    manifest = json.loads((repository / "static/vendor.json").read_text())["libraries"]
    for name, entry in manifest.items():
        for path, expected in entry["files"].items():
            file = repository / "static/vendor" / f"{name}-{entry['version']}" / path
            assert not file.exists() or integrity(file.read_bytes()) == expected


def test_bundles_are_made_of_pinned_packages_and_are_what_the_manifest_says(repository: Path) -> None:
    pinned = json.loads((repository / "package.json").read_text())["devDependencies"]
    assert all(version[0].isdigit() for version in pinned.values())
    for name, path, expected in bundles(manifest()):
        entry = (repository / "scripts/bundles" / f"{name}.js").read_text()
        assert set(re.findall(r'from "([^"]+)"', entry)) <= pinned.keys()
        file = repository / "static/vendor" / path
        assert not file.exists() or integrity(file.read_bytes()) == expected


def test_run_needs_no_test_package() -> None:
    assert EXTRAS["run"] < EXTRAS["test"]
