"""A query graph from a list of joins, its equalities closed.

    [("o.custkey", "c.custkey"), ("c.nation", "s.nation"), ("s.nation", "n.nation")]
        →  classes {o, c} and {c, s, n}: c.nation = n.nation is implied, and joins too

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016, figure 24, whose plan needs
    the implied equality.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.model.errors import PlanError
from federated.memo.graph import Base, EqualityClass, QueryGraph

Joins = Iterable[tuple[str, str]]


class Catalog(NamedTuple):
    """What is known of columns ``relation.column``: numbers of values, kept orders, indices."""

    values: Mapping[str, float] = {}
    ordered: frozenset[str] = frozenset()
    indexed: frozenset[str] = frozenset()


def join_graph(
    rows: Mapping[str, float],
    joins: Joins,
    catalog: Catalog = Catalog(),  # noqa: B008  it cannot change
    *,
    kept: Mapping[tuple[str, ...], float] = {},
    products: bool = False,
) -> QueryGraph:
    """Return the graph of relations with their rows, joined on pairs of equal columns."""
    bare = QueryGraph(tuple(Base(name, max(count, 1.0)) for name, count in rows.items()))
    classes = tuple(_class_of(bare, columns, catalog) for columns in closed(joins))
    shares = tuple((bare.mask_of(names), share) for names, share in kept.items())
    joining = tuple(c for c in classes if c.members.bit_count() > 1)
    return QueryGraph(bare.bases, joining, shares, products)


def closed(joins: Joins) -> list[list[str]]:
    """Gather columns that are equal, directly or through others; in the order in which they are named."""
    groups: list[list[str]] = []
    for pair in joins:
        met = [group for group in groups if group.count(pair[0]) or group.count(pair[1])]
        together = list(dict.fromkeys([column for group in met for column in group] + list(pair)))
        groups = [group for group in groups if group not in met]
        groups.append(together)
    return groups


def _class_of(graph: QueryGraph, columns: list[str], catalog: Catalog) -> EqualityClass:
    """Of two columns of one relation the one with more values counts: their equality is its selection."""
    values: dict[int, float] = {}
    for column in columns:
        r = _relation_of(graph, column)
        known = catalog.values.get(column, graph.bases[r].rows)
        values[r] = max(values.get(r, 1.0), known)
    return EqualityClass(
        sum(1 << r for r in values),
        tuple(sorted(values.items())),
        _who(graph, columns, catalog.ordered),
        _who(graph, columns, catalog.indexed),
    )


def _who(graph: QueryGraph, columns: list[str], kept: frozenset[str]) -> int:
    mask = 0
    for column in columns:
        mask |= (column in kept) << _relation_of(graph, column)
    return mask


def _relation_of(graph: QueryGraph, column: str) -> int:
    name, point, _ = column.rpartition(".")
    if not point:
        message = f"a join names column {column}, expected relation.column"
        raise PlanError(message)
    return graph.number(name)
