"""Join graphs to measure on: the thesis's queries over TPC-H at scale factor 1, SegTollS, and plain shapes.

Rows are those of TPC-H after each query's own selections (a year of orders is a seventh, one region a
fifth); a primary key is indexed and its table kept in its order, a foreign key of the large tables is
indexed. SegTollS reads windows of one stream of car positions with two expressways.
"""

from federated.memo.graph import QueryGraph
from federated.memo.joining import Catalog, join_graph

ROWS = {
    "region": 5.0, "nation": 25.0, "supplier": 10_000.0, "customer": 150_000.0,
    "part": 200_000.0, "partsupp": 800_000.0, "orders": 1_500_000.0, "lineitem": 6_000_000.0,
}  # fmt: skip
VALUES = {
    "region.regionkey": 5.0, "nation.regionkey": 5.0, "nation.nationkey": 25.0,
    "supplier.nationkey": 25.0, "customer.nationkey": 25.0, "supplier.suppkey": 10_000.0,
    "customer.custkey": 150_000.0, "orders.custkey": 100_000.0, "part.partkey": 200_000.0,
    "partsupp.partkey": 200_000.0, "partsupp.suppkey": 10_000.0, "orders.orderkey": 1_500_000.0,
    "lineitem.orderkey": 1_500_000.0, "lineitem.partkey": 200_000.0, "lineitem.suppkey": 10_000.0,
}  # fmt: skip
KEPT_IN_ORDER = frozenset({
    "region.regionkey", "nation.nationkey", "supplier.suppkey", "customer.custkey",
    "part.partkey", "partsupp.partkey", "orders.orderkey", "lineitem.orderkey",
})  # fmt: skip
FOREIGN = frozenset({"orders.custkey", "lineitem.suppkey", "lineitem.partkey", "partsupp.suppkey"})
TPC_H = Catalog(VALUES, KEPT_IN_ORDER, KEPT_IN_ORDER | FOREIGN)

ORDERED = ("customer.custkey", "orders.custkey"), ("orders.orderkey", "lineitem.orderkey")
PLACED = ("supplier.nationkey", "nation.nationkey"), ("nation.regionkey", "region.regionkey")
LOCAL = ("customer.nationkey", "supplier.nationkey")
SUPPLIED = ("lineitem.suppkey", "supplier.suppkey")


def q5() -> QueryGraph:
    rows = _rows("customer", "orders", "lineitem", "supplier", "nation", "region")
    chosen = rows | {"region": 1.0, "orders": rows["orders"] / 7}
    return join_graph(chosen, (*ORDERED, *PLACED, LOCAL, SUPPLIED), TPC_H)


def q10() -> QueryGraph:
    rows = _rows("customer", "orders", "lineitem", "nation")
    chosen = rows | {"orders": rows["orders"] / 28, "lineitem": rows["lineitem"] / 4}
    return join_graph(chosen, (*ORDERED, ("customer.nationkey", "nation.nationkey")), TPC_H)


def q8_join() -> QueryGraph:
    """Return the thesis's eight-way join; it joins partsupp on the part only, and supplier through it."""
    rows = _rows("orders", "lineitem", "customer", "part", "partsupp", "supplier", "nation", "region")
    supplied = ("supplier.suppkey", "partsupp.suppkey")
    parts = ("part.partkey", "lineitem.partkey"), ("partsupp.partkey", "part.partkey")
    return join_graph(rows, (*ORDERED, *PLACED, supplied, *parts), TPC_H)


def seg_toll_s() -> QueryGraph:
    """Return the five windows of SegTollS: its band on segments keeps nine in a hundred pairs."""
    rows = {"r1": 60_000.0, "r2": 200.0, "r3": 4_000.0, "r4": 4_000.0, "r5": 16_000.0}
    cars = {f"{r}.carid": 4_000.0 for r in ("r3", "r4", "r5")}
    segments = {f"{r}.segment": 200.0 for r in ("r1", "r2")}
    ways = {f"{r}.expway": 2.0 for r in ("r2", "r3")}
    joins = [
        ("r1.segment", "r2.segment"), ("r2.expway", "r3.expway"),
        ("r3.carid", "r4.carid"), ("r3.carid", "r5.carid"),
    ]  # fmt: skip
    indexed = frozenset({"r2.segment", "r3.carid"})
    catalog = Catalog(cars | segments | ways, frozenset(), indexed)
    return join_graph(rows, joins, catalog, kept={("r2", "r3"): 0.09})


def chain(n: int) -> QueryGraph:
    """Return a path of joins from a key to a foreign key each."""
    return _shape(n, [(i, i + 1) for i in range(n - 1)])


def star(n: int) -> QueryGraph:
    """Return a large table in the middle of small ones."""
    return _shape(n, [(0, i) for i in range(1, n)])


def clique(n: int) -> QueryGraph:
    """Return relations that may be joined in any order, each two by a predicate of their own."""
    return _shape(n, [(i, j) for i in range(n) for j in range(i + 1, n)])


def _shape(n: int, edges: list[tuple[int, int]]) -> QueryGraph:
    sizes = [
        6_000_000.0,
        1_500_000.0,
        200_000.0,
        150_000.0,
        10_000.0,
        800_000.0,
        2_000.0,
        500.0,
        40_000.0,
        25.0,
    ]
    rows = {f"t{i}": sizes[i] for i in range(n)}
    joins = [(f"t{i}.to{j}", f"t{j}.from{i}") for i, j in edges]
    keys = frozenset(f"t{j}.from{i}" for i, j in edges)
    values = {f"t{i}.to{j}": min(rows[f"t{i}"], rows[f"t{j}"]) for i, j in edges}
    return join_graph(rows, joins, Catalog(values, frozenset(), keys))


def _rows(*names: str) -> dict[str, float]:
    return {name: ROWS[name] for name in names}
