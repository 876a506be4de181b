"""What it takes to make the shares of a leaf anew: their states at some moment, and what came since.

    shares now  =  pieces  ⊕  what came since          in a file without a name, which ends with us

How what came was cut into ticks cannot be seen of a leaf, so it comes back in as few rounds as it fits in.
When more came than the shares hold, they are packed anew, so the file is in proportion to them.
"""

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from engine.model.clock import SECOND
from engine.model.errors import SourceError
from engine.model.reading import Reading

AT_ONCE = 20_000
LEAST = 10_000
AGAIN = 10 * SECOND


class Journal:
    """One leaf's; ``came`` counts what came since the states were packed, ``now`` is the last time told.

    ``problem`` says why it lacks something; what begins anew lacks nothing.
    """

    def __init__(self) -> None:
        self._file = fresh()
        self.came = self.now = self._again = 0
        self.problem = ""

    def begin(self, pieces: Iterable[bytes]) -> None:
        """Go on from these states, which have all that came; where they cannot be written it is as it was."""
        file = fresh()
        try:
            with told():
                for piece in pieces:
                    pickle.dump(piece, file)
                file.flush()
        except BaseException:
            end(file)
            self._again = self.now + AGAIN
            raise
        self.end()
        self._file, self.came, self.problem = file, 0, ""

    def add(self, readings: Sequence[Reading], now: int) -> None:
        """Keep what came in a tick."""
        self.now = now
        if readings and not self.problem:
            self.came += len(readings)
            try:
                with told():
                    self._file.seek(0, 2)
                    pickle.dump(list(map(tuple, readings)), self._file)
                    self._file.flush()
            except SourceError as error:
                self.problem, self._again = error.message, now

    def is_long(self, held: int) -> bool:
        """Tell whether more came than so many rows that are held, or what it lacks is to be tried again."""
        return self.now >= self._again and (bool(self.problem) or self.came > max(held, LEAST))

    def pieces(self) -> Iterator[bytes]:
        """Yield the states, each to be taken in before the next."""
        return (each for each in self._read() if isinstance(each, bytes))

    def turns(self) -> Iterator[list[Reading]]:
        """Yield what came since, so much at a time."""
        held: list[Reading] = []
        for each in self._read():
            if isinstance(each, list):
                held += [Reading(*reading) for reading in each]
                if len(held) >= AT_ONCE:
                    yield held
                    held = []
        if held:
            yield held

    def end(self) -> None:
        end(self._file)

    def _read(self) -> Iterator[Any]:
        place, end = 0, self._file.seek(0, 2)
        while place < end:
            self._file.seek(place)
            yield pickle.load(self._file)  # noqa: S301  # our own
            place = self._file.tell()


def fresh() -> IO[bytes]:
    """Return a file without a name."""
    with told():
        return tempfile.TemporaryFile(prefix="smartcis-leaf-")


def end(file: IO[bytes]) -> None:
    """Close a file, whatever of it could not be written."""
    with suppress(OSError):
        file.close()


@contextmanager
def told() -> Iterator[None]:
    """Say of what cannot be written where that is."""
    try:
        yield
    except OSError as error:
        where = tempfile.tempdir or "the folder of temporary files (TMPDIR)"
        message = f"nothing can be written to {where} ({error.strerror})"
        raise SourceError(message) from error
