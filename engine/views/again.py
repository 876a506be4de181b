"""What an operator holds elsewhere may be lost with whoever holds it; it is made anew, and the tick goes on.

lost in the middle of a tick   →   fresh shares take what the inputs held before it, untold; then the tick
"""

from collections.abc import Callable, Iterable, Sequence

from engine.operators.delta import Delta
from engine.operators.operator import Operator
from engine.partitions.lost import Lost, note, tried

Rows = Delta[int]


def stepped(
    what: object,
    operator: Operator[int],
    changes: Sequence[Rows],
    before: Callable[[], Iterable[Sequence[Rows]]],
    found: Rows | Exception | None = None,
) -> Rows:
    """Step the operator of ``what``; what it lost is made of what its inputs held before, in parts.

    ``found`` is what rounds of several together led to, if there were some.
    """
    if isinstance(found, dict):
        return found
    if isinstance(found, Lost):
        note(what, found)
    elif found is not None:
        raise found

    def attempt(is_again: bool) -> Rows:
        if is_again or found is not None:
            operator.start()
            for part in before():
                operator.step(*part)
        return operator.step(*changes)

    return tried(what, attempt)
