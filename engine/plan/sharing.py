"""Plans are trees by what they say and graphs by what they share: a node is looked at once, not once a path.

    WITH a AS (…), b AS (… a … a), c AS (… b … b)      3 queries, 7 paths

A node never changes, so it remembers its hash, what it was last found equal to, and what functions of
it alone have told. Two equal plans that were made apart are compared in as many steps as they have nodes.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar, TypeVarTuple

N = TypeVar("N")
R = TypeVar("R")
Ts = TypeVarTuple("Ts")


def node(kind: type[N]) -> type[N]:
    """Let the nodes of a class remember."""
    hash_of, compare = kind.__hash__, kind.__eq__

    def known_hash(self: N) -> int:
        known = vars(self)
        if "_hash" not in known:
            known["_hash"] = hash_of(self)
        return known["_hash"]  # type: ignore[no-any-return]

    def equals(self: N, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or hash(self) != hash(other):
            return False
        if vars(self).get("_equal") is other or vars(other).get("_equal") is self:
            return True
        if not compare(self, other):
            return False
        vars(self)["_equal"] = other
        return True

    def said(self: N) -> dict[str, Any]:
        """What of it is pickled: not what it remembers, whose hashes are of this process."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    kind.__getstate__ = said  # type: ignore[method-assign,assignment]
    kind.__hash__ = known_hash  # type: ignore[method-assign,assignment]
    kind.__eq__ = equals  # type: ignore[method-assign,assignment]
    return kind


def remembered(tell: Callable[[N, *Ts], R]) -> Callable[[N, *Ts], R]:
    """Return a function of a node, and of values, that is asked of each node once."""
    name = f"{tell.__module__}.{tell.__qualname__}"

    @wraps(tell)
    def told(of: N, *values: *Ts) -> R:
        known = vars(of).setdefault(name, {})
        if values not in known:
            known[values] = tell(of, *values)
        return known[values]  # type: ignore[no-any-return]

    return told
