"""Who reaches whom over links: closures, what stands on them, and what stands below them.

References:
    Liu, Taylor, Zhou, Ives, Loo. Maintaining Recursive Views of Regions and Connectivity in
    Networks. ICDE 2009.
"""

from engine.model.relation import Column
from engine.model.values import Type
from engine.plan.expressions import Field
from engine.plan.logical import Aggregate, AggregateCall, AntiJoin, Definition, Fixpoint, Plan, Recur
from engine.queries.clauses import atom, clause, either, least, taken


def reachable(link: Plan, source: str = "src", target: str = "dst") -> Fixpoint:
    """Return who reaches whom.

    reachable(x, y) :- link(x, y).
    reachable(x, y) :- link(x, z), reachable(z, y).
    """
    edge = taken(link, source, target)
    return least(
        "reachable",
        edge,
        lambda reached: [
            clause({source: "x", target: "y"}, atom(edge, "x", "z"), atom(reached, "z", "y")),
        ],
    )


def nonlinear_closure(edge: Plan, source: str = "src", target: str = "dst") -> Fixpoint:
    """Return the same rows as ``reachable``, by the rule that reads itself twice.

    closure(x, y) :- edge(x, y).
    closure(x, y) :- closure(x, z), closure(z, y).
    """
    return least(
        "closure",
        taken(edge, source, target),
        lambda closure: [
            clause({source: "x", target: "y"}, atom(closure, "x", "z"), atom(closure, "z", "y")),
        ],
    )


def even_and_odd(link: Plan, source: str = "src", target: str = "dst", *, even: bool = True) -> Fixpoint:
    """Return who reaches whom over an even, or an odd, number of links: two relations, each by the other.

    odd(x, y)  :- link(x, y).
    odd(x, y)  :- link(x, z), even(z, y).
    even(x, y) :- link(x, z), odd(z, y).
    """
    edge = taken(link, source, target)
    over_even, over_odd = (Recur(number, edge.columns) for number in (0, 1))

    def longer(rest: Plan) -> Plan:
        return clause({source: "x", target: "y"}, atom(edge, "x", "z"), atom(rest, "z", "y"))

    definitions = (
        Definition("even", edge.columns, (longer(over_odd),)),
        Definition("odd", edge.columns, (edge, longer(over_even))),
    )
    return Fixpoint(definitions, output=0 if even else 1)


def cycles(link: Plan, source: str = "src", target: str = "dst") -> Plan:
    """Return who lies on a cycle.

    cycle(x) :- reachable(x, x).
    """
    return clause({source: "x"}, atom(reachable(link, source, target), "x", "x"))


def nodes(link: Plan, source: str = "src", target: str = "dst", name: str = "node") -> Plan:
    """Return the ends of the links.

    node(x) :- link(x, _).    node(x) :- link(_, x).
    """
    edge = taken(link, source, target)
    return either(clause({name: "x"}, atom(edge, "x", "_")), clause({name: "x"}, atom(edge, "_", "x")))


def unreachable(link: Plan, source: str = "src", target: str = "dst") -> Plan:
    """Return who does not reach whom: negation over a recursive view.

    unreachable(x, y) :- node(x), node(y), not reachable(x, y).
    """
    node = nodes(link, source, target)
    pairs = clause({source: "x", target: "y"}, atom(node, "x"), atom(node, "y"))
    return without(pairs, reachable(link, source, target))


def without(plan: Plan, others: Plan) -> Plan:
    """Return the rows of a plan that begin with no row of another.

    left(x̄, ȳ), not others(x̄).
    """
    keys = tuple(Field(i, column.type, column.name) for i, column in enumerate(others.columns))
    return AntiJoin(plan, others, keys, keys)


def reach_sizes(link: Plan, source: str = "src", target: str = "dst") -> Plan:
    """Return how many each node reaches: an aggregate over a recursive view.

    size(x, count(y)) :- reachable(x, y).
    """
    reached = reachable(link, source, target)
    node = reached.columns[0]
    columns = (node, Column("size", Type.BIGINT))
    return Aggregate(reached, (Field(0, node.type, node.name),), (AggregateCall("count", None),), columns)


def open_links(link: Plan, closed: Plan, source: str = "src", target: str = "dst") -> Plan:
    """Return the links whose both ends are open: negation that a recursive view may stand on.

    open(x, y) :- link(x, y), not closed(x), not closed(y).
    """
    edge = taken(link, source, target)
    for position in (0, 1):
        column = edge.columns[position]
        here, there = Field(position, column.type, column.name), Field(0, closed.columns[0].type)
        edge = AntiJoin(edge, closed, (here,), (there,))
    return edge
