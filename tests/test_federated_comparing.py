"""A join whose inputs are compared, not equated: each tree drops what it brought together; there are many."""

from itertools import combinations

import pytest

from engine.lang.streamsql import parse
from federated.joining import search
from federated.memo.arrays import Arrays
from federated.optimizer import FederatedOptimizer
from tests.memory_log import MemoryLog
from tests.random_sql import CATALOG


def compared(count: int) -> str:
    """A join of so many inputs in which every two are compared."""
    tables = ", ".join(f"rooms a{i}" for i in range(count))
    asked = (f"a{i}.k < a{j}.n" for i, j in combinations(range(count), 2))
    return f"SELECT a0.k FROM {tables} WHERE {' AND '.join(asked)}"


def test_however_many_joins_select_the_memo_takes_them_in_at_once(monkeypatch):
    """One read for each of 3,025 joins would keep the ticks waiting."""
    monkeypatch.setattr(search, "MOST_WAYS", 100_000)
    reads = []
    read = Arrays.read_shares
    monkeypatch.setattr(Arrays, "read_shares", lambda arrays: (reads.append(1), read(arrays))[1])
    session = MemoryLog().session(CATALOG)
    FederatedOptimizer().optimize(session._views.bind(parse(compared(8))))
    assert len(reads) == 2


def chained(count: int) -> str:
    tables = ", ".join(f"rooms a{i}" for i in range(count))
    return f"SELECT a0.k FROM {tables} WHERE {' AND '.join(f'a{i}.k = a{i + 1}.n' for i in range(count - 1))}"


def on_one_column(count: int) -> str:
    return chained(count).replace(".n", ".k")


@pytest.mark.parametrize(
    ("sql", "ways"),
    [
        (compared(7), 900),
        (compared(8), 0),
        (compared(10), 0),
        (compared(20), 0),
        (chained(10), 150),
        (chained(20), 0),
        (on_one_column(8), 3_000),
        (on_one_column(9), 0),
    ],
    ids=lambda each: None if isinstance(each, int) else f"{each.count('rooms')}",
)
def test_all_trees_are_looked_at_where_these_are_counted_and_found_few(sql, ways):
    session, optimizer = MemoryLog().session(CATALOG), FederatedOptimizer()
    optimizer.optimize(session._views.bind(parse(sql)))
    considered = optimizer.searched().considered
    assert considered >= ways if ways else not considered
