"""Which names of a WITH RECURSIVE are defined by each other.

name → names that its query reads           an edge
defined by each other                       a component: each reaches each
read before it is used                      the order of the components
"""

from collections.abc import Mapping, Sequence

from sqlglot import exp

Names = frozenset[str]
Graph = Mapping[str, Names]


def names_read(query: exp.Expr, names: Names) -> Names:
    """Return those of the names that a query reads; a WITH inside it may hide some."""
    found: set[str] = set()
    unseen = [(query, names)]
    while unseen:
        node, visible = unseen.pop()
        if isinstance(node, exp.Table) and node.name.lower() in visible:
            found.add(node.name.lower())
        with_ = node.args.get("with_")
        if with_ is not None:
            own = frozenset(cte.alias.lower() for cte in with_.expressions)
            for cte in with_.expressions:
                inner = visible - own if with_.args.get("recursive") else visible
                unseen.append((cte.this, inner))
                visible -= {cte.alias.lower()}
        unseen += [(child, visible) for child in node.iter_expressions() if child is not with_]
    return frozenset(found)


def components_of(graph: Graph) -> list[tuple[str, ...]]:
    """Return the components, what is read first, each in the order of its text."""
    reached = {name: reached_from(graph, name) for name in graph}
    left = list(
        dict.fromkeys(
            tuple(
                other
                for other in graph
                if other == name or (other in reached[name] and name in reached[other])
            )
            for name in graph
        )
    )
    found: list[tuple[str, ...]] = []
    done: set[str] = set()
    while left:
        ready = next(c for c in left if all(graph[name] <= done | set(c) for name in c))
        left.remove(ready)
        found.append(ready)
        done.update(ready)
    return found


def reached_from(graph: Graph, name: str) -> Names:
    """Return what a name reads, at any remove."""
    found: set[str] = set()
    unseen = [name]
    while unseen:
        more = graph[unseen.pop()] - found
        found |= more
        unseen += more
    return frozenset(found)


def cycle_through(graph: Graph, start: str, second: str) -> Sequence[str]:
    """Return a shortest cycle that begins with an edge, its first name at its end again."""
    came_from = {second: start}
    waiting = [second]
    for name in waiting:
        if name == start:
            break
        for following in sorted(graph[name] & graph.keys()):
            if following not in came_from:
                came_from[following] = name
                waiting.append(following)
    way = [start]
    while way[-1] != second:
        way.append(came_from[way[-1]])
    return [start, *reversed(way)]
