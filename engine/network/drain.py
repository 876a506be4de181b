"""When nothing under way can hold a dead token any more.

    drained(t)  ⇔  every site s was told of t, and each channel from s has delivered what it
                   carried before s was told

References:
    Chandy, Lamport. Distributed Snapshots: Determining Global States of Distributed Systems.
    ACM Transactions on Computer Systems 1985 (a cut through channels that keep their order).
"""

from collections.abc import Collection

from engine.network.channels import Address, Channels
from engine.provenance.algebra import Token


class Drain:
    """Follows dead tokens through the channels."""

    def __init__(self, channels: Channels, sites: int) -> None:
        self._channels = channels
        self._sites = sites
        self._told: dict[Token, dict[Address, list[int]]] = {}

    def told(self, site: Address, dead: Collection[Token]) -> None:
        """Note how much each channel of a site carried when it was told."""
        carried = [self._channels.sent[site, receiver] for receiver in range(self._sites)]
        for token in dead:
            self._told.setdefault(token, {})[site] = carried

    def take_drained(self) -> list[Token]:
        """Return the drained tokens, and follow them no longer."""
        drained = [token for token, cuts in self._told.items() if self._is_drained(cuts)]
        for token in drained:
            del self._told[token]
        return drained

    def _is_drained(self, cuts: dict[Address, list[int]]) -> bool:
        delivered = self._channels.delivered
        return len(cuts) == self._sites and all(
            delivered[site, receiver] >= count
            for site, carried in cuts.items()
            for receiver, count in enumerate(carried)
        )
