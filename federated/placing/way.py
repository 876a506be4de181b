"""What is chosen where a plan could be placed in several ways.

placement  =  one join in the network or none  ×  each database: its tables joined or one by one
              ×  totals begun beside the rows or made of them here
"""

from dataclasses import dataclass
from types import UnionType
from typing import NamedTuple

from engine.plan.leaves import NATURAL
from engine.plan.logical import Aggregate, Distinct, Join, Plan, Scan, inputs_of
from engine.plan.rewriting import bottom_up


class Met(NamedTuple):
    """Two relations of the sensor site that are joined in its network, and how."""

    left: Plan
    right: Plan
    method: str = NATURAL

    def __str__(self) -> str:
        """Name the side whose rows go first."""
        return ", ".join(node.relation.name for node in bottom_up(self.left) if isinstance(node, Scan))


@dataclass(frozen=True)
class Way:
    """``apart`` names the databases whose tables come one by one; ``totals`` are begun beside the rows."""

    met: Met | None = None
    apart: frozenset[str] = frozenset()
    totals: bool = True

    def __str__(self) -> str:
        met = "" if self.met is None else f"{self.met.method} join in the network, {self.met} first"
        apart = ", ".join(f"tables of {site} one by one" for site in sorted(self.apart))
        totals = "" if self.totals else "totals made here"
        return "; ".join(filter(None, (met, apart, totals))) or "each site by itself"

    def lets_go(self, plan: Plan, site: str) -> bool:
        """Tell whether a plan that a site can run whole is left to it."""
        is_let = self.totals or not holds(plan, Aggregate | Distinct)
        return is_let and not (site in self.apart and holds(plan, Join))


def holds(plan: Plan, kind: UnionType | type) -> bool:
    """Tell whether a node of a kind is in a plan."""
    return isinstance(plan, kind) or any(holds(each, kind) for each in inputs_of(plan))


AS_IT_COMES = Way()
