"""Rows that a text says itself; a leaf of logical and physical plans alike, and at home at no site."""

from dataclasses import dataclass

from engine.model.relation import Column
from engine.model.values import Row
from engine.plan.sharing import node


@node
@dataclass(frozen=True)
class Constant:
    """Nothing changes these rows."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
