"""Plans as plain JSON, for the sites that run a part of one.

    HashJoin(left, right, keys, keys)   ⇄   {"is": "HashJoin", "left": …, "right": …, …}

A sequence is a tuple again when it is read. Nothing but the kinds named here is read, so what a
gateway is sent can only be a plan; recursion, outer joins and orders stay where the operators are.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from engine.model.errors import SourceError
from engine.model.relation import RelationKind
from engine.model.values import Type


def to_wire(part: Any) -> Any:
    """Return a plan, or any part of it, as JSON has it."""
    if is_dataclass(part):
        left_out = {"name"} if type(part).__name__ == "Field" else set()  # what a query called it
        named = {
            each.name: to_wire(getattr(part, each.name)) for each in fields(part) if each.name not in left_out
        }
        return {"is": type(part).__name__, **named}
    if isinstance(part, tuple):
        return [to_wire(each) for each in part]
    if isinstance(part, Enum):
        return part.value
    return str(part) if isinstance(part, Type) else part


def from_wire(part: Any, kinds: Mapping[str, type[Any]]) -> Any:
    """Return what was written, made of these kinds alone."""
    if isinstance(part, list):
        return tuple(from_wire(each, kinds) for each in part)
    if not isinstance(part, dict):
        return part
    named = {name: from_wire(value, kinds) for name, value in part.items() if name != "is"}
    kind = kinds.get(part.get("is", ""))
    try:
        if kind is None:
            raise KeyError(part.get("is"))
        return kind(**_typed(named))
    except (TypeError, ValueError, KeyError) as error:
        message = f"a part of a plan is {part.get('is')!r}, which is not known here: {error}"
        raise SourceError(message) from error


def _typed(named: dict[str, Any]) -> dict[str, Any]:
    made = {"type": Type, "kind": RelationKind}
    return {name: made[name](value) if name in made else value for name, value in named.items()}
