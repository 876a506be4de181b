"""What is known of the leaves: how many rows each holds, as last observed, else guessed."""

from engine.plan.leaves import Leaf, Shipped, Table
from engine.plan.windows import Range, Rows

GUESS_TABLE = 200
GUESS_PARTITIONS = 100
GUESS_PER_SECOND = 10.0
GUESS_UNBOUNDED = 10_000
PREDICATE_KEEPS = 0.3


class Statistics:
    """Rows by leaf."""

    def __init__(self) -> None:
        self._rows: dict[Leaf, int] = {}

    def observe(self, leaf: Leaf, rows: int) -> None:
        self._rows[leaf] = rows

    def rows(self, leaf: Leaf) -> float:
        """Return what a leaf holds; an empty one may fill, so it counts as one row."""
        observed = self._rows.get(leaf)
        return max(1.0, float(observed)) if observed else self._guess(leaf)

    def _guess(self, leaf: Leaf) -> float:
        kept = 1.0 if leaf.fragment.predicate is None else PREDICATE_KEEPS
        if isinstance(leaf, Table):
            return GUESS_TABLE * kept
        if isinstance(leaf, Shipped):
            return GUESS_TABLE
        match leaf.window:
            case Range(microseconds):
                return max(1.0, GUESS_PER_SECOND * microseconds / 1_000_000 * kept)
            case Rows(count, partition):
                return count * (GUESS_PARTITIONS if partition else 1) * kept
        return GUESS_UNBOUNDED * kept
