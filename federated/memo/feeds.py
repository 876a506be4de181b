"""Who reads which share: the connections along which `Push` pushes.

share  →  (costs of an or node, place of the and node in them, its other share)
"""

from federated.memo.costs import Operator
from federated.memo.reads import Reads
from federated.memo.space import Space

Readers = list[tuple[list[float], int, int]]
Fed = list[tuple[int, float, Readers]]


class Feeds:
    """By or node: the costs of its and nodes, its shares with their weights and readers."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._reads = Reads(space)
        self.read = self._reads.read
        self.costs: list[list[float]] = [[0.0] * len(node.ways) for node in space.ors]
        self.values: list[float] = []
        self._readers: list[Readers] = []
        self.joined: list[Fed] = [[] for _ in space.ors]
        self.sorted: list[Fed] = [[] for _ in space.ors]
        self.scanned: dict[int, dict[int, None]] = {}
        self.parents = [0] * len(space.ors)
        self.fed = [0] * len(space.ors)
        self._add_shares()
        for step in space.ands:
            self._connect(step.id)

    def operator(self, share: int) -> Operator:
        return self._reads.shares[share].operator

    def node(self, share: int) -> int:
        return self._reads.shares[share].of

    def weight(self, share: int) -> float:
        """Return what a share costs by row: reading it, and putting it out unless that is a sort's input."""
        of, operator, weight = self._reads.shares[share]
        return weight if operator.scans or operator is Operator.SORT else weight + self._space.output[of]

    def scale(self, step: int, factor: float) -> bool:
        """Multiply a step's work; tell whether it reads other shares from now on."""
        before = self.read[step]
        after = self._reads.scale(step, factor)
        if after == before:
            for share in after:
                self._weigh(share)
            return False
        self._add_shares()
        self._disconnect(step, before)
        self._connect(step)
        return True

    def _add_shares(self) -> None:
        for share in range(len(self.values), len(self._reads.shares)):
            self.values.append(0.0)
            self._readers.append([])
            if share and not self.operator(share).scans:
                self._kin(share).append((share, self.weight(share), self._readers[share]))

    def _kin(self, share: int) -> Fed:
        kin = self.sorted if self.operator(share) is Operator.SORT else self.joined
        return kin[self.node(share)]

    def _weigh(self, share: int) -> None:
        if share and not self.operator(share).scans:
            kin = self._kin(share)
            kin[:] = [(s, self.weight(s), readers) for s, _, readers in kin]

    def _connect(self, step: int) -> None:
        node = self._space.ands[step].of
        at = step - self._space.ors[node].ways.start
        left, right = self.read[step]
        for share, sibling in ((left, right), (right, left)):
            of = self.node(share)
            if share and self.operator(share).scans:
                self.scanned.setdefault(self._space.ors[of].mask, {})[step] = None
            elif share:
                self._readers[share].append((self.costs[node], at, sibling))
                self.parents[of] |= 1 << node
                self.fed[of] += 1

    def _disconnect(self, step: int, shares: tuple[int, int]) -> None:
        node = self._space.ands[step].of
        row, at = self.costs[node], step - self._space.ors[node].ways.start
        for share in shares:
            if share and not self.operator(share).scans:
                readers = self._readers[share]
                readers[:] = [r for r in readers if r[0] is not row or r[1] != at]
                self.fed[self.node(share)] -= 1
