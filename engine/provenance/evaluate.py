"""Provenance evaluated: a value for every token gives one for the row.

    value(p)  =  Σ over the minimal monomials m of p   Π over the tokens t of m   value(t)

Absorption has forgotten the derivations that need more than others, so this holds only where they
do not count: where 1 + a = 1 for the values a of the tokens (it follows for their sums and
products). Tropical costs >= 0, fuzzy, bottleneck, trust and clearance are such; counting and N[X]
are not, and are refused, as a negative cost is.

Where times is idempotent (fuzzy, clearance: the distributive lattices) the value is that of the
semiring. Where it is not (costs, probabilities of one derivation) a base row that a derivation uses
twice is paid for once: the value of the cheapest *set* of base rows. For paths these are the same.

A BDD is summed over its nodes, not over its monomials, of which there may be exponentially many:

    value(x ? high : low)  =  value(low) + value(x) · value(high)

References:
    Green, Karvounarakis, Tannen. Provenance Semirings. PODS 2007.
    Deutch, Milo, Roy, Tannen. Circuits for Datalog Provenance. ICDT 2014 (absorptive semirings).
    Sen, Maniu, Senellart. ProvSQL: A General System for Keeping Track of the Provenance and
    Probability of Data. 2025 (which refuses what an absorptive form cannot answer).
"""

from collections.abc import Callable
from typing import TypeVar

from engine.model.errors import QueryError
from engine.provenance.absorption import Plain
from engine.provenance.algebra import Algebra, Token
from engine.provenance.why import Antichain

A = TypeVar("A")


def evaluate(provenance: Antichain | Plain, algebra: Algebra[A], value_of: Callable[[Token], A]) -> A:
    """Return the value of a Why annotation, or of an absorption annotation's plain form."""

    def checked(token: Token) -> A:
        value = value_of(token)
        if algebra.plus(algebra.one, value) != algebra.one:
            name = type(algebra).__name__.lower()
            message = (
                f"{name} cannot be evaluated from absorption provenance: token {token} is worth {value!r}, "
                f"expected a value that 1 absorbs; the derivations that it would have to see are absorbed"
            )
            raise QueryError(message)
        return value

    if isinstance(provenance, frozenset):
        return of_monomials(provenance, algebra, checked)
    return of_diagram(provenance, algebra, checked)


def of_monomials(antichain: Antichain, algebra: Algebra[A], value_of: Callable[[Token], A]) -> A:
    total = algebra.zero
    for monomial in antichain:
        product = algebra.one
        for token in monomial:
            product = algebra.times(product, value_of(token))
        total = algebra.plus(total, product)
    return total


def of_diagram(plain: Plain, algebra: Algebra[A], value_of: Callable[[Token], A]) -> A:
    root, entries = plain
    values = [algebra.zero, algebra.one]
    for token, low, high in entries:
        values.append(algebra.plus(values[low], algebra.times(value_of(token), values[high])))
    return values[root]
