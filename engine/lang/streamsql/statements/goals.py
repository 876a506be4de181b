"""What OPTIMIZE FOR says: weights of metrics, and what a query may cost the sites."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from sqlglot import exp

from engine.lang.streamsql.grammar.nodes import GoalNode
from engine.lang.streamsql.spans import span_of, where
from engine.model.durations import read_duration
from engine.model.errors import QueryError
from engine.plan.goal import FASTEST, Goal

LEAST, MOST = 1e-9, 1e9
"""Weights that are further apart than that leave nothing of the lesser one in their sum."""


def goal_of(nodes: Sequence[GoalNode]) -> Goal:
    """Return the goal that a query says, once."""
    if not nodes:
        return FASTEST
    if len(nodes) > 1:
        message = (
            f"a second goal was found{where(nodes[1], 'optimize for')}; one goal may have several weights"
        )
        raise QueryError(message, span_of(nodes[1]))
    (node,) = nodes
    weights = [(metric.lower(), _weight(metric, said)) for metric, said in node.args["weights"]]
    _check_once([metric for metric, _ in weights], node)
    constraints = dict(node.args["constraints"])
    _check_once([name for name, _ in node.args["constraints"]], node)
    return Goal(tuple(weights), _lifetime(constraints.get("LIFETIME")), _bytes(constraints.get("BYTES")))


def _check_once(names: Sequence[str], node: exp.Expr) -> None:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        message = f"{twice.lower()} is named twice{where(node, 'optimize for')}; once is enough"
        raise QueryError(message, span_of(node))


def _weight(metric: str, said: Any) -> float:
    weight = 1.0 if said is None else float(said.name)
    if not LEAST <= weight <= MOST:
        place = where(said, "optimize for")
        expected = f"expected a number from {LEAST:g} to {MOST:,.0f}"
        message = f"{metric.lower()} {said.name} is no weight{place}; {expected}"
        raise QueryError(message, span_of(said))
    return weight


def _lifetime(said: Any) -> int | None:
    found = None if said is None else read_duration(said.name)
    if said is not None and not found:
        message = f"{said.name} is no lifetime{where(said, 'optimize for')}; expected such as 365 DAYS"
        raise QueryError(message, span_of(said))
    return found


def _bytes(said: Any) -> float | None:
    found = None if said is None else float(said.name)
    if found is not None and not (found > 0 and isfinite(found)):
        place = where(said, "optimize for")
        message = f"{said.name} bytes a second is no bound{place}; expected a finite number above 0"
        raise QueryError(message, span_of(said))
    return found
