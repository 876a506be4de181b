"""A view's past: what was in it at any time, and how its values went, in as many points as are wanted.

    marks      WITH (history = '30 days', …): how long, and by which key rows are told apart
    book       the rows by key; a tick's changes become turns  (at, series, rows of that key from then on)
    pieces     a stretch of a series and what can be said of its values; pieces join, so they roll up
    packing    turns, pieces and keyframes as bytes
    levels     from which of them a question is answered

A *series* is what one key of a view went through. A turn holds all rows of its key, not what changed:
so what was written twice says the same as once, and the last turn of a series up to t is its state at t.
"""

from engine.views.history.book import Bag, Book, Shape, Turn
from engine.views.history.levels import HOUR, MINUTE, Grid, grid_of
from engine.views.history.marks import Retention
from engine.views.history.pieces import Event, Gap, Piece, Stat, at_all_times, join, rolled

__all__ = [
    "HOUR",
    "MINUTE",
    "Bag",
    "Book",
    "Event",
    "Gap",
    "Grid",
    "Piece",
    "Retention",
    "Shape",
    "Stat",
    "Turn",
    "at_all_times",
    "grid_of",
    "join",
    "rolled",
]
