"""A large input is taken in parts, so that the clock is looked at between; a recursion looks itself."""

from collections.abc import Iterator
from itertools import islice

from engine.operators.delta import Delta
from engine.operators.operator import Operator, Recursion

PART = 50_000


def in_parts(operator: Operator[int], inputs: list[Delta[int]]) -> Iterator[list[Delta[int]]]:
    """Divide what an operator starts from."""
    if len(inputs) != 1 or len(inputs[0]) <= PART or isinstance(operator, Recursion):
        yield inputs
        return
    rows = iter(inputs[0].items())
    while part := dict(islice(rows, PART)):
        yield [part]
