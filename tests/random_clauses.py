"""Random stratified Datalog programs: recursion, negation, aggregates, records, functors, disjunction.

Relations come in layers; a rule reads its own layer positively and lower ones in any way. Values made by
arithmetic stay small, and records are made of the rows of lower layers only, so that every recursion ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

NUMBER, SYMBOL, PAIR = "number", "symbol", "Pair"
VALUES: dict[str, list[str]] = {
    NUMBER: ["0", "1", "2", "3"],
    SYMBOL: ['"a"', '"b"', '"ab"'],
    PAIR: ["nil", "[1, nil]"],
}
TYPES = ".type Pair = [first:number, rest:Pair]\n.type Shape = Dot {} | Box { side:number }\n"
INPUTS = {"e": (NUMBER, NUMBER), "f": (NUMBER, NUMBER), "s": (NUMBER, SYMBOL)}


@dataclass
class Program:
    text: str
    outputs: list[str]
    features: set[str] = field(default_factory=set)


class Maker:
    """Draws one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.relations: dict[str, tuple[str, ...]] = dict(INPUTS)
        self.lower: list[str] = list(INPUTS)
        self.features: set[str] = set()

    def flips(self, chance: float) -> bool:
        return self.random.random() < chance

    def program(self) -> Program:
        lines = [TYPES, *(declared(n, kinds) + " input\n" for n, kinds in INPUTS.items())]
        outputs = []
        for layer in range(self.random.choice([1, 2, 2, 3])):
            names = [f"r{layer}{i}" for i in range(self.random.choice([1, 1, 2]))]
            for name in names:
                self.relations[name] = self.kinds()
                lines.append(declared(name, self.relations[name]) + " output\n")
            for name in names:
                rules = [
                    self.rule(name, []),
                    *(self.rule(name, names) for _ in range(self.random.choice([0, 1, 1, 2]))),
                ]
                lines += rules
            self.lower += names
            outputs += names
        return Program("".join(lines), outputs, self.features)

    def kinds(self) -> tuple[str, ...]:
        return self.random.choice(
            [
                (NUMBER,),
                (NUMBER, NUMBER),
                (NUMBER, NUMBER),
                (NUMBER, SYMBOL),
                (SYMBOL,),
                (NUMBER, PAIR),
                (NUMBER, NUMBER, NUMBER),
            ]
        )

    def rule(self, head: str, itself: list[str]) -> str:
        bound: dict[str, str] = {}
        body = [
            self.atom(self.random.choice(self.lower), bound) for _ in range(self.random.choice([1, 1, 2]))
        ]
        if itself:
            self.features.add("recursion")
            body += [
                self.atom(self.random.choice(itself), bound) for _ in range(self.random.choice([1, 1, 2]))
            ]
        self.random.shuffle(body)
        body += list(self.conditions(bound, is_recursive=bool(itself)))
        if self.flips(0.12):
            self.features.add("disjunction")
            body.append(f"({self.condition(bound)} ; {self.condition(bound)})")
        kinds = self.relations[head]
        args = ", ".join(self.made(kind, bound, is_recursive=bool(itself)) for kind in kinds)
        twins = [n for n in itself if n != head and self.relations[n] == kinds]
        heads = f"{head}({args})" + (f", {twins[0]}({args})" if twins and self.flips(0.3) else "")
        return f"{heads} :- {', '.join(body)}.\n"

    def atom(self, relation: str, bound: dict[str, str], own: str = "v") -> str:
        args = []
        for i, kind in enumerate(self.relations[relation]):
            known = [name for name, of in bound.items() if of == kind]
            if known and self.flips(0.5 if i == 0 else 0.15):
                args.append(self.random.choice(known))
            elif self.flips(0.12):
                args.append("_")
            elif self.flips(0.08):
                args.append(self.random.choice(VALUES[kind]))
            elif kind == PAIR and self.flips(0.3):
                self.features.add("record taken apart")
                name = self.fresh(bound, NUMBER, own)
                args.append(f"[{name}, _]")
            else:
                args.append(self.fresh(bound, kind, own))
        return f"{relation}({', '.join(args)})"

    def fresh(self, bound: dict[str, str], kind: str, own: str) -> str:
        name = f"{own}{len(bound)}"
        bound[name] = kind
        return name

    def conditions(self, bound: dict[str, str], *, is_recursive: bool) -> Iterator[str]:
        if self.flips(0.3):
            self.features.add("comparison")
            yield self.condition(bound)
        if self.flips(0.3):
            self.features.add("negation")
            relation = self.random.choice(self.lower)
            args = ", ".join(self.put(kind, bound) for kind in self.relations[relation])
            yield f"!{relation}({args})"
        if self.flips(0.25):
            self.features.add("aggregate")
            yield self.aggregate(bound)
        if self.flips(0.2):
            self.features.add("arithmetic")
            expression = self.number(bound)
            bound[f"w{len(bound)}"] = NUMBER
            yield f"w{len(bound) - 1} = {expression}"

    def aggregate(self, bound: dict[str, str]) -> str:
        relation = self.random.choice([n for n in self.lower if NUMBER in self.relations[n]])
        inner = dict(bound)
        atom = self.atom(relation, inner, "u")
        own = [name for name, kind in inner.items() if name not in bound and kind == NUMBER]
        function = self.random.choice(["count", "sum", "min", "max"]) if own else "count"
        target = "" if function == "count" else f" {self.random.choice(own)}"
        name = f"w{len(bound)}"
        more = (
            f", {self.random.choice(own)} != {self.random.choice(VALUES[NUMBER])}"
            if own and self.flips(0.3)
            else ""
        )
        bound[name] = NUMBER
        return f"{name} = {function}{target} : {{ {atom}{more} }}"

    def condition(self, bound: dict[str, str]) -> str:
        kind = self.random.choice([NUMBER, NUMBER, SYMBOL])
        sign = self.random.choice(["=", "!=", "<", "<=", ">", ">="])
        if kind == SYMBOL and self.flips(0.2):
            return f'contains("a", {self.known(SYMBOL, bound)})'
        return f"{self.known(kind, bound)} {sign} {self.known(kind, bound)}"

    def known(self, kind: str, bound: dict[str, str]) -> str:
        names = [name for name, of in bound.items() if of == kind]
        return self.random.choice(names) if names and self.flips(0.85) else self.random.choice(VALUES[kind])

    def put(self, kind: str, bound: dict[str, str]) -> str:
        if kind == PAIR and self.flips(0.3):
            return f"[{self.known(NUMBER, bound)}, _]"
        return "_" if self.flips(0.2) else self.known(kind, bound)

    def number(self, bound: dict[str, str]) -> str:
        one, other = self.known(NUMBER, bound), self.known(NUMBER, bound)
        return (
            self.random.choice(
                [
                    f"({one} + 1) % 4",
                    f"({one} + {other}) % 3",
                    f"min({one}, {other})",
                    f"{one} / {other}",
                    f"max({one}, 1) - 1",
                ]
            )
            if self.flips(0.8)
            else f"strlen({self.known(SYMBOL, bound)})"
        )

    def made(self, kind: str, bound: dict[str, str], *, is_recursive: bool) -> str:
        if kind == PAIR and not is_recursive and self.flips(0.6):
            self.features.add("record")
            return f"[{self.known(NUMBER, bound)}, {self.known(PAIR, bound)}]"
        if kind == NUMBER and self.flips(0.15):
            return f"({self.known(NUMBER, bound)} + 1) % 4"
        if kind == NUMBER:
            small = [n for n, of in bound.items() if of == NUMBER and not n.startswith("w")]
            return (
                self.random.choice(small) if small and self.flips(0.9) else self.random.choice(VALUES[NUMBER])
            )
        if kind == SYMBOL and not is_recursive and self.flips(0.2):
            return f"cat({self.known(SYMBOL, bound)}, {self.known(SYMBOL, bound)})"
        return self.known(kind, bound)


def declared(name: str, kinds: tuple[str, ...]) -> str:
    return f".decl {name}({', '.join(f'c{i}:{kind}' for i, kind in enumerate(kinds))})"


def random_program(random: Random) -> Program:
    return Maker(random).program()


def random_row(relation: str, random: Random) -> tuple[Any, ...]:
    symbols = ["a", "b", "ab", ""]
    return tuple(
        random.randrange(4) if kind == NUMBER else random.choice(symbols) for kind in INPUTS[relation]
    )
