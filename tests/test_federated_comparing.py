"""A join whose inputs are compared, not equated: each tree drops what it brought together; there are many."""

from itertools import combinations

import pytest

from engine.lang.streamsql import parse
from federated.memo.arrays import Arrays
from federated.optimizer import FederatedOptimizer
from tests.memory_log import MemoryLog
from tests.random_sql import CATALOG


def compared(count: int) -> str:
    """A join of so many inputs in which every two are compared."""
    tables = ", ".join(f"rooms a{i}" for i in range(count))
    asked = (f"a{i}.k < a{j}.n" for i, j in combinations(range(count), 2))
    return f"SELECT a0.k FROM {tables} WHERE {' AND '.join(asked)}"


@pytest.mark.parametrize(("count", "most"), [(8, 2), (10, 0)])
def test_however_many_joins_select_the_memo_takes_them_in_at_once(monkeypatch, count, most):
    """One read for each of 3,025 joins would keep the ticks waiting for a minute."""
    reads = []
    read = Arrays.read_shares
    monkeypatch.setattr(Arrays, "read_shares", lambda arrays: (reads.append(1), read(arrays))[1])
    session = MemoryLog().session(CATALOG)
    FederatedOptimizer().optimize(session._views.bind(parse(compared(count))))
    assert len(reads) == most
