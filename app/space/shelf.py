"""Days of hours as files, so that a start need not read them again; whatever is lost is read anew.

STATE/space/<recording>-<digest of view and columns>-<day>.npz      keys as JSON, one array
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from engine.model.values import Row
from engine.views.history.packing import key_text, read_key
from engine.views.history.pieces import FOREVER

Figures = npt.NDArray[np.float64]
OfDay = Mapping[Row, Figures]
OLDEST = 400  # days that are kept


class HeldDay(NamedTuple):
    """What was read of a day, and up to when that is true."""

    until: int
    of: OfDay


class Place(NamedTuple):
    """A day, since 1970 in UTC, of some columns of a recording."""

    recording: int
    view: str
    columns: tuple[str, ...]
    day: int

    @property
    def of(self) -> str:
        """The beginning of its file's name."""
        digest = hashlib.blake2b(json.dumps([self.view, self.columns]).encode(), digest_size=6)
        return f"{self.recording}-{digest.hexdigest()}"


class Shelf:
    """A folder of days that are over."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, place: Place) -> HeldDay | None:
        try:
            with np.load(self._file(place), allow_pickle=False) as found:
                keys = [read_key(str(text)) for text in found["keys"]]
                return HeldDay(FOREVER, dict(zip(keys, found["figures"].astype(float), strict=True)))
        except (OSError, ValueError, KeyError, BadZipFile):
            return None

    def write(self, place: Place, day: OfDay) -> None:
        """Put a day there; a folder that cannot be written costs time, and nothing else."""
        keys = np.array([key_text(key) for key in day], dtype=np.str_)
        figures = np.stack(list(day.values())) if day else np.zeros((0, 24, len(place.columns), 4))
        file = self._file(place)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            writing = file.with_suffix(f".{id(day)}.tmp")
            with writing.open("wb") as out:
                np.savez_compressed(out, keys=keys, figures=figures.astype(np.float32))
            writing.replace(file)
            self._let_go(place)

    def _let_go(self, place: Place) -> None:
        for file in self._folder.glob(f"{place.of}-*.npz"):
            day = file.stem.rpartition("-")[2]
            if day.isdigit() and int(day) < place.day - OLDEST:
                file.unlink(missing_ok=True)

    def _file(self, place: Place) -> Path:
        return self._folder / f"{place.of}-{place.day}.npz"
