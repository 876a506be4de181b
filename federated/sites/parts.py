"""Aggregates of parts: what of a total can be computed where the rows are.

    count(R)  =  sum of count(Rᵢ)        min(R)  =  min of min(Rᵢ)        the same for max, bool_and, bool_or

where R is the sum of the Rᵢ. A sum is not among them: it is exact over the reals and rounded once at the
end, and the parts would be rounded, or leave the 64 bits, each by itself. With it stays the average.
"""

from engine.plan.logical import AggregateCall

AGAIN = {"count": "sum", "min": "min", "max": "max", "bool_and": "bool_and", "bool_or": "bool_or"}
"""By what the totals of the parts make the whole's."""


def can_add_up(call: AggregateCall) -> bool:
    """Tell whether the total of a whole is made of those of its parts."""
    return call.function in AGAIN and not call.distinct
