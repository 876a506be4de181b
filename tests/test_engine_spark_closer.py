"""Ticks close in order, one at a time, while the next is brought; who brings hears of one that failed."""

import threading

import pytest

from engine.spark.closer import Closer

PATIENCE = 60.0


def test_the_next_tick_is_brought_while_one_closes_and_only_one_waits() -> None:
    may_close, closed = threading.Semaphore(0), list[int]()

    def close(tick: int) -> None:
        assert may_close.acquire(timeout=PATIENCE)
        closed.append(tick)

    closer = Closer[int](close, lambda: None)
    closer.give(1)  # returns although 1 is not closed
    second = threading.Thread(target=closer.give, args=(2,))
    second.start()
    second.join(0.05)
    assert second.is_alive()
    assert closed == []
    may_close.release()
    second.join(PATIENCE)
    assert closed == [1]
    may_close.release()
    closer.settle()
    closer.end()
    assert closed == [1, 2]


def test_a_tick_that_fails_ends_the_bringing_and_no_other_is_taken_until_it_begins_anew() -> None:
    ended, closed = threading.Event(), list[int]()

    def close(tick: int) -> None:
        if tick == 1:
            message = "no room"
            raise OSError(message)
        closed.append(tick)

    closer = Closer[int](close, ended.set)
    closer.give(1)
    assert ended.wait(PATIENCE)
    for _ in range(2):
        with pytest.raises(OSError, match="no room"):
            closer.give(2)
    closer.begin()
    closer.give(2)
    closer.end()
    assert closed == [2]
