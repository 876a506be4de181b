"""Who somebody is stays with whoever sent it: a keyed hash stands for an identity, always the same one.

    pseudonym(key, "ann")  =  p-  ‖  the first 64 bits of BLAKE2b(key, "ann"), in hexadecimal digits

Without the key, a file of the state folder that only its owner may read, nobody can try names one by one.

References:
    Saarinen, Aumasson. RFC 7693: The BLAKE2 Cryptographic Hash and Message Authentication Code. 2015,
        section 2.9.
"""

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from engine.model.errors import SourceError

FILE = "pseudonyms.key"
KEY_BYTES = 32


def key_of(state: Path) -> bytes:
    """Return the installation's key; the first who asks makes it."""
    path = state / FILE
    if not path.exists():
        _make(path)
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        remedy = "take it from a backup, as another makes other pseudonyms"
        msg = f"{path} has {len(key)} bytes, expected {KEY_BYTES}; {remedy}"
        raise SourceError(msg)
    return key


def _make(path: Path) -> None:
    """Write a key, whole or not at all, and never over another's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(secrets.token_bytes(KEY_BYTES))
    with suppress(FileExistsError):
        os.link(made, path)
    made.unlink()


def pseudonym(key: bytes, identity: str) -> str:
    """Return what stands for an identity."""
    return "p-" + hashlib.blake2b(identity.encode(), digest_size=8, key=key).hexdigest()
