"""A program checked: its rules, simple and typed, its relations, and what it reads and puts out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from engine.lang.datalog import tree as t
from engine.lang.datalog.calls import declared_functors
from engine.lang.datalog.functors import Functor
from engine.lang.datalog.inference import Inference
from engine.lang.datalog.normal import Aggregated, Rule, SimpleLiteral, rules_of
from engine.lang.datalog.parts import Declaration, Directive, Program
from engine.lang.datalog.safety import bound_by, check
from engine.lang.datalog.signatures import Signatures
from engine.lang.datalog.syntax import parse
from engine.lang.datalog.types import Fields, Types
from engine.model.errors import QueryError, nearest

QUERY = "answer"


@dataclass(frozen=True)
class TypedRule:
    """A rule with the kind in every term, and the kinds of its variables."""

    rule: Rule
    kinds: Mapping[str, str]


@dataclass(frozen=True)
class Checked:
    """A program that can be bound; ``queries`` are the relations that its ?- stand for."""

    types: Types
    relations: Mapping[str, Fields]
    rules: tuple[TypedRule, ...]
    inputs: Mapping[str, Directive]
    outputs: tuple[str, ...]
    printsizes: tuple[str, ...]
    queries: tuple[str, ...]
    functors: Mapping[str, Functor]
    directives: tuple[Directive, ...]
    notes: tuple[str, ...]


def checked(text: str, functors: Mapping[str, Callable[..., object]] | None = None) -> Checked:
    """Return what a text says, or the first error in it."""
    program = parse(text)
    types = Types(program.types)
    relations = relations_of(program, types)
    calls = declared_functors(program.functors, types, functors or {})
    signatures = Signatures(types, relations, calls)
    clauses = [
        *program.clauses,
        *(each for d in program.declarations if "eqrel" in d.qualifiers for each in equivalence(d)),
    ]
    rules = [typed(rule, signatures) for clause in clauses for rule in rules_of(clause)]
    for number, query in enumerate(program.queries, 1):
        rules += asked(query, f"{QUERY}_{number}", signatures, relations)
    queries = tuple(f"{QUERY}_{number}" for number in range(1, len(program.queries) + 1))
    of = partial(named, program, relations)
    inputs = {each.relation: each for each in of("input")}
    outputs = tuple(dict.fromkeys(each.relation for each in of("output")))
    sizes = tuple(dict.fromkeys(each.relation for each in of("printsize")))
    return Checked(
        types,
        relations,
        tuple(rules),
        inputs,
        outputs,
        sizes,
        queries,
        calls,
        program.directives,
        program.notes,
    )


def relations_of(program: Program, types: Types) -> dict[str, Fields]:
    """Return the columns of every declared relation."""
    relations: dict[str, Fields] = {}
    for each in program.declarations:
        if each.name in relations:
            message = f"the relation {each.name}, line {each.span.line}, is declared already"
            raise QueryError(message, each.span)
        names = [attribute.name for attribute in each.attributes]
        for attribute in each.attributes:
            if names.count(attribute.name) > 1:
                message = f"{attribute.name} stands twice in {each.name}, line {attribute.span.line}"
                raise QueryError(message, attribute.span)
        relations[each.name] = tuple((a.name, types.kind(a.type, a.span)) for a in each.attributes)
    return relations


def named(program: Program, relations: Mapping[str, Fields], kind: str) -> list[Directive]:
    """Return the directives of a kind; each must be about a relation that there is."""
    found = [each for each in program.directives if each.kind == kind]
    first: dict[str, Directive] = {}
    for each in found:
        before = first.setdefault(each.relation, each)
        if (before.parameters, before.window) != (each.parameters, each.window):
            message = (
                f"{each.relation} has a second .{kind}, line {each.span.line}, that says something else than "
                f"the one in line {before.span.line}; only one can be, and another relation may copy it"
            )
            raise QueryError(message, each.span)
        if each.relation not in relations:
            known = list(relations)
            message = (
                f"unknown relation {each.relation} in .{kind}, line {each.span.line}; "
                f".decl {each.relation}(x:number) declares it{nearest(each.relation, known)}"
            )
            raise QueryError(message, each.span)
    return found


def typed(rule: Rule, signatures: Signatures) -> TypedRule:
    found, kinds = Inference(signatures, rule).typed()
    check(found)
    return TypedRule(found, kinds)


def asked(query: t.Query, name: str, signatures: Signatures, relations: dict[str, Fields]) -> list[TypedRule]:
    """Return the rules of a query, whose columns are the variables that it names, in their order."""
    free = [rule for rule in rules_of(t.Clause((t.Atom(name, (), query.span),), query.body, query.span))]
    order = [name for each in free for literal in each.body for name in shown_in(literal)]
    bound = [bound_by(rule.body) for rule in free]
    names = [n for n in dict.fromkeys(order) if "#" not in n and all(n in each for each in bound)]
    head = t.Atom(name, tuple(t.Variable(n, query.span) for n in names), query.span)
    kinds: dict[str, str] = {}
    for rule in free:
        relations[name] = ()
        kinds |= Inference(signatures, rule).typed()[1]
    relations[name] = tuple((n, kinds[n]) for n in names)
    return [typed(replace(rule, head=head), signatures) for rule in free]


def shown_in(literal: SimpleLiteral) -> list[str]:
    """Return the variables of a literal in their order; of an aggregate, its own name."""
    if isinstance(literal, Aggregated):
        return [literal.variable.name]
    return [variable.name for variable in t.variables_of(literal)]


def equivalence(declaration: Declaration) -> list[t.Clause]:
    """Return the rules of an equivalence relation: reflexive, symmetric, transitive."""
    if len(declaration.attributes) != 2:
        has = f"{declaration.name} has {len(declaration.attributes)}"
        message = f"eqrel is of two columns, line {declaration.span.line}; {has}"
        raise QueryError(message, declaration.span)
    x, y, z = (t.Variable(name, declaration.span) for name in "xyz")

    def holds(*args: t.Term) -> t.Atom:
        return t.Atom(declaration.name, args, declaration.span)

    bodies = (
        (holds(x, x), (holds(x, y),)),
        (holds(x, y), (holds(y, x),)),
        (holds(x, z), (holds(x, y), holds(y, z))),
    )
    return [t.Clause((head,), t.Body((body,)), declaration.span) for head, body in bodies]
