"""What types functions take, and what they then return.

    fit(types of the arguments)  →  the types that they are brought to, and the result's; or nothing

A signature is a list of overloads; that which asks for the fewest conversions is taken, the first of
equals. A parameter is a type or a variable: ANY stands for one type at all its places, NUMBER for one
that is numeric, SHOWN for any that can be cast to a text. An argument without a type is the bare NULL.

    implicit:   bigint → double       bigint → timestamp, where it meets one       NULL → anything
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from engine.model.values import SCALARS, Type

BIGINT, DOUBLE, BOOLEAN, TEXT, TIMESTAMP = Type.BIGINT, Type.DOUBLE, Type.BOOLEAN, Type.TEXT, Type.TIMESTAMP
ANY, NUMBER, SHOWN = Type("?"), Type("?number"), Type("?shown")
LIST = ANY.listed

Given = Sequence[Type | None]


class Fit(NamedTuple):
    """The types that the arguments are to have, and the result's."""

    types: tuple[Type, ...]
    result: Type


class Signature(Protocol):
    """Tells how arguments fit; called with types as they are, what then comes out, or None."""

    def fit(self, given: Given) -> Fit | None: ...
    def __call__(self, types: tuple[Type, ...]) -> Type | None: ...


class Exact(ABC):
    """What a signature says of types that need no conversion."""

    @abstractmethod
    def fit(self, given: Given) -> Fit | None: ...

    def __call__(self, types: tuple[Type, ...]) -> Type | None:
        found = self.fit(types)
        return found.result if found is not None and found.types == types else None


@dataclass(frozen=True)
class Overload:
    """Parameters, of which ``rest`` may come any number of times at the end."""

    parameters: tuple[Type, ...]
    result: Type
    rest: Type | None = None

    def fit(self, given: Given) -> Fit | None:
        """Return the types by this overload."""
        extra = len(given) - len(self.parameters)
        if extra < 0 or (extra and self.rest is None):
            return None
        wanted = self.parameters + (self.rest,) * extra if self.rest is not None else self.parameters
        meant = self._meant(wanted, given)
        if meant is None:
            return None
        types = tuple(_as(parameter, meant) for parameter in wanted)
        fits = all(_becomes(one, type_, p) for one, type_, p in zip(given, types, wanted, strict=True))
        return Fit(types, _as(self.result, meant)) if fits else None

    def _meant(self, wanted: tuple[Type, ...], given: Given) -> Type | None:
        """Return what the variable stands for; a text where nothing tells."""
        met = [_variable(p, one) for p, one in zip(wanted, given, strict=True) if p in (ANY, NUMBER, LIST)]
        known = {one for one in met if one is not None}
        is_number = NUMBER in wanted
        meant = joined(known) if known else DOUBLE if is_number else TEXT
        return None if meant is None or (is_number and not meant.is_numeric) else meant


def _variable(parameter: Type, given: Type | None) -> Type | None:
    return given.element if given is not None and parameter is LIST else given


def _as(parameter: Type, meant: Type) -> Type:
    if parameter in (ANY, NUMBER):
        return meant
    return meant.listed if parameter is LIST else TEXT if parameter is SHOWN else parameter


def _becomes(given: Type | None, target: Type, parameter: Type) -> bool:
    if given is None or given is target:
        return True
    if parameter is SHOWN:
        return given in SCALARS
    return given is BIGINT and (target is DOUBLE or (target is TIMESTAMP and parameter is ANY))


def joined(types: set[Type]) -> Type | None:
    """Return the one type that values of these types become where they meet."""
    if len(types) == 1:
        return next(iter(types))
    for wider in (DOUBLE, TIMESTAMP):
        if types == {BIGINT, wider}:
            return wider
    return None


@dataclass(frozen=True)
class Overloads(Exact):
    """The overload that asks for the fewest conversions."""

    overloads: tuple[Overload, ...]

    def fit(self, given: Given) -> Fit | None:
        found = [fit for overload in self.overloads if (fit := overload.fit(given)) is not None]
        return min(found, key=lambda fit: conversions(given, fit.types), default=None)


def conversions(given: Given, types: tuple[Type, ...]) -> int:
    return sum(a is not None and a is not b for a, b in zip(given, types, strict=True))


class Cases(Exact):
    """``case(condition, value, …, otherwise)``: the values are of one type."""

    def fit(self, given: Given) -> Fit | None:
        if len(given) % 2 == 0:
            return None
        values = [*given[1::2], given[-1]]
        inner = Overload((), ANY, rest=ANY).fit(values)
        if inner is None or any(each not in (BOOLEAN, None) for each in given[:-1:2]):
            return None
        pairs = [kind for value in inner.types[:-1] for kind in (BOOLEAN, value)]
        return Fit((*pairs, inner.types[-1]), inner.result)


def takes(*parameters: Type, result: Type, rest: Type | None = None) -> Overloads:
    """Return the signature of one overload."""
    return Overloads((Overload(parameters, result, rest),))


def either(*signatures: Overloads) -> Overloads:
    """Return the signature with the overloads of several."""
    return Overloads(tuple(overload for each in signatures for overload in each.overloads))
