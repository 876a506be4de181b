"""Any program's rows, computed anew: semi-naive evaluation in plain Python, as a peer.

    Δ  =  what the last round found;   a body with Δ in one place, joined by hashing with all in the others

It keeps nothing between events, and shares the rules but no code with the operators. Bodies are joined on
equal columns; other conditions are asked of the whole body.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.model.values import Row
from engine.plan.expressions import Call, Expr, Field, compiled, conjunction, move
from engine.plan.logical import Join, Plan, Project, Scan
from engine.plan.program import Program, Rule

Places = tuple[int, ...]
Index = dict[Any, list[Row]]


class SemiNaive:
    """The rules of a program as joins, one for each place that can be new."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.first = len(program.inputs)
        self.joins = [Joined(program, rule, i) for rule in program.rules for i in range(len(rule.body))]

    def rows(self, inputs: Sequence[Iterable[Row]]) -> list[set[Row]]:
        """The relations that the program defines, over these inputs."""
        known = Known([set(rows) for rows in inputs] + [set() for _ in self.program.definitions])
        fresh: dict[int, set[Row]] = dict(enumerate(known.rows[: self.first]))
        while fresh:
            found: dict[int, set[Row]] = defaultdict(set)
            for joined in self.joins:
                if joined.reads in fresh:
                    found[joined.head].update(joined.derived(fresh[joined.reads], known))
            fresh = {head: new for head, rows in found.items() if (new := rows - known.rows[head])}
            for head, new in fresh.items():
                known.add(head, new)
        return known.rows[self.first :]


def closed_rows(plan: Plan, standing: Mapping[str, set[Row]]) -> Iterable[Row]:
    """The rows of an input of a stratum: a base relation, or a conjunction of such."""
    match plan:
        case Scan(relation):
            return standing[relation.name]
        case Project(Join(inputs, predicates), expressions):
            body = tuple(range(len(inputs)))
            program = Program(tuple(each.columns for each in inputs), (), ())
            known = Known([set(closed_rows(each, standing)) for each in inputs])
            joined = Joined(program, Rule(0, body, predicates, expressions), 0)
            return joined.derived(known.rows[0], known)
        case Project(child, expressions):
            return map(row_of(expressions), closed_rows(child, standing))
    raise AssertionError(plan)


class Known:
    """The relations so far, with the indexes that were asked for."""

    def __init__(self, rows: list[set[Row]]) -> None:
        self.rows = rows
        self.indexes: dict[tuple[int, Places], Index] = {}

    def index(self, relation: int, places: Places) -> Index:
        if (relation, places) not in self.indexes:
            self.indexes[relation, places] = defaultdict(list)
            self.fill(relation, places, self.rows[relation])
        return self.indexes[relation, places]

    def add(self, relation: int, rows: set[Row]) -> None:
        self.rows[relation] |= rows
        for of, places in self.indexes:
            if of == relation:
                self.fill(relation, places, rows)

    def fill(self, relation: int, places: Places, rows: Iterable[Row]) -> None:
        index, key = self.indexes[relation, places], picked(places)
        for row in rows:
            index[key(row)].append(row)


class Joined:
    """A rule's body, from a row at one place on, the others looked up by what is equal."""

    def __init__(self, program: Program, rule: Rule, place: int) -> None:
        self.reads, self.head = rule.body[place], rule.head
        widths = [program.width(relation) for relation in rule.body]
        spans = [range(sum(widths[:i]), sum(widths[: i + 1])) for i in range(len(widths))]
        where = {column: i for i, column in enumerate(spans[place])}
        self.steps: list[tuple[int, Places, Callable[[Row], Any]]] = []
        others = [i for i in range(len(widths)) if i != place]
        while others:
            nearest = max(others, key=lambda i: len(equal(rule.predicates, where, spans[i])))
            others.remove(nearest)
            pairs = equal(rule.predicates, where, spans[nearest])
            there = tuple(column - spans[nearest].start for _, column in pairs)
            self.steps.append((rule.body[nearest], there, picked(tuple(where[here] for here, _ in pairs))))
            where |= {column: len(where) + i for i, column in enumerate(spans[nearest])}
        asked = [move(p, where.__getitem__) for p in rule.predicates if equality(p) is None]
        self.holds = compiled(conjunction(tuple(asked))) if asked else None
        self.put_out = row_of([move(e, where.__getitem__) for e in rule.expressions])

    def derived(self, fresh: Iterable[Row], known: Known) -> Iterable[Row]:
        rows = fresh
        for relation, there, key in self.steps:
            index = known.index(relation, there)
            rows = [row + other for row in rows for other in index.get(key(row), ())]
        return [self.put_out(row) for row in rows if self.holds is None or self.holds(row) is True]


def equality(predicate: Expr) -> tuple[int, int] | None:
    match predicate:
        case Call("=", (Field(one), Field(other))):
            return one, other
    return None


def equal(predicates: Iterable[Expr], where: dict[int, int], span: range) -> list[tuple[int, int]]:
    """The pairs of equal columns of which one is there and the other in a span."""
    pairs = [pair for p in predicates if (pair := equality(p)) is not None]
    both = [*pairs, *(pair[::-1] for pair in pairs)]
    return [(here, there) for here, there in both if here in where and there in span]


def picked(places: Places) -> Callable[[Row], Any]:
    if len(places) == 1:
        (only,) = places
        return lambda row: row[only]
    return lambda row: tuple([row[i] for i in places])


def row_of(expressions: Sequence[Expr]) -> Callable[[Row], Row]:
    if all(isinstance(e, Field) for e in expressions):
        places = tuple(e.position for e in expressions if isinstance(e, Field))
        return lambda row: tuple([row[i] for i in places])
    parts = [compiled(e) for e in expressions]
    return lambda row: tuple([part(row) for part in parts])
