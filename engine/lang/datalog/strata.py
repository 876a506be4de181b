"""Which relations define each other: the strata of a program, in an order in which they can be finished.

    edge  =  head relation → body relation, and whether through negation or an aggregate

References:
    Tarjan. Depth-First Search and Linear Graph Algorithms. SIAM Journal on Computing 1972.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.lang.datalog import tree as t
from engine.lang.datalog.normal import Aggregated, Rule, Simple
from engine.model.errors import Span

POSITIVE, NEGATION, AGGREGATION = "", "negation", "aggregation"


@dataclass(frozen=True)
class Edge:
    """A relation that a rule for ``head`` reads, and by what it reads it."""

    head: str
    body: str
    through: str
    span: Span


def edges_of(rule: Rule) -> Iterator[Edge]:
    """Yield what a rule reads."""
    for relation, through, span in reads(rule.body, POSITIVE):
        yield Edge(rule.head.relation, relation, through, span)


def reads(literals: Simple, around: str) -> Iterator[tuple[str, str, Span]]:
    for literal in literals:
        match literal:
            case t.Atom(relation):
                yield relation, around, literal.span
            case t.Negation(t.Atom(relation)):
                yield relation, around or NEGATION, literal.span
            case Aggregated():
                yield from reads(literal.literals, AGGREGATION)


@dataclass(frozen=True)
class Stratum:
    """Relations each of which reads every other, directly or not; ``edges`` are those between them."""

    relations: tuple[str, ...]
    edges: tuple[Edge, ...]

    @property
    def is_recursive(self) -> bool:
        return bool(self.edges)


def strata_of(relations: Iterable[str], rules: Iterable[Rule]) -> tuple[Stratum, ...]:
    """Return the strata, each after those that it reads."""
    names = list(relations)
    edges = [edge for rule in rules for edge in edges_of(rule)]
    read: dict[str, list[str]] = {name: [] for name in names}
    for edge in edges:
        read[edge.head].append(edge.body)
    found = []
    for members in components(read):
        ordered = tuple(name for name in names if name in members)
        own = tuple(e for e in edges if e.head in members and e.body in members)
        found.append(Stratum(ordered, own))
    return tuple(found)


def components(read: Mapping[str, list[str]]) -> Iterator[frozenset[str]]:
    """Yield the strongly connected components, each after those that it reads, without recursion."""
    numbers: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    for start in read:
        path = [(start, iter(read[start]))] if start not in numbers else []
        while path:
            name, others = path[-1]
            if name not in numbers:
                numbers[name] = low[name] = len(numbers)
                open_.append(name)
            following = next(others, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == numbers[name]:
                    yield taken_from(open_, name)
            elif following not in numbers:
                path.append((following, iter(read[following])))
            elif following in open_:
                low[name] = min(low[name], numbers[following])


def taken_from(open_: list[str], name: str) -> frozenset[str]:
    place = open_.index(name)
    members = frozenset(open_[place:])
    del open_[place:]
    return members


def cycle_through(stratum: Stratum, edge: Edge) -> tuple[str, ...]:
    """Return a shortest way from an edge's head over it and back."""
    ways: dict[str, tuple[str, ...]] = {edge.body: (edge.body,)}
    frontier = list(ways.items())
    for name, way in frontier:
        for each in stratum.edges:
            if each.head == name and each.body not in ways:
                ways[each.body] = (*way, each.body)
                frontier.append((each.body, ways[each.body]))
    return (edge.head, *ways[edge.head])
