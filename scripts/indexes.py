"""What the user told pip about indexes, proxies and certificates, said to uv.

uv reads the proxy variables and its own settings but nothing of pip's. A setting that uv already has,
from the environment or from a uv.toml, is left alone.
"""

import configparser
import os
from collections.abc import Mapping
from pathlib import Path

UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "proxy": "ALL_PROXY",
}
OLDER_UV_NAMES = {"UV_DEFAULT_INDEX": "UV_INDEX_URL", "UV_INDEX": "UV_EXTRA_INDEX_URL"}
ABOUT_INDEXES = {"UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_NO_INDEX"}
FALSE = {"", "0", "false", "no", "off"}


def pip_files(env: Mapping[str, str]) -> list[Path]:
    """pip's configuration files, the weakest first, as pip reads them on Linux and macOS."""
    only = env.get("PIP_CONFIG_FILE")
    if only == os.devnull:
        return []
    home = Path(env.get("HOME") or "/nonexistent")
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    places = [Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"), home / ".pip/pip.conf"]
    places += [home / "Library/Application Support/pip/pip.conf", config / "pip/pip.conf"]
    return [*places, Path(only)] if only else places


def pip_settings(env: Mapping[str, str]) -> dict[str, str]:
    """pip's settings by their long option: files, then the environment."""
    settings: dict[str, str] = {}
    for file in pip_files(env):
        parser = configparser.RawConfigParser()
        parser.read(file)
        for section in ("global", "install"):
            if parser.has_section(section):
                settings.update({key.replace("_", "-"): value for key, value in parser.items(section)})
    spoken = {key: value for key, value in env.items() if key.startswith("PIP_")}
    settings.update({key[4:].lower().replace("_", "-"): value for key, value in spoken.items()})
    return settings


def uv_has_own_indexes(env: Mapping[str, str]) -> bool:
    """Whether a uv.toml was written: then its indexes are meant, and pip's are not."""
    home = Path(env.get("HOME") or "/nonexistent")
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    files = [Path("/etc/uv/uv.toml"), config / "uv/uv.toml"]
    return "UV_CONFIG_FILE" in env or any(file.exists() for file in files)


def uv_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which uv finds what pip would find."""
    result = dict(env)
    leave = ABOUT_INDEXES if uv_has_own_indexes(env) else set()
    for option, value in pip_settings(env).items():
        name = UV_NAMES.get(option)
        if name is None or name in leave or name in env or OLDER_UV_NAMES.get(name) in env:
            continue
        if option == "no-index" and value.lower() in FALSE:
            continue
        separator = "," if name == "UV_FIND_LINKS" else " "
        result[name] = separator.join(value.split())
    if "UV_INDEX" in result and "UV_INDEX" not in env:
        # pip takes the best version of all indexes; uv by default stops at the first that has the name.
        result.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")
    return result
