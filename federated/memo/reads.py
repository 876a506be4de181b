"""Which shares each and node adds up, where some steps' work has a factor of its own.

A step that costs f times what its operator costs reads shares that only it reads, with f times the weight;
so no node needs to ask whether a factor applies.
"""

from federated.memo.space import Share, Space


class Reads:
    """The two shares of each and node, and what each share is."""

    def __init__(self, space: Space) -> None:
        self.shares: list[Share] = list(space.shares)
        self.read: list[tuple[int, int]] = list(space.read)
        self._common = space.read
        self.factors: dict[int, float] = {}

    def scale(self, step: int, factor: float) -> tuple[int, int]:
        """Multiply a step's work; return its shares, its own ones."""
        if step not in self.factors:
            left, right = (self._copied(share) for share in self.read[step])
            self.read[step] = left, right
        self.factors[step] = self.factors.get(step, 1.0) * factor
        for own, common in zip(self.read[step], self._common[step], strict=True):
            if own:
                weight = self.shares[common].weight * self.factors[step]
                self.shares[own] = self.shares[own]._replace(weight=weight)
        return self.read[step]

    def _copied(self, share: int) -> int:
        if not share:
            return 0
        self.shares.append(self.shares[share])
        return len(self.shares) - 1
