"""Every aggregate of several values at once, declared once: what it takes, and what comes out.

    max_by(x, y)       min_by(x, y)            the x where y is greatest, least
    consumed(n, at)    a counter's consumption by its readings in the order of time
    steady(p, s, at)   the place that was last stronger than every other by a margin

A plan holds the values as one, ``together(x, y)``, which is NULL where one of them is, and NULLs are left
out. Each is a function of the set of what it is told, in whatever order that came: so it may go back as
well as forth, and is written down as a walk through time (``engine.operators.accumulators``).
"""

from dataclasses import dataclass

from engine.model.values import SCALARS, Type
from engine.plan.expressions import Call, Expr
from engine.plan.signatures import ANY, Overloads, either, takes

RECORD = Type("record")
DOUBLE, TIMESTAMP = Type.DOUBLE, Type.TIMESTAMP


@dataclass(frozen=True, slots=True)
class Fold:
    """``expects`` completes the sentence «f takes …»."""

    name: str
    signature: Overloads
    expects: str


BY = either(*(takes(ANY, kind, result=ANY) for kind in SCALARS))
COUNTED = (DOUBLE, TIMESTAMP)
FOLDS = {
    fold.name: fold
    for fold in (
        Fold("max_by", BY, "a value and what is to be greatest"),
        Fold("min_by", BY, "a value and what is to be least"),
        Fold(
            "consumed",
            either(
                takes(*COUNTED, result=DOUBLE),
                takes(*COUNTED, DOUBLE, result=DOUBLE),
                takes(*COUNTED, TIMESTAMP, TIMESTAMP, result=DOUBLE),
                takes(*COUNTED, TIMESTAMP, TIMESTAMP, DOUBLE, result=DOUBLE),
            ),
            "a counter and its time, then, if wanted, since when and until when, and where it wraps",
        ),
        Fold(
            "steady",
            either(
                takes(ANY, DOUBLE, TIMESTAMP, result=ANY),
                takes(ANY, DOUBLE, TIMESTAMP, DOUBLE, result=ANY),
            ),
            "a place, its strength and its time, then, if wanted, the margin",
        ),
    )
}


def together(parts: tuple[Expr, ...]) -> Expr:
    """Return several values as the one that an aggregate is over."""
    return Call("together", parts, RECORD)
