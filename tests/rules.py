"""Programs written as rules, for tests.

    program("reach(x, y) :- link(x, y)", "reach(x, y) :- link(x, z), reach(z, y)")

What has no rule is an input. A head may add two variables (``c + w``) or take the lesser of them
(``c min w``); a body may compare (``c < 4``). ``best={"path": ((0, 1), "min 2")}`` selects.
"""

import re
from collections.abc import Iterable, Mapping

from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import Best
from engine.plan.program import Defined, Program, Rule

ATOM = re.compile(r"(\w+)\(([^()]*)\)")
BIGINT = Type.BIGINT
Choice = tuple[tuple[int, ...], str]


def program(*texts: str, best: Mapping[str, Choice] | None = None, types: Type = BIGINT) -> Program:
    rules = [text.split(":-") for text in texts]
    heads = [atoms(head)[0] for head, _ in rules]
    bodies = [atoms(body) for _, body in rules]
    widths = {name: len(terms) for name, terms in [*heads, *(atom for body in bodies for atom in body)]}
    defined = list(dict.fromkeys(name for name, _ in heads))
    inputs = [name for name in widths if name not in defined]
    number = {name: i for i, name in enumerate([*inputs, *defined])}
    columns = {name: tuple(Column(f"c{i}", types) for i in range(width)) for name, width in widths.items()}
    return Program(
        tuple(columns[name] for name in inputs),
        tuple(definition(name, columns[name], (best or {}).get(name)) for name in defined),
        tuple(
            rule(number, head, body, text, types)
            for head, body, (_, text) in zip(heads, bodies, rules, strict=True)
        ),
    )


def definition(name: str, columns: tuple[Column, ...], choice: Choice | None) -> Defined:
    if choice is None:
        return Defined(name, columns)
    group, aggregates = choice
    pairs = [each.split() for each in aggregates.split(",")]
    return Defined(name, columns, group, tuple(Best(function, int(position)) for function, position in pairs))


def atoms(text: str) -> list[tuple[str, list[str]]]:
    return [(name, [term.strip() for term in terms.split(",")]) for name, terms in ATOM.findall(text)]


def rule(
    number: Mapping[str, int],
    head: tuple[str, list[str]],
    body: Iterable[tuple[str, list[str]]],
    text: str,
    types: Type,
) -> Rule:
    predicates: list[Expr] = []
    known: dict[str, Field] = {}
    position = 0
    for _, terms in body:
        for term in terms:
            field = Field(position, types)
            position += 1
            if term in known:
                predicates.append(Call("=", (known[term], field), Type.BOOLEAN))
            elif not term.isdigit():
                known[term] = field
            else:
                predicates.append(Call("=", (field, Literal(int(term), types)), Type.BOOLEAN))
    for comparison in ATOM.sub("", text).split(","):
        if comparison.strip():
            left, function, right = comparison.split()
            predicates.append(Call(function, (value(left, known), value(right, known)), Type.BOOLEAN))
    expressions = tuple(value(term, known) for term in head[1])
    return Rule(number[head[0]], tuple(number[name] for name, _ in body), tuple(predicates), expressions)


def value(text: str, known: Mapping[str, Field]) -> Expr:
    parts = text.split()
    if len(parts) == 1:
        return Literal(int(text), BIGINT) if text.isdigit() else known[text]
    left, function, right = value(parts[0], known), parts[1], value(parts[2], known)
    if function == "min":
        return Call("case", (Call("<=", (left, right), Type.BOOLEAN), left, right), left.type)
    return Call(function, (left, right), left.type)
