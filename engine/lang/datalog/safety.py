"""Which variables a conjunction binds; a rule that leaves one open has no end of rows.

bound  =  variables of positive atoms, of records taken apart there, of x = term with a bound term,
          and of x = aggregate, until nothing is added
"""

from collections.abc import Iterable

from engine.lang.datalog import tree as t
from engine.lang.datalog.normal import Aggregated, Rule, Simple, SimpleLiteral
from engine.model.errors import QueryError


def pattern_variables(term: t.Term) -> set[str]:
    """Return the variables that matching a value against a term binds."""
    match term:
        case t.Variable(name):
            return {name}
        case t.Record(args):
            return {name for arg in args for name in pattern_variables(arg)}
        case t.Cast(inner):
            return pattern_variables(inner)
    return set()


def is_open(term: t.Term) -> bool:
    return any(isinstance(part, t.Wildcard) for part in t.terms_in(term))


def needed(term: t.Term) -> set[str]:
    return {variable.name for variable in t.variables_in(term)}


def is_computable(term: t.Term, bound: Iterable[str]) -> bool:
    """Tell whether a term has a value once these are bound."""
    return not is_open(term) and needed(term) <= set(bound)


def inner_variables(literal: Aggregated) -> set[str]:
    """Return all variables of an aggregate, its own and those from around it."""
    names = set() if literal.target is None else needed(literal.target)
    for each in literal.literals:
        names |= all_variables(each)
    return names


def all_variables(literal: SimpleLiteral) -> set[str]:
    if isinstance(literal, Aggregated):
        return inner_variables(literal) | {literal.variable.name}
    return {variable.name for variable in t.variables_of(literal)}


def bound_by(literals: Simple, given: Iterable[str] = ()) -> set[str]:
    """Return the variables that a conjunction binds, besides those given."""
    bound = set(given)
    before = -1
    while before < len(bound):
        before = len(bound)
        for literal in literals:
            bound |= binds(literal, bound)
    return bound


def binds(literal: SimpleLiteral, bound: set[str]) -> set[str]:
    match literal:
        case t.Atom(_, args):
            return {name for arg in args for name in pattern_variables(arg)}
        case t.Comparison("=", left, right):
            from_left = pattern_variables(right) if is_computable(left, bound) else set()
            return from_left | (pattern_variables(left) if is_computable(right, bound) else set())
        case Aggregated(variable):
            return {variable.name}
    return set()


def check(rule: Rule) -> None:
    """Refuse a rule in which something is bound by nothing."""
    bound = bound_by(rule.body)
    for arg in rule.head.args:
        check_term(arg, bound, rule)
    check_body(rule.body, bound, rule)


def check_body(literals: Simple, bound: set[str], rule: Rule) -> None:
    for literal in literals:
        match literal:
            case t.Negation(t.Atom(_, args)):
                for arg in args:
                    check_variables(arg, bound, rule)
            case t.Comparison(_, left, right):
                for side in (left, right):
                    check_variables(side, bound, rule)
                check_wildcards(literal, bound, rule)
            case t.Atom(_, args):
                for arg in args:
                    check_variables(arg, bound, rule)
            case Aggregated():
                check_aggregate(literal, bound, rule)


def check_aggregate(literal: Aggregated, bound: set[str], rule: Rule) -> None:
    """An aggregate's body may use what is bound around it, and nothing around it what only the body binds."""
    inside = bound_by(literal.literals, bound)
    if literal.target is not None:
        check_term(literal.target, inside, rule)
    check_body(literal.literals, inside, rule)


def check_wildcards(literal: t.Comparison, bound: set[str], rule: Rule) -> None:
    """A wildcard may stand in a record that is taken apart, and nowhere else in a comparison."""
    left, right = literal.left, literal.right
    is_apart = literal.operator == "=" and (
        (is_computable(left, bound) and isinstance(right, t.Record))
        or (is_computable(right, bound) and isinstance(left, t.Record))
    )
    for side in () if is_apart else (left, right):
        check_term(side, bound, rule)


def check_term(term: t.Term, bound: set[str], rule: Rule) -> None:
    check_variables(term, bound, rule)
    check_values(term, rule)


def check_values(term: t.Term, rule: Rule) -> None:
    """Refuse a wildcard where a value is needed."""
    for part in t.terms_in(term):
        if isinstance(part, t.Wildcard):
            message = f"_ has no value{rule.where(part.span)}; name it, and bind it in a positive atom"
            raise QueryError(message, part.span)


def check_variables(term: t.Term, bound: set[str], rule: Rule) -> None:
    for part in t.terms_in(term):
        if isinstance(part, t.Functor) and is_open(part):
            check_values(part, rule)
    for variable in t.variables_in(term):
        if variable.name not in bound:
            message = (
                f"{variable.shown} is bound by nothing{rule.where(variable.span)}; "
                f"it must stand in a positive atom, or be computed from what does"
            )
            inside = [
                each
                for each in rule.body
                if isinstance(each, Aggregated) and variable.name in inner_variables(each)
            ]
            if inside:
                message = (
                    f"{variable.shown} is bound only inside of the {inside[0].function}"
                    f"{rule.where(variable.span)}; "
                    f"which row an aggregate found is asked by an atom beside it"
                )
            raise QueryError(message, variable.span)
