"""The stream site: Spark's pass over the tick's readings, then the operators.

The pass runs whatever functions have a Spark rendering; the operators run everything.
"""

from engine.plan.expressions import Expr
from engine.plan.render import can_render


def can_run(predicate: Expr) -> bool:
    """Tell whether Spark's pass can run a predicate."""
    return can_render(predicate, "spark")
