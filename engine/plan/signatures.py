"""What types scalar functions take, and what type they then return; None where the arguments do not fit."""

from collections.abc import Callable

from engine.model.values import Type

Signature = Callable[[tuple[Type, ...]], Type | None]


def same_types(result: Type | None = None) -> Signature:
    """Two arguments of one type."""
    return lambda types: (result or types[0]) if len(types) == 2 and types[0] is types[1] else None


def exactly(*expected: Type, result: Type) -> Signature:
    return lambda types: result if types == expected else None


def numbers(count: int, result: Type | None = None) -> Signature:
    """``count`` numbers of one type, which is the result's unless said."""

    def signature(types: tuple[Type, ...]) -> Type | None:
        fits = len(types) == count and all(t.is_numeric for t in types) and len(set(types)) == 1
        return (result or types[0]) if fits else None

    return signature


def one_of_any(result: Type) -> Signature:
    return lambda types: result if len(types) == 1 else None


def all_same(types: tuple[Type, ...]) -> Type | None:
    return types[0] if types and len(set(types)) == 1 else None


def case_signature(types: tuple[Type, ...]) -> Type | None:
    conditions, values = types[:-1:2], (*types[1::2], types[-1])
    return all_same(values) if all(t is Type.BOOLEAN for t in conditions) else None
