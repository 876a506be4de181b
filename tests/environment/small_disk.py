"""A disk that is small enough to be filled: a tmpfs of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.environment.absence import lacking

BLOCK = bytes(64 * 1024)


class SmallDisk:
    """A folder on a disk of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leave no room, to the byte."""
        with self._ballast.open("ab", buffering=0) as file:
            for block in (BLOCK, BLOCK[:4096], BLOCK[:1]):
                try:
                    while True:
                        file.write(block)
                except OSError:
                    continue

    def empty(self) -> None:
        """Give the room back."""
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[SmallDisk]:
    """Mount a disk for the length of a test; skips it where that is not allowed."""
    folder.mkdir(exist_ok=True)
    size = ["-o", f"size={megabytes}m"]
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    mounting = [*as_root, "mount", "-t", "tmpfs", *size, "tmpfs", folder]
    if subprocess.run(mounting, capture_output=True, check=False).returncode:
        lacking("the right to mount a tmpfs", "run the tests as root, in a container for instance")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run([*as_root, "umount", "-l", folder], check=True)
