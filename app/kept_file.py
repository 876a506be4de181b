"""Few things that outlive a start, in a file of the state folder that only its owner can read.

keep(things)  →  beside the file, then in its place: a reader finds the old ones or the new ones
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

from engine.model.errors import SourceError

T = TypeVar("T")


class KeptFile(Generic[T]):
    """Things of one dataclass; ``what`` names them, and ``remedy`` says what to do about a broken file."""

    def __init__(self, path: Path, kind: type[T], what: str, remedy: str) -> None:
        self._path, self._kind = path, kind
        self._what, self._remedy = what, remedy

    def read(self) -> list[T]:
        if not self._path.exists():
            return []
        try:
            return [self._kind(**each) for each in json.loads(self._path.read_text("utf-8"))]
        except (ValueError, TypeError) as error:
            message = f"{self._path} is not what SmartCIS keeps of {self._what}: {error}; {self._remedy}"
            raise SourceError(message) from error

    def keep(self, things: Iterable[T]) -> None:
        """Return when the file has these things, on the disk."""
        told: list[Any] = [asdict(thing) for thing in things]  # type: ignore[call-overload]
        beside = self._path.with_suffix(".next")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(told, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._path)
