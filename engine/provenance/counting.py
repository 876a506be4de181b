"""Counting: (Z, 0, 1, +, ·). The annotation of a row is how often it is there; a deletion is -1."""

import operator


class Counting:
    """The ring of the integers."""

    zero = 0
    one = 1
    plus = staticmethod(operator.add)
    times = staticmethod(operator.mul)
    is_zero = staticmethod(operator.not_)
    negate = staticmethod(operator.neg)
    multiplicity = staticmethod(int)

    def size(self, annotation: int, /) -> int:
        return 8


COUNTING = Counting()
