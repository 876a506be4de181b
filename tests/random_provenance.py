"""Random provenance, the same in every algebra for the same seed, and algebras of one line each."""

import operator
from random import Random
from typing import Any

from engine.provenance.tropical import Evaluated

TOKENS = range(1, 7)

FUZZY = Evaluated(0.0, 1.0, max, min)
TRUST = Evaluated(0.0, 1.0, max, operator.mul)
CLEARANCE = Evaluated(4, 0, min, max)  # 0 is public, 4 is nobody


def sum_of_products(algebra: Any, random: Random) -> Any:
    total = algebra.zero
    for _ in range(random.randrange(4)):
        product = algebra.one
        for token in random.choices(TOKENS, k=random.randrange(4)):
            product = algebra.times(product, algebra.token(token))
        total = algebra.plus(total, product)
    return total
