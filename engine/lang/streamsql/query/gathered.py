"""The rows that a clause speaks of, gathered while it is bound: a join that grows to the right.

(inputs, predicates)  →  Join(inputs, predicates)        a column stays where it is once it is there

Inner joins and semi joins stay in one n-ary join, whose order the optimizer chooses. What needs the
rows so far as a whole settles them into one input first.
"""

from engine.plan.expressions import Expr, conjunction, conjuncts
from engine.plan.logical import Join, Plan, Select


class Gathered:
    """What is joined so far, and what was asked of it."""

    def __init__(self, inputs: tuple[Plan, ...], predicates: tuple[Expr, ...] = ()) -> None:
        self._inputs = inputs
        self._predicates = predicates
        self._base: Plan | None = None

    @property
    def width(self) -> int:
        return sum(len(plan.columns) for plan in self._inputs)

    @property
    def joined(self) -> Join:
        """All of it as one join."""
        return Join(self._inputs, self._predicates)

    @property
    def plan(self) -> Plan:
        """All of it; one input without a join around it."""
        if len(self._inputs) > 1:
            return self.joined
        (only,) = self._inputs
        return Select(only, conjunction(self._predicates)) if self._predicates else only

    def keep(self, predicate: Expr) -> None:
        """Keep the rows that satisfy a predicate."""
        self._predicates += conjuncts(predicate)

    def meet(self, plan: Plan, predicates: tuple[Expr, ...] = ()) -> int:
        """Join with another input; return where its columns begin."""
        start = self.width
        self._inputs += (plan,)
        self._predicates += predicates
        return start

    def become(self, plan: Plan) -> None:
        """Go on from a plan that has the same columns first."""
        self._inputs, self._predicates = (plan,), ()
        self._base = None

    def grow(self, plan: Plan) -> None:
        """Go on from a plan that has every row, in the same columns first."""
        self._inputs, self._predicates = (plan,), ()

    def settled(self, read: int) -> Plan:
        """Return the rows so far, or as they were, if they had the first ``read`` columns then.

        They become the first input, so that what is computed of them and they themselves are equal plans.
        """
        if self._base is None or len(self._base.columns) < read:
            self.become(self.plan)
            self._base = self._inputs[0]
        return self._base
