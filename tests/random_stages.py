"""Random XY-stratified strata: rules that negate what they define, at lower stages.

    r(…, d + 1)  :-  r'(…, d), closed(…), d < 4, not r''(…, d or d + 1)

The last column of a relation is its stage. What is of the same stage has a lower turn.
"""

from collections.abc import Sequence

from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Call, Expr, Field, Literal
from engine.plan.logical import AntiJoin, Definition, Fixpoint, Plan, Project, Recur, Select
from engine.queries.clauses import AnyTerm, Atom, Term, clause, term, whole
from tests.random_history import BIGINT, NODES
from tests.random_rules import Drawing, FreeRules

LAST_STAGE = 4


class StagedRules(Drawing):
    """Draws one stratum with stages."""

    def fixpoint(self, closed: Sequence[Plan]) -> Fixpoint:
        """One to three relations, the number of each its turn."""
        self.free = FreeRules(self.random, self.node)
        self.closed = closed
        count = self.random.choice([1, 2, 2, 3])
        shapes = [self.shape() for _ in range(count)]
        self.itself = [Recur(i, columns) for i, columns in enumerate(shapes)]
        definitions = [
            Definition(f"r{i}", columns, tuple(self.bodies(i)), stage=self.stage(columns), turn=i)
            for i, columns in enumerate(shapes)
        ]
        return Fixpoint(tuple(definitions), self.random.randrange(count))

    def shape(self) -> tuple[Column, ...]:
        nodes = self.random.choice([1, 1, 2])
        return (*(Column(f"c{i}", self.node) for i in range(nodes)), Column("s", BIGINT))

    def stage(self, columns: Sequence[Column]) -> Field:
        return Field(len(columns) - 1, BIGINT)

    def bodies(self, turn: int) -> list[Plan]:
        firsts = [self.first(turn)] if turn == 0 or self.flips(0.5) else []
        return firsts + [self.step(turn) for _ in range(self.random.choice([1, 1, 2]))]

    def first(self, turn: int) -> Plan:
        """What is closed, at one of the first stages."""
        bound: dict[str, Type] = {}
        body = self.free.read(self.random.choice(self.closed), bound)
        return self.put_out(turn, [body], bound, whole(self.random.choice([0, 0, 1])), [])

    def step(self, turn: int) -> Plan:
        """What stands on a stage: the one before, or the same at an earlier turn."""
        is_same = turn > 0 and self.flips(0.4)
        sources = self.itself[:turn] if is_same else self.itself
        bound: dict[str, Type] = {}
        body = [self.recursive(self.random.choice(sources), bound, "d")]
        asked = [term("<", "d", whole(LAST_STAGE))]
        if self.flips(0.4):
            body.append(self.recursive(self.random.choice(sources), bound, "d"))
        elif self.flips(0.3):
            body.append(self.recursive(self.random.choice(sources), bound, "e"))
            asked.append(term("<=", "e", "d"))
        if self.flips(0.7):
            body.append(self.free.read(self.random.choice(self.closed), bound))
        self.random.shuffle(body)
        stage: AnyTerm = "d" if is_same else term("+", "d", whole(1))
        plan = self.put_out(turn, body, bound, stage, asked)
        variables = [variable for atom in body for variable in atom.variables]
        d = Field(variables.index("d"), BIGINT)
        for _ in range(self.random.choice([0, 1, 1, 2])):
            plan = self.denied(plan, turn, d, is_same=is_same)
        return self.free.denied(plan, self.random.choice(self.closed)) if self.flips(0.2) else plan

    def recursive(self, plan: Recur, bound: dict[str, Type], stage: str) -> Atom:
        atom = self.free.read(plan, bound)
        bound.pop(atom.variables[-1], None)
        return Atom(plan, (*atom.variables[:-1], stage))

    def put_out(
        self, turn: int, body: list[Atom], bound: dict[str, Type], stage: AnyTerm, asked: list[Term]
    ) -> Plan:
        nodes = self.itself[turn].columns[:-1]
        head = {column.name: self.free.put_out(self.node, bound) for column in nodes}
        return clause({**head, "s": stage}, *body, where=asked)

    def denied(self, plan: Plan, turn: int, d: Field, *, is_same: bool) -> Plan:
        """Negate what is of a lower level than the head."""
        assert isinstance(plan, Project)
        at_head = self.flips(0.6) and turn > 0
        right: Plan = self.random.choice(self.itself[:turn] if at_head or is_same else self.itself)
        above = Call("+", (d, whole(1)), BIGINT)
        left: list[Expr] = [above if at_head and not is_same else d]
        keys: list[Expr] = [self.stage(right.columns)]
        read = enumerate(plan.child.columns)
        nodes = [Field(i, c.type) for i, c in read if c.type is self.node and i != d.position]
        for i in range(len(right.columns) - 1):
            if nodes and self.flips(0.8):
                left.append(self.random.choice(nodes))
                keys.append(Field(i, self.node))
        if self.flips(0.15):
            right = Select(right, Call("<", (Field(0, self.node), self.constant()), Type.BOOLEAN))
        child = AntiJoin(plan.child, right, tuple(left), tuple(keys))
        return Project(child, plan.expressions, plan.columns)

    def constant(self) -> Expr:
        return Literal(self.random.choice(NODES[self.node]), self.node)
