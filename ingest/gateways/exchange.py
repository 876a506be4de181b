"""What one gateway and the others say to each other about one join.

    owned    to all     keys of the side that stays; said once, and meant for as long as the topology lasts
    bitmap   to all     the keys there are now
    rows     to one     a side's rows that come and go there

What one says to all, and what one says to one other, is numbered; a number that is missing is a loss,
which only a new topology mends. Rows for the own gateway are no message.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from engine.model.errors import SourceError
from engine.model.values import Row
from ingest.gateways.bitmap import may_have
from ingest.gateways.mesh import ALL, Mesh, Message
from ingest.gateways.standing import Change, Sided, Standing, signed

OWNED, BITMAP, ROWS = "owned", "bitmap", "rows"


class Lost(SourceError):
    """A message between gateways is missing."""


class Heard(NamedTuple):
    """What a message made known: rows that arrived, and the keys to look at again, None being all."""

    rows: list[Change]
    keys: list[Row] | None


class Exchange:
    """One gateway's end of it, in one topology; ``packet`` is how many rows or keys a message has at most."""

    def __init__(
        self, fragment: tuple[str, int], mesh: Mesh, packet: int, standing: Standing | None = None
    ) -> None:
        self._fragment, self._mesh, self._packet = fragment, mesh, packet
        self.said = standing or Standing()
        self._owners: dict[Row, set[str]] = {}
        self._bitmaps = self.said.bitmaps
        self._said: Counter[str] = Counter()
        self._expected: Counter[tuple[str, bool]] = Counter()
        self._out: defaultdict[str, Counter[Sided]] = defaultdict(Counter)

    def owners(self, key: Row) -> frozenset[str]:
        return frozenset(self._owners.get(key, ()))

    def may_be_there(self, key: Row) -> bool:
        """Tell whether some bitmap has a key."""
        return any(may_have(bits, key) for bits in self._bitmaps.values())

    def own(self, keys: Iterable[Row]) -> None:
        """Say that keys are here, and only those that were not said yet."""
        here = self._mesh.name
        fresh = sorted((key for key in keys if here not in self._owners.get(key, ())), key=repr)
        for key in fresh:
            self._owners.setdefault(key, set()).add(here)
        for start in range(0, len(fresh), self._packet):
            self._say(ALL, OWNED, keys=fresh[start : start + self._packet])

    def show(self, bits: int) -> bool:
        """Say the bitmap of what is here, if it changed; tell whether it did."""
        if bits == self._bitmaps.get(self._mesh.name, 0):
            return False
        self._bitmaps[self._mesh.name] = bits
        self._say(ALL, BITMAP, bits=f"{bits:x}")
        return True

    def ship(self, to: str, side: int, row: Row, count: int) -> None:
        """Note rows for a gateway; what is left of it goes when ``flush`` is called."""
        self._out[to][side, row] += count

    @property
    def is_loaded(self) -> bool:
        """Tell whether rows for other gateways wait."""
        return any(to != self._mesh.name for to in self._out)

    def flush(self) -> list[Change]:
        """Send what was noted, and return what is for this gateway."""
        out, self._out = self._out, defaultdict(Counter)
        own = signed(out.pop(self._mesh.name, Counter()))
        for to, noted in out.items():
            rows = signed(noted)
            for start in range(0, len(rows), self._packet):
                self._say(to, ROWS, rows=rows[start : start + self._packet])
        return own

    def heard(self, message: Message) -> Heard:
        """Take what another says; raise Lost where something before it did not come."""
        sender, is_for_all = message["from"], message["for"] == ALL
        due = self._expected[sender, is_for_all]
        number = message["sequence"]
        if number > due:
            msg = f"{number - due} messages of gateway {sender} did not come; everything is said again"
            raise Lost(msg)
        if number < due:
            return Heard([], [])
        heard = self._read(message)
        self._expected[sender, is_for_all] += 1
        return heard

    def _read(self, message: Message) -> Heard:
        sender = message["from"]
        match message["what"]:
            case "owned":
                keys = [to_row(key) for key in message["keys"]]
                for key in keys:
                    self._owners.setdefault(key, set()).add(sender)
                return Heard([], keys)
            case "bitmap":
                self._bitmaps[sender] = int(message["bits"], 16)
                return Heard([], None)
        rows = [(side, sign, to_row(row)) for side, sign, row in message["rows"]]
        self.said.arrived(sender, rows)
        return Heard(rows, [])

    def _say(self, to: str, what: str, **said: Any) -> None:
        name, version = self._fragment
        head = {"what": what, "fragment": name, "version": version, "sequence": self._said[to]}
        self._said[to] += 1
        self._mesh.say(to, {**head, **said})


def to_row(values: list[Any]) -> Row:
    """Return a row as JSON has it; a list in it is a tuple again."""
    return tuple([to_row(value) if isinstance(value, list) else value for value in values])
