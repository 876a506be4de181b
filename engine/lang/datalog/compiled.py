"""The two ways in: a program over what a session has, and a program by itself.

bind_program   .input names a stream, a table or a view     →  plans of what is put out
compile_program   .input names a table that its runner fills  →  those tables, and the plans over them
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.lang.datalog.binding import ProgramBinder
from engine.lang.datalog.calls import Functions
from engine.lang.datalog.classes import Class
from engine.lang.datalog.classes import classes_of as classes_of_rules
from engine.lang.datalog.declared import Checked, checked
from engine.lang.datalog.inputs import SessionInputs, declarable, table_of
from engine.lang.datalog.magic import rewritten
from engine.lang.datalog.normal import Rule
from engine.lang.datalog.parts import Directive
from engine.lang.datalog.signatures import UndeclaredError
from engine.lang.datalog.types import Fields, Types
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.model.relation import Relation
from engine.plan.logical import Plan, Scan

# A program by itself keeps nobody waiting while it is planned.
ALONE_MOST_NODES = 20_000


@dataclass(frozen=True)
class Put:
    """A relation that a program puts out, its plan, and what its directive says of it."""

    name: str
    plan: Plan
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class Compiled:
    """A program by itself. ``inputs`` are tables to fill, each with its .input's parameters.

    ``relations`` has the kinds of every relation's columns, ``types`` what the kinds are made of:
    how a file's field becomes a value, and a value a field.
    """

    inputs: Mapping[str, tuple[Relation, Mapping[str, str]]]
    outputs: Mapping[str, Put]
    printsizes: Mapping[str, Put]
    relations: Mapping[str, Fields]
    types: Types
    functors: tuple[str, ...]
    classes: tuple[Class, ...]
    notes: tuple[str, ...]
    binder: ProgramBinder

    def plan(self, name: str) -> Plan:
        """Return the plan of any relation of the program."""
        return self.binder.plan(name)


def classify(text: str, functions: Functions | None = None) -> tuple[Class, ...]:
    """Return the class of each stratum of a program, also of those that are refused."""
    program = checked(text, functions)
    return classes_of_rules(program.relations, [each.rule for each in program.rules])


@dataclass(frozen=True)
class Bound:
    """The plans of a program's outputs and queries over a session, and what it is to be told of them."""

    plans: dict[str, Plan]
    classes: tuple[Class, ...]
    notes: tuple[str, ...]


def bound(
    text: str, catalog: Catalog, views: Mapping[str, Plan], functions: Functions | None = None
) -> Bound:
    """Bind a program over what a session has."""
    try:
        written = checked(text, functions)
    except UndeclaredError as error:
        raise declarable(error, catalog, views) from None
    program = with_magic(written)
    source = SessionInputs(catalog, views, written)
    binder = ProgramBinder(program, lambda name: source.plan(program.inputs[name]))
    plans = {name: binder.plan(name) for name in put_out(program)}
    return Bound(plans, classes_of_rules(written.relations, rules_in(written)), program.notes)


def bind_program(
    text: str, catalog: Catalog, views: Mapping[str, Plan], functions: Functions | None = None
) -> dict[str, Plan]:
    """Return the plans of a program's outputs and queries, over what a session has."""
    return bound(text, catalog, views, functions).plans


def rules_in(program: Checked) -> list[Rule]:
    return [each.rule for each in program.rules]


def put_out(program: Checked) -> tuple[str, ...]:
    names = (*program.outputs, *program.queries)
    if not names and not program.printsizes:
        message = "the program puts nothing out; .output relation says what, or a query ?- relation(x)."
        raise QueryError(message)
    return names


def with_magic(program: Checked) -> Checked:
    """Derive what is asked with constants only where it is asked, and say so."""
    found = rewritten(program, (*program.outputs, *program.printsizes, *program.queries))
    told = []
    for name, pattern in found.asked:
        columns = [c for (c, _), sign in zip(program.relations[name], pattern, strict=True) if sign == "b"]
        told.append(f"{name} is derived only for the {', '.join(columns)} that is asked for: magic sets")
    return replace(found.program, notes=(*program.notes, *told))


def compile_program(
    text: str, functions: Functions | None = None, queries: tuple[str, ...] = (), *, magic: bool = True
) -> Compiled:
    """Return a program that is run by itself; ``queries`` are asked besides those in the text."""
    whole = "\n".join([text, *(f"?- {query.strip().rstrip('.')}." for query in queries)])
    written = checked(whole, functions)
    program = with_magic(written) if magic else written
    inputs = {
        name: (table_of(name, program.relations[name]), parameters_of(d)) for name, d in windowless(program)
    }
    binder = ProgramBinder(program, lambda name: Scan(inputs[name][0], None), ALONE_MOST_NODES)
    of = {(each.kind, each.relation): parameters_of(each) for each in program.directives}
    return Compiled(
        inputs,
        {name: Put(name, binder.plan(name), of.get(("output", name), {})) for name in put_out(program)},
        {name: Put(name, binder.plan(name), of.get(("printsize", name), {})) for name in program.printsizes},
        program.relations,
        program.types,
        tuple(name.removeprefix("@") for name in program.functors),
        classes_of_rules(written.relations, rules_in(written)),
        program.notes,
        binder,
    )


def windowless(program: Checked) -> list[tuple[str, Directive]]:
    for each in program.inputs.values():
        if each.window is not None:
            message = (
                f"{each.relation} has a window, line {each.span.line}; a program run by itself reads tables, "
                "and a window goes on a stream of a session"
            )
            raise QueryError(message, each.span)
    return list(program.inputs.items())


def parameters_of(directive: Directive) -> dict[str, str]:
    return dict(directive.parameters)
