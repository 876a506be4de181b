"""What the names in a query stand for.

alias.column  →  a position in the concatenation of the FROM clause's relations
"""

from dataclasses import dataclass

from sqlglot import exp

from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.plan.expressions import Field


@dataclass(frozen=True, slots=True)
class Source:
    """One relation of the FROM clause and where its columns begin."""

    alias: str
    columns: tuple[Column, ...]
    start: int


class Scope:
    """The relations of one FROM clause."""

    def __init__(self) -> None:
        self.sources: list[Source] = []

    def add(self, alias: str, columns: tuple[Column, ...], node: exp.Expr) -> None:
        if any(source.alias == alias for source in self.sources):
            message = f"{alias} stands twice in FROM; give one of them another alias"
            raise QueryError(message, span_of(node))
        start = sum(len(source.columns) for source in self.sources)
        self.sources.append(Source(alias, columns, start))

    def field(self, node: exp.Column, clause: str) -> Field:
        """Return what a column's name stands for."""
        name, qualifier = node.name.lower(), node.table.lower()
        candidates = self.sources if not qualifier else [self._source(qualifier, node, clause)]
        found = [
            Field(source.start + i, column.type, f"{source.alias}.{column.name}")
            for source in candidates
            for i, column in enumerate(source.columns)
            if column.name == name
        ]
        if len(found) == 1:
            return found[0]
        if found:
            places = " and ".join(field.name for field in found)
            message = f"ambiguous column {name}{where(node, clause)}; it may be {places}"
            raise QueryError(message, span_of(node))
        raise QueryError(self._unknown_column(node, candidates, clause), span_of(node))

    def star(self, qualifier: str, node: exp.Expr) -> list[Field]:
        """Return every column, or every column of one relation."""
        sources = [self._source(qualifier, node, "select")] if qualifier else self.sources
        return [
            Field(s.start + i, c.type, f"{s.alias}.{c.name}")
            for s in sources
            for i, c in enumerate(s.columns)
        ]

    def _source(self, qualifier: str, node: exp.Expr, clause: str) -> Source:
        for source in self.sources:
            if source.alias == qualifier:
                return source
        aliases = [source.alias for source in self.sources]
        message = (
            f"unknown relation {qualifier}{where(node, clause)}; FROM has {', '.join(aliases)}"
            f"{nearest(qualifier, aliases)}"
        )
        raise QueryError(message, span_of(node))

    def _unknown_column(self, node: exp.Column, candidates: list[Source], clause: str) -> str:
        shown = f"{node.table}.{node.name}" if node.table else node.name
        has = "; ".join(f"{s.alias} has {', '.join(c.name for c in s.columns)}" for s in candidates)
        names = [c.name for s in candidates for c in s.columns]
        return f"unknown column {shown}{where(node, clause)}; {has}{nearest(node.name, names)}"
