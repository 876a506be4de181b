"""What the rules of a program say, part by part, each with its place in the text.

clause  =  heads :- body          body  =  alternatives of conjunctions of literals
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.model.errors import Span
from engine.model.values import Value

NOWHERE = Span(1, 0, 0)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; what follows a # keeps the variables of an aggregate apart from others of its name."""

    name: str
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def shown(self) -> str:
        return self.name.partition("#")[0]


@dataclass(frozen=True, slots=True)
class Wildcard:
    """``_``: any value."""

    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; a plain number may turn out to be of any numeric kind, its own is then empty."""

    value: Value
    kind: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Functor:
    """A function of terms; one that a program declares begins with @."""

    name: str
    args: "tuple[Term, ...]"
    span: Span = field(default=NOWHERE, compare=False)
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """``[x, y]``; ``nil`` has no parts, a branch ``$B(x)`` has a name. ``kinds`` are its parts'."""

    args: "tuple[Term, ...]"
    branch: str = ""
    span: Span = field(default=NOWHERE, compare=False)
    kind: str = ""
    is_nil: bool = False
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cast:
    """``as(term, type)``."""

    term: "Term"
    target: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``sum target : { body }``."""

    function: str
    target: "Term | None"
    body: "Body"
    span: Span = field(default=NOWHERE, compare=False)


Term = Variable | Wildcard | Constant | Functor | Record | Cast | Aggregate


@dataclass(frozen=True, slots=True)
class Atom:
    """``relation(args)``."""

    relation: str
    args: tuple[Term, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """``!literal``; in a rule made simple, of an atom."""

    inner: "Literal"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``; the operator may be match or contains, or one of these after « not »."""

    operator: str
    left: Term
    right: Term
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Truth:
    """``true`` or ``false``."""

    holds: bool


@dataclass(frozen=True, slots=True)
class Body:
    """Alternatives, of which one must hold; in each all literals must."""

    alternatives: "tuple[tuple[Literal, ...], ...]"


Literal = Atom | Negation | Comparison | Truth | Body


@dataclass(frozen=True, slots=True)
class Clause:
    """Heads that hold where the body does; a fact has a body of nothing."""

    heads: tuple[Atom, ...]
    body: Body
    span: Span


@dataclass(frozen=True, slots=True)
class Query:
    """``?- body``: all values of its variables for which it holds."""

    body: Body
    span: Span


def parts_of(term: Term) -> tuple[Term, ...]:
    """Return the terms that a term is made of; an aggregate is a term by itself."""
    match term:
        case Functor(_, args) | Record(args):
            return args
        case Cast(inner):
            return (inner,)
    return ()


def terms_in(term: Term) -> Iterator[Term]:
    """Yield a term and all that it is made of, outside of aggregates."""
    yield term
    for part in parts_of(term):
        yield from terms_in(part)


def terms_of(literal: Literal) -> tuple[Term, ...]:
    """Return the terms that a literal speaks of."""
    match literal:
        case Atom(_, args):
            return args
        case Negation(inner):
            return terms_of(inner)
        case Comparison(_, left, right):
            return (left, right)
    return ()


def variables_of(literal: Literal) -> Iterator[Variable]:
    """Yield the variables of a literal, outside of aggregates."""
    for term in terms_of(literal):
        yield from variables_in(term)


def variables_in(term: Term) -> Iterator[Variable]:
    for part in terms_in(term):
        if isinstance(part, Variable):
            yield part
