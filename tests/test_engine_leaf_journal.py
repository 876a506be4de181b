"""The journal of a leaf in shares, where there is no room for it: everything else goes on."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from engine.model.clock import SECOND
from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.budget import Budget
from engine.partitions.in_place import InPlace
from engine.partitions.leaves.leaf import SpreadLeaf, spread_leaf
from engine.partitions.leaves.pieces import is_spread
from engine.views.checkpoint import from_bytes, to_bytes
from federated.placing.outgrown import Outgrown
from tests.memory_log import MemoryLog, rows_of
from tests.spread_leaves import COUNTED, LEAVES, leaf_in, session_of, ticks

SMALL = 1_000_000


@contextmanager
def no_room() -> Iterator[None]:
    """Have no file grow over a megabyte, as on a disk that is nearly full; what logs write still fits."""
    soft, hard = getrlimit(RLIMIT_FSIZE)
    setrlimit(RLIMIT_FSIZE, (SMALL, hard))
    try:
        yield
    finally:
        setrlimit(RLIMIT_FSIZE, (soft, hard))


def padded(key: str, size: int) -> str:
    """A key so long, also when it is packed."""
    return f"{key} {Random(key).randbytes(size).hex()}"


def large(key: str, at: int) -> list[Reading]:
    return [Reading("t", 1, (padded(key, 2 * SMALL), 1), at, 0, at)]


def shortened(rows: Mapping[Row, int]) -> list[str]:
    return sorted(str(key)[0] for key, _ in rows)


def without_room() -> SpreadLeaf:
    """A leaf to which rows came that its journal had no room for."""
    spread = spread_leaf(LEAVES["keyed"], Budget(), lambda: InPlace(2))
    spread.restore([])
    with no_room():
        assert shortened(spread.advance(large("a", 1), 1)) == ["a"]
        assert shortened(spread.advance(large("b", 2), 2)) == ["b"]
    return spread


def test_where_the_journal_cannot_be_written_ticks_go_on_and_a_loss_says_what_to_do() -> None:
    spread = without_room()
    with no_room():
        assert is_spread(spread.state())
        spread.forget()
        with pytest.raises(SourceError, match=r"its rows are lost: nothing can be written to /.* a restart"):
            spread.contents()
    spread.end()


def test_a_journal_that_could_not_be_written_is_whole_again_once_there_is_room() -> None:
    spread = without_room()
    spread.advance(large("c", 20 * SECOND), 20 * SECOND)
    spread.forget()
    assert shortened(spread.contents()) == ["a", "b", "c"]
    spread.end()


def test_without_room_for_a_journal_a_table_stays_in_the_driver_and_begins_there() -> None:
    log = MemoryLog()
    session = session_of(log, Outgrown(3, 10))
    session.create_view(COUNTED)
    log.write(1_000, "t", *[(padded(f"k{i}", SMALL // 25), i % 3) for i in range(60)])
    with no_room():
        ticks(log, session, 8)
        assert leaf_in(session).is_here
        assert rows_of(session, "counted") == {(i, 20): 1 for i in range(3)}
    ticks(log, session, 520)
    assert not leaf_in(session).is_here
    assert session.at_risk() == ()
    with no_room():
        log.write(1_000, "t", *[(padded(f"more{i}", SMALL // 25), i % 3) for i in range(60)])
        log.tick(session)
        (risk,) = session.at_risk()
        assert risk.startswith("the rows of table t by k: nothing can be written to /")
        log.write(1_000, "t", *[(padded(f"more{i}", SMALL // 25), i % 3) for i in range(60)], sign=-1)
        log.tick(session)
        image = from_bytes(to_bytes(session.image()))
        again = session_of(log, Outgrown(3, 10))
        again.restore(image, lambda _: None)
    assert leaf_in(again).is_here
    assert leaf_in(again).entries() == 60
