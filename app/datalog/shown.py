"""Rules as they are written, one line each: path(x, z) :- path(x, y), edge(y, z), !shut(z)."""

import json
import re
from typing import TypeGuard

from engine.lang.datalog import tree as t
from engine.lang.datalog.normal import Aggregated, Rule, SimpleLiteral

MARK = "\x00"
OWN = re.compile(rf"{MARK}\d+")
PREFIX = {"negate": "-", "bnot": "bnot ", "lnot": "lnot "}
INFIX = frozenset(
    {"+", "-", "*", "/", "%", "^", "band", "bor", "bxor", "bshl", "bshr", "bshru", "land", "lor", "lxor"}
)
TESTS = frozenset({"match", "contains"})


def rule_text(rule: Rule) -> str:
    """Write a rule, and where it stands."""
    lifted = {each.variable.name: each for each in rule.body if is_lifted(each)}
    body = ", ".join(literal_text(each) for each in rule.body if not is_lifted(each))
    text = f"{literal_text(rule.head)}{' :- ' if body else ''}{body}.   (line {rule.span.line})"
    for name, each in lifted.items():
        text = text.replace(marked(name), aggregate_text(each))
    return OWN.sub("", text)


def is_lifted(literal: SimpleLiteral) -> TypeGuard[Aggregated]:
    """Tell whether an aggregate stood within a term, and got a variable of its own."""
    return isinstance(literal, Aggregated) and "#" in literal.variable.name


def marked(name: str) -> str:
    """Return a variable's name with a mark, that no text has, before what keeps it apart from others."""
    return name.replace("#", MARK)


def aggregate_text(literal: Aggregated) -> str:
    asked = f" {term_text(literal.target)}" if literal.target is not None else ""
    return f"{literal.function}{asked} : {{ {', '.join(map(literal_text, literal.literals))} }}"


def literal_text(literal: SimpleLiteral) -> str:
    match literal:
        case t.Atom(relation, args):
            return f"{relation}({', '.join(map(term_text, args))})"
        case t.Negation(t.Atom() as atom):
            return f"!{literal_text(atom)}"
        case t.Comparison(operator, left, right):
            test = operator.removeprefix("not ")
            sign = "!" if test != operator else ""
            if test in TESTS:
                return f"{sign}{test}({term_text(left)}, {term_text(right)})"
            return f"{term_text(left)} {operator} {term_text(right)}"
        case Aggregated(variable):
            return f"{term_text(variable)} = {aggregate_text(literal)}"
    return "…"


def term_text(term: t.Term) -> str:
    match term:
        case t.Variable(name):
            return marked(name)
        case t.Wildcard():
            return "_"
        case t.Constant(value):
            return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
        case t.Functor(name, args):
            return functor_text(
                name, [operand_text(arg) if name in INFIX else term_text(arg) for arg in args]
            )
        case t.Record(args, branch, is_nil=is_nil):
            inner = ", ".join(map(term_text, args))
            if branch:
                return f"${branch}({inner})" if args else f"${branch}"
            return "nil" if is_nil else f"[{inner}]"
        case t.Cast(inner_term, target):
            return f"as({term_text(inner_term)}, {target})"
    return "…"


def operand_text(term: t.Term) -> str:
    """Write an operand, in brackets where it has operands itself."""
    text = term_text(term)
    return f"({text})" if isinstance(term, t.Functor) and term.name in INFIX else text


def functor_text(name: str, args: list[str]) -> str:
    if name in INFIX and len(args) == 2:
        return f"{args[0]} {name} {args[1]}"
    if name in PREFIX and len(args) == 1:
        return f"{PREFIX[name]}{args[0]}"
    return f"{name}({', '.join(args)})"
