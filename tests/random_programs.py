"""Random stratified programs as logical plans, over few values, so that facts meet, repeat and fall.

    program  =  base relations, and strata one upon the other; the last is the view

A stratum is free rules (any number of relations, each by any), best paths, or what is not recursive: a
negation, an aggregate, a join over the strata so far. Rules put out values that they read, constants,
or numbers that stay small, so every recursion ends.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from engine.model.relation import Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field
from engine.plan.logical import (
    Aggregate,
    AggregateCall,
    AntiJoin,
    Best,
    Definition,
    Fixpoint,
    Plan,
    Project,
    Recur,
    Scan,
    Union,
)
from engine.plan.outer_join import OuterJoin
from engine.plan.windows import Range, Rows, Window
from engine.queries.clauses import AnyTerm, Atom, atom, clause, term, whole
from tests.random_history import BIGINT, DOUBLE, HEAVY, SECOND, TEXT, WEIGHTS, History, Weights
from tests.random_rules import Drawing, FreeRules
from tests.random_stages import StagedRules
from tests.strategies import relation

WINDOWS: list[Window] = [Range(30 * SECOND), Range(9 * SECOND), Range(SECOND), Rows(9), Rows(2, (0,), ("a",))]
KEYS: list[tuple[str, ...]] = [(), (), (), ("a",), ("a", "b")]


class RandomProgram(NamedTuple):
    """A view's plan over base relations."""

    plan: Plan
    relations: tuple[Relation, ...]
    nulls: bool
    weights: Weights


