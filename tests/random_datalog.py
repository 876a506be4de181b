"""Random Datalog programs over small inputs, as text, with the features that each uses.

Layer upon layer: each defines a relation, or two by each other, from those before it, so that every
program is stratified; what is recursive counts only up to a bound, so that every program ends.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from engine.model.relation import Relation
from engine.model.values import Type
from tests.random_sql import Drawn, relation

NUMBER, SYMBOL = "number", "symbol"
CONSTANTS = {NUMBER: ["0", "1", "2", "3"], SYMBOL: ['"a"', '"b"']}
PAIR = (NUMBER, NUMBER)


class Defined(NamedTuple):
    """A relation that later layers may read."""

    name: str
    types: tuple[str, ...]


INPUTS = (Defined("edge", PAIR), Defined("name", (NUMBER, SYMBOL)), Defined("shut", (NUMBER,)))
RELATIONS: list[Relation] = [
    relation("edge", None, (), x0=Type.BIGINT, x1=Type.BIGINT),
    relation("name", None, (), x0=Type.BIGINT, x1=Type.TEXT),
    relation("shut", None, (), x0=Type.BIGINT),
]
FUNCTORS = {
    "arithmetic functors": (NUMBER, "{n} + 1", "{n} * 2 - {m}", "{n} % 3", "max({n}, {m})", "-{n}"),
    "text functors": (SYMBOL, 'cat({s}, "x")', "substr({s}, 0, 1)", "to_string({n})"),
    "text lengths": (NUMBER, "strlen({s})"),
}
TESTS = ("{n} < {m}", "{n} != {m}", "{n} >= 1", '{s} != "a"', 'match("a.*", {s})', 'contains("b", {s})')
AGGREGATES = ("count", "sum", "min", "max", "mean")


class Body:
    """The literals of one rule and the variables that they bind, by type."""

    def __init__(self, random: Random, features: Counter[str], known: Sequence[Defined]) -> None:
        self.random, self.features, self.known = random, features, known
        self.literals: list[str] = []
        self.bound: dict[str, list[str]] = {NUMBER: [], SYMBOL: []}
        for _ in range(random.choice([1, 1, 2, 2, 3])):
            self.join(random.choice(known))

    def join(self, of: Defined) -> None:
        self.literals.append(f"{of.name}({', '.join(self.argument(kind) for kind in of.types)})")

    def argument(self, kind: str) -> str:
        chance = self.random.random()
        if chance < 0.08:
            return "_"
        if chance < 0.16:
            return self.random.choice(CONSTANTS[kind])
        if chance < 0.55 and self.bound[kind]:
            return self.random.choice(self.bound[kind])
        fresh = f"{kind[0]}{len(self.bound[kind])}"
        self.bound[kind].append(fresh)
        return fresh

    def old(self, kind: str) -> str:
        """Something bound, or a constant."""
        return self.random.choice(self.bound[kind] or CONSTANTS[kind])

    def filled(self, text: str) -> str:
        return text.format(n=self.old(NUMBER), m=self.old(NUMBER), s=self.old(SYMBOL))

    def narrow(self) -> None:
        """Negation, tests, functors and aggregates over what is bound."""
        if self.random.random() < 0.35:
            self.features["negation"] += 1
            of = self.random.choice(self.known)
            said = ("_" if self.random.random() < 0.2 else self.old(kind) for kind in of.types)
            self.literals.append(f"!{of.name}({', '.join(said)})")
        if self.random.random() < 0.3:
            self.features["constraints"] += 1
            self.literals.append(self.filled(self.random.choice(TESTS)))
        if self.random.random() < 0.4:
            feature = self.random.choice(list(FUNCTORS))
            self.features[feature] += 1
            kind, *forms = FUNCTORS[feature]
            self.bind(kind, self.filled(self.random.choice(forms)))
        if self.random.random() < 0.3:
            self.aggregate()

    def bind(self, kind: str, expression: str) -> None:
        fresh = f"{kind[0]}{len(self.bound[kind])}"
        self.literals.append(f"{fresh} = {expression}")
        self.bound[kind].append(fresh)

    def aggregate(self) -> None:
        """Over a relation, of a variable of its own, grouped by what is bound outside."""
        word = self.random.choice(AGGREGATES)
        self.features[f"{word} aggregate"] += 1
        of = self.random.choice([each for each in self.known if NUMBER in each.types])
        place = of.types.index(NUMBER)
        others = [self.old(k) if self.random.random() < 0.4 else "_" for k in of.types]
        arguments = ", ".join("v" if i == place else other for i, other in enumerate(others))
        said = "count" if word == "count" else f"{word} v"
        found = f"{said} : {{ {of.name}({arguments}) }}"
        if word == "mean":
            self.literals.append(f"{found} > 0.5")
        else:
            self.bind(NUMBER, found)

    def head(self, types: Sequence[str]) -> str:
        return ", ".join(self.old(kind) for kind in types)

    def __str__(self) -> str:
        return ", ".join(self.literals)


class Programs:
    """Draws one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.features: Counter[str] = Counter()
        self.known = list(INPUTS)
        self.lines: list[str] = []

    def define(self, name: str, types: Sequence[str]) -> Defined:
        columns = ", ".join(f"x{i}:{kind}" for i, kind in enumerate(types))
        self.lines.append(f".decl {name}({columns})")
        return Defined(name, tuple(types))

    def layer(self) -> None:
        plain, others = [self.plain] * 2, [self.mutual, self.records, self.branches, self.staged]
        self.random.choice([*plain, self.recursive, *others])(f"p{len(self.known)}")

    def body(self) -> Body:
        found = Body(self.random, self.features, self.known)
        found.narrow()
        return found

    def plain(self, name: str) -> None:
        defined = self.define(name, [self.random.choice([NUMBER, NUMBER, SYMBOL]) for _ in range(2)])
        for _ in range(self.random.choice([1, 1, 2])):
            body = self.body()
            self.lines.append(f"{name}({body.head(defined.types)}) :- {body}{self.other(body)}.")
        self.known.append(defined)

    def other(self, body: Body) -> str:
        """Perhaps a disjunction of tests."""
        if self.random.random() > 0.2:
            return ""
        self.features["disjunction"] += 1
        first, second = (body.filled(self.random.choice(TESTS)) for _ in range(2))
        return f", ({first} ; {second})"

    def pairs(self) -> str:
        """A relation of two numbers."""
        return self.random.choice([each.name for each in self.known if each.types == PAIR])

    def recursive(self, name: str) -> None:
        self.known.append(self.define(name, PAIR))
        linear = f"{name}(x, y) :- {name}(x, z), {self.pairs_but(name)}(z, y){self.guard()}."
        double = f"{name}(x, y) :- {name}(x, z), {name}(z, y){self.guard()}."
        counting = f"{name}(x, y + 1) :- {name}(x, y), {self.pairs_but(name)}(x, _), y < 5."
        feature, rule = self.random.choice(
            [("linear recursion", linear), ("non-linear recursion", double), ("counting recursion", counting)]
        )
        self.features[feature] += 1
        self.lines += [f"{name}(x, y) :- {self.pairs_but(name)}(x, y).", rule]

    def pairs_but(self, name: str) -> str:
        return self.random.choice([e.name for e in self.known if e.types == PAIR and e.name != name])

    def guard(self) -> str:
        chance = self.random.random()
        if chance < 0.3:
            self.features["negation inside recursion"] += 1
            return f", !shut({self.random.choice('xyz')})"
        return ", x != y" if chance < 0.4 else ""

    def mutual(self, name: str) -> None:
        self.features["mutual recursion"] += 1
        odd, even = self.define(name, PAIR), self.define(f"{name}e", PAIR)
        step = self.pairs()
        self.lines += [
            f"{name}(x, y) :- {step}(x, y).",
            f"{name}(x, y) :- {name}e(x, z), edge(z, y).",
            f"{name}e(x, y) :- {name}(x, z), {step}(z, y){self.guard()}.",
        ]
        self.known += [odd, even]

    def records(self, name: str) -> None:
        """Paths as lists, which do not grow beyond a length; then how long they are."""
        self.features["records"] += 1
        way, step = f"{name}w", self.pairs()
        self.lines += [
            f".type Way{name} = [last:number, rest:Way{name}]",
            f".decl {way}(x:number, y:number, n:number, w:Way{name})",
            f"{way}(x, y, 1, [y, [x, nil]]) :- {step}(x, y).",
            f"{way}(x, z, n + 1, [z, w]) :- {way}(x, y, n, w), edge(y, z), n < 3, w = [y, r], r != nil.",
        ]
        self.known.append(self.define(name, PAIR))
        self.lines.append(f"{name}(x, n) :- {way}(x, _, n, [_, [y, _]]), y >= 0.")

    def branches(self, name: str) -> None:
        self.features["algebraic types"] += 1
        tree, made, leaf, two = f"Tree{name}", f"{name}t", f"Leaf{name}", f"Two{name}"
        self.lines += [
            f".type {tree} = {leaf} {{ v:number }} | {two} {{ l:{tree}, r:{tree} }}",
            f".decl {made}(t:{tree}, n:number)",
            f"{made}(${leaf}(x), x) :- {self.pairs()}(x, _), x < 3.",
            f"{made}(${two}(a, b), n + m) :- {made}(a, n), {made}(b, m), a = ${leaf}(n), b = ${leaf}(m).",
        ]
        self.known.append(self.define(name, PAIR))
        self.lines.append(f"{name}(n, m) :- {made}(${two}(${leaf}(n), _), m).")

    def staged(self, name: str) -> None:
        """Breadth first from a node, by stages: what was not reached before."""
        self.features["XY-stratified"] += 1
        seen = f"{name}s"
        self.lines += [f".decl {name}(y:number, d:number)", f".decl {seen}(y:number, d:number)"]
        start = self.random.choice(["0", "1"])
        self.lines += [
            f"{name}({start}, 0).",
            f"{seen}(y, d + 1) :- {name}(y, e), (d + 1) > e, {name}(x, d), edge(x, y).",
            f"{name}(y, d + 1) :- edge(x, y), {name}(x, d), !{seen}(y, d + 1).",
        ]
        self.known.append(Defined(name, PAIR))


def program(random: Random) -> Drawn:
    programs = Programs(random)
    for of in INPUTS:
        programs.lines = [f".input {of.name}", *programs.lines]
        programs.define(of.name, of.types)
    for _ in range(random.choice([1, 2, 2, 3])):
        programs.layer()
    programs.lines += [f".output {of.name}" for of in programs.known[len(INPUTS) :]]
    return Drawn("\n".join(programs.lines), programs.features)
