"""Windows that rules say themselves, by the predicates of the deductive framework.

    r(a, t, now) :- s(a, t), s(_, now), now - 10000000 < t, t <= now.     →     s [RANGE 10 SECONDS]

Every rule that reads the stream must say so: an atom of nothing but the time bounds the others, and what is
older than the longest of their lengths meets nothing more. The time is the stream's event time, a number of
microseconds. A stream that has a window, or is given one by .input, needs none of this.

References:
    Gupta, Zhu, Xu. Deductive Framework for Programming Sensor Networks. ICDE 2009; printed there with
    t < now, which would leave a row out at its own instant: either is read.
"""

from collections import Counter
from collections.abc import Iterable

from engine.lang.datalog import tree as t
from engine.lang.datalog.normal import Rule
from engine.lang.datalog.strata import edges_of

Linear = Counter[str]
ONE = ""


def maybe_length(rules: Iterable[Rule], relation: str, position: int) -> int | None:
    """Return the length of the window that all rules together say of a relation, by its time's column."""
    lengths = [length_in(rule, relation, position) for rule in rules if is_read(rule, relation)]
    known = [length for length in lengths if length is not None]
    return max(known) if known and len(known) == len(lengths) else None


def is_read(rule: Rule, relation: str) -> bool:
    return any(edge.body == relation for edge in edges_of(rule))


def length_in(rule: Rule, relation: str, position: int) -> int | None:
    """Return the longest window that a rule says; None where an atom of the relation has none."""
    atoms = [each for each in rule.body if isinstance(each, t.Atom) and each.relation == relation]
    if any(edge.body == relation and edge.through for edge in edges_of(rule)):
        return None
    bounds = [atom for atom in atoms if is_bound(atom, position)]
    names = [name_at(atom, position) for atom in bounds]
    lengths = [
        max((length_of(rule, name_at(atom, position), now) for now in names), default=0)
        for atom in atoms
        if atom not in bounds
    ]
    return max(lengths) if lengths and all(lengths) else None


def is_bound(atom: t.Atom, position: int) -> bool:
    """Tell whether an atom speaks of nothing but the time."""
    others = [arg for i, arg in enumerate(atom.args) if i != position]
    return bool(name_at(atom, position)) and all(isinstance(arg, t.Wildcard) for arg in others)


def name_at(atom: t.Atom, position: int) -> str:
    arg = atom.args[position]
    return arg.name if isinstance(arg, t.Variable) else ""


def length_of(rule: Rule, at: str, now: str) -> int:
    """Return w where the rule says now - w < at and at <= now; else 0."""
    below = [part for each in rule.body if isinstance(each, t.Comparison) for part in below_zero(each)]
    is_past = Linear({at: 1, now: -1}) in below or Linear({at: 1, now: -1, ONE: -1}) in below
    lengths = [-part[ONE] for part in below if part == Linear({now: 1, at: -1, ONE: part[ONE]})]
    return min((length for length in lengths if length > 0), default=0) if at and is_past else 0


def below_zero(found: t.Comparison) -> list[Linear]:
    """Return a comparison of whole numbers as a sum that is below zero."""
    left, right = linear(found.left), linear(found.right)
    if left is None or right is None or found.operator not in ("<", "<=", ">", ">="):
        return []
    if found.operator.startswith(">"):
        left, right = right, left
    left.subtract(right)
    left[ONE] -= found.operator.endswith("=")
    return [Linear({name: count for name, count in left.items() if count})]


def linear(term: t.Term) -> Linear | None:
    """Return a sum of variables and a number as how often each is in it."""
    match term:
        case t.Variable(name):
            return Counter({name: 1})
        case t.Constant(int(number)):
            return Counter({ONE: number})
        case t.Functor("+" | "-", (left, right)):
            one, other = linear(left), linear(right)
            if one is None or other is None:
                return None
            if term.name == "-":
                one.subtract(other)
            else:
                one.update(other)
            return one
    return None
