"""What it takes to make the shares of a leaf anew: their states at some moment, and what came since.

    shares now  =  pieces  ⊕  what came since          in a file without a name, which ends with us

How what came was cut into ticks cannot be seen of a leaf, so it comes back in as few rounds as it fits in.
When more came than the shares hold, they are packed anew, so the file is in proportion to them.
"""

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from engine.model.reading import Reading

AT_ONCE = 20_000
LEAST = 10_000


class Journal:
    """One leaf's; ``came`` counts what came since the states were packed, ``now`` is the last time told.

    ``problem`` says why it lacks something; what begins anew lacks nothing.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="smartcis-leaf-")  # noqa: SIM115, open as long as we are
        self.came = self.now = 0
        self.problem = ""

    def begin(self, pieces: Iterator[bytes] | Sequence[bytes]) -> None:
        """Go on from these states; what came before is in them."""
        fresh = tempfile.TemporaryFile(prefix="smartcis-leaf-")  # noqa: SIM115
        for piece in pieces:
            pickle.dump(piece, fresh)
        self._file.close()
        self._file, self.came, self.problem = fresh, 0, ""

    def add(self, readings: Sequence[Reading], now: int) -> None:
        """Keep what came in a tick."""
        self.now = now
        if readings and not self.problem:
            self.came += len(readings)
            try:
                self._file.seek(0, 2)
                pickle.dump(list(map(tuple, readings)), self._file)
                self._file.flush()
            except OSError as error:
                self.problem = f"nothing can be written to {tempfile.gettempdir()} ({error.strerror})"

    def is_long(self, held: int) -> bool:
        """Tell whether more came than so many rows that are held, or something is lacking."""
        return bool(self.problem) or self.came > max(held, LEAST)

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
        self._file.close()

    def _read(self) -> Iterator[Any]:
        self._file.flush()
        place, end = 0, self._file.seek(0, 2)
        while place < end:
            self._file.seek(place)
            yield pickle.load(self._file)  # noqa: S301  # our own
            place = self._file.tell()