@dataclass
class Maker(Drawing):
    """Draws a program; ``node`` is the type of what its rules are about."""

    pairs: list[Plan] = field(default_factory=list)
    singles: list[Plan] = field(default_factory=list)
    measured: Plan | None = None

    # Base relations

    def base(self, name: str, *columns: str, weight: Type = BIGINT) -> tuple[Relation, Plan]:
        """A relation of nodes and a weight: a bag, a table with a key, or a stream in a window."""
        types = {column: self.node for column in columns} | {"w": weight}
        if self.random.random() < 0.25:
            found = relation(name, RelationKind.STREAM, None, (), **types)
            return found, Scan(found, self.random.choice(WINDOWS))
        key = self.random.choice([key for key in KEYS if set(key) <= set(columns)])
        found = relation(name, RelationKind.TABLE, None, key, **types)
        return found, Scan(found, None)

    def program(self) -> RandomProgram:
        self.node = self.random.choice([BIGINT, TEXT])
        bases = [self.base(name, "a", "b") for name in ("e", "f")] + [self.base("u", "a")]
        self.pairs = [scan for _, scan in bases[:2]]
        self.singles = [bases[2][1]]
        if self.flips(0.15):
            bases.append(self.base("g", "a", "b", weight=DOUBLE))
            self.measured = bases[3][1]
        for _ in range(self.random.choice([0, 0, 1])):
            self.derive()
        for _ in range(self.random.choice([1, 1, 2])):
            self.recursive()
        plan = self.random.choice([self.over_last, self.over_last, self.derive, self.recursive])()
        weights = HEAVY if self.flips(0.15) else WEIGHTS
        return RandomProgram(plan, tuple(of for of, _ in bases), self.flips(0.3), weights)

    def over_last(self) -> Plan:
        """The last stratum as it is, or what asks for it whole."""
        return self.last

    # What is not recursive

    def derive(self) -> Plan:
        """A plan over what there is, that later strata may read."""
        make: Callable[[], Plan] = self.random.choice(
            [self.united, self.counted, self.cheapest, self.negated, self.negated, self.joined, self.padded]
        )
        self.last = make()
        (self.singles if len(self.last.columns) == 2 else self.pairs).append(self.last)
        return self.last

    def pair(self) -> Plan:
        """A plan with rows (node, node, weight), one of the latest more often."""
        return self.random.choice(self.pairs[-2:] + self.pairs)

    def single(self) -> Plan:
        return self.random.choice(self.singles[-2:] + self.singles)

    def united(self) -> Plan:
        return Union((self.pair(), clause({"a": "y", "b": "x", "w": "w"}, atom(self.pair(), "x", "y", "w"))))

    def counted(self) -> Plan:
        """How many rows, or what in all, each node has."""
        call = self.random.choice([AggregateCall("count", None), AggregateCall("max", Field(2, BIGINT))])
        return self.aggregate(self.pair(), (0,), call)

    def cheapest(self) -> Plan:
        call = AggregateCall(self.random.choice(["min", "max", "count"]), Field(2, BIGINT))
        return self.aggregate(self.pair(), (0, 1), call)

    def aggregate(self, plan: Plan, groups: tuple[int, ...], call: AggregateCall) -> Plan:
        by = tuple(Field(i, plan.columns[i].type, plan.columns[i].name) for i in groups)
        columns = (*(Column(each.name, each.type) for each in by), Column("w", BIGINT))
        return Aggregate(plan, by, (call,), columns)

    def negated(self) -> Plan:
        """The pairs one of whose ends, or which, is not there."""
        left = self.pair()
        if self.random.random() < 0.5:
            return AntiJoin(
                left, self.single(), (Field(self.random.choice([0, 1]), self.node),), self.keys(1)
            )
        return AntiJoin(left, self.pair(), self.keys(2), self.keys(2))

    def keys(self, count: int) -> tuple[Expr, ...]:
        return tuple(Field(i, self.node) for i in range(count))

    def joined(self) -> Plan:
        one, other = atom(self.pair(), "x", "y", "v"), atom(self.single(), "y", "w")
        return clause({"a": "x", "b": "y", "w": self.random.choice(["v", "w"])}, one, other)

    def padded(self) -> Plan:
        """Pairs with the weight of an end, their own where it has none; of a full join, other ends too."""
        keeps_right = self.random.random() < 0.3
        end = self.random.choice([0, 1])
        meets = (Call("=", (Field(end, self.node), Field(3, self.node)), Type.BOOLEAN),)
        heavier = (Call("<", (Field(2, BIGINT), Field(4, BIGINT)), Type.BOOLEAN),)
        asked = meets + (heavier if self.random.random() < 0.3 else ())
        outer = OuterJoin(self.pair(), self.single(), asked, keeps_right)
        ends = tuple(Call("coalesce", (Field(i, self.node), Field(3, self.node)), self.node) for i in (0, 1))
        weight = Call("coalesce", (Field(4, BIGINT), Field(2, BIGINT)), BIGINT)
        columns = (Column("a", self.node), Column("b", self.node), Column("w", BIGINT))
        return Project(outer, (*ends, weight), columns)

    # What is recursive

    def recursive(self) -> Plan:
        kinds = [self.closure, self.wide_closure, *[self.free_rules] * 2, self.best_paths, self.staged]
        self.last = self.random.choice([self.best_paths] if self.measured else kinds)()
        shape = [column.type for column in self.last.columns]
        if shape[:2] == [self.node, self.node]:
            self.pairs.append(self.as_pair(self.last))
        elif shape[:1] == [self.node]:
            self.singles.append(self.as_single(self.last))
        return self.last

    def as_pair(self, plan: Plan) -> Plan:
        weight: AnyTerm = "v2" if len(plan.columns) > 2 and plan.columns[2].type is BIGINT else whole(1)
        return clause({"a": "v0", "b": "v1", "w": weight}, self.every(plan))

    def as_single(self, plan: Plan) -> Plan:
        return clause({"a": "v0", "w": whole(1)}, self.every(plan))

    def every(self, plan: Plan) -> Atom:
        return Atom(plan, tuple(f"v{i}" for i in range(len(plan.columns))))

    def closure(self) -> Plan:
        """Pass-through linear, in either direction, or doubling; narrowed here and there."""
        edge, base = self.pair(), self.pair()
        columns = base.columns[:2]
        itself = Recur(0, columns)
        steps = {
            "right": (atom(edge, "x", "z", "_"), atom(itself, "z", "y")),
            "left": (atom(itself, "x", "z"), atom(edge, "z", "y", "_")),
            "double": (atom(itself, "x", "z"), atom(itself, "z", "y")),
            "guarded": (atom(edge, "x", "z", "v"), atom(self.single(), "z", "w"), atom(itself, "z", "y")),
            "back": (atom(edge, "z", "x", "_"), atom(itself, "z", "y")),
        }
        chosen = self.random.sample(list(steps), self.random.choice([1, 1, 1, 2]))
        head: dict[str, AnyTerm] = {"a": "x", "b": "y"}
        where = {"guarded": [self.compared("v", "w")]}
        if "double" in chosen:
            base = edge if self.random.random() < 0.7 else base
            chosen = ["double"]
        bodies = [clause(head, *steps[step], where=where.get(step, ())) for step in chosen]
        if self.flips(0.2):
            rules = FreeRules(self.random, self.node)
            bodies = [rules.denied(body, self.single()) for body in bodies]
        first = clause(head, atom(base, "x", "y", "_"))
        return Fixpoint((Definition("closure", columns, (first, *bodies)),))

    def wide_closure(self) -> Plan:
        """Pass-through linear where two columns move, or two are handed on, or none is."""
        one, other = self.pair(), self.pair()
        match self.random.choice(["two move", "two handed on", "none handed on"]):
            case "two move":
                base = clause({"a": "x", "b": "y", "c": "w"}, atom(one, "x", "y", "w"))
                head: dict[str, AnyTerm] = {"a": "x", "b": "y", "c": "w"}
                body = (
                    atom(one, "x", "u", "_"),
                    atom(other, "y", "v", "_"),
                    atom(Recur(0, base.columns), "u", "v", "w"),
                )
            case "two handed on":
                base = one
                head = {"a": "y", "b": "x", "w": "w"}
                body = (atom(other, "x", "z", "_"), atom(Recur(0, base.columns), "y", "z", "w"))
            case _:
                base = clause({"a": "x"}, atom(self.single(), "x", "_"))
                head = {"a": "x"}
                body = (atom(one, "x", "z", "_"), atom(Recur(0, base.columns), "z"))
        return Fixpoint((Definition("wide", base.columns, (base, clause(head, *body))),))

    def best_paths(self) -> Plan:
        """Best paths: linear either way or doubling, with or without more columns, bounded or not."""
        best, combine = self.random.choice(
            [("min", "+"), ("min", "+"), ("max", "least"), ("min", "greatest")]
        )
        if self.measured is None and combine == "+" and self.flips(0.3):
            return self.paths_with_hops()
        edge = self.measured or (self.pair() if combine != "+" else self.random.choice(self.pairs[:2]))
        if self.measured is None and self.flips(0.2):
            return self.distances(edge, best, combine)
        itself = Recur(0, edge.columns)
        steps = [
            (atom(edge, "x", "z", "v"), atom(itself, "z", "y", "w")),
            (atom(itself, "x", "z", "v"), atom(edge, "z", "y", "w")),
            (atom(itself, "x", "z", "v"), atom(itself, "z", "y", "w")),
        ]
        head: dict[str, AnyTerm] = {"a": "x", "b": "y", "w": term(combine, "v", "w")}
        is_bounded = combine == "+" and edge is not self.measured and self.flips(0.3)
        bound = [term("<", term("+", "v", "w"), whole(6))] if is_bounded else []
        body = clause(head, *self.random.choice(steps), where=bound)
        return Fixpoint((Definition("best", edge.columns, (edge, body), (0, 1), (Best(best, 2),)),))

    def distances(self, edge: Plan, best: str, combine: str) -> Plan:
        """The best cost from anywhere to what is marked."""
        base = self.singles[0]
        head: dict[str, AnyTerm] = {"a": "x", "w": term(combine, "v", "w")}
        body = clause(head, atom(edge, "x", "z", "v"), atom(Recur(0, base.columns), "z", "w"))
        return Fixpoint((Definition("distances", base.columns, (base, body), (0,), (Best(best, 1),)),))

    def paths_with_hops(self) -> Plan:
        """Least cost, or least cost and fewest hops at once; every tie with its hops, or written out."""
        edge = self.random.choice(self.pairs[:2])
        shown = self.flips(0.3) and self.node is TEXT
        first: AnyTerm = term("||", "x", "y") if shown else whole(1)
        more: AnyTerm = term("||", "x", "h") if shown else term("+", whole(1), "h")
        positive = term(">", "v", whole(0))
        base = clause({"a": "x", "b": "y", "w": "v", "h": first}, atom(edge, "x", "y", "v"), where=[positive])
        itself = Recur(0, base.columns)
        head: dict[str, AnyTerm] = {"a": "x", "b": "y", "w": term("+", "v", "w"), "h": more}
        step = clause(head, atom(edge, "x", "z", "v"), atom(itself, "z", "y", "w", "h"), where=[positive])
        best = (Best("min", 2),) if shown or self.flips(0.5) else (Best("min", 2), Best("min", 3))
        return Fixpoint((Definition("paths", base.columns, (base, step), (0, 1), best),))

    def staged(self) -> Plan:
        return StagedRules(self.random, self.node).fixpoint([self.pair(), self.pair(), self.single()])

    def free_rules(self) -> Plan:
        rules = FreeRules(self.random, self.node)
        return rules.fixpoint(lambda: [self.pair(), self.pair(), self.single()])


def random_program(random: Random) -> RandomProgram:
    return Maker(random).program()


def random_history(program: RandomProgram, random: Random) -> History:
    return History(program.relations, random, program.nulls, program.weights)
