"""Which machine this is: the same at every start, and no secret of it told.

    id  =  the first 64 bits of  HMAC-SHA256(key: the machine's own id, text: what it is used for)

systemd asks that the machine id itself be handed to nobody, and names this way round it.
A machine without one gets an id of its own in a file, made once.

References:
    machine-id(5): "should be considered confidential, and must not be exposed in untrusted
    environments".
"""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from engine.model.errors import SourceError

MACHINE_IDS = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
PURPOSE = b"smartcis agent"
DIGITS = 16
STATE_FOLDER = "STATE_DIRECTORY"  # systemd's, of a unit with StateDirectory=


def identity(machine_ids: tuple[Path, ...] = MACHINE_IDS) -> str:
    """Return the id by which a machine is known at brokers."""
    for file in machine_ids:
        own = _content(file)
        if own:
            return hmac.new(own.encode(), PURPOSE, hashlib.sha256).hexdigest()[:DIGITS]
    return _made_once(_own_file())


def _own_file() -> Path:
    folder = os.environ.get(STATE_FOLDER)
    return (Path(folder) if folder else Path.home() / ".smartcis-agent") / "id"


def _made_once(file: Path) -> str:
    held = _content(file)
    if held:
        return held
    made = secrets.token_hex(DIGITS // 2)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(made, "utf-8")
    except OSError as error:
        msg = f"this machine has no /etc/machine-id, and {file} cannot be written: {error.strerror}"
        raise SourceError(msg) from error
    return made


def _content(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
