"""What the names in a query stand for.

alias.column  →  an expression over the rows that FROM makes
column        →  the same, where only one visible column has the name; else a column of the query around
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from engine.lang.streamsql.grammar.remedies import of_column
from engine.lang.streamsql.spans import span_of, where
from engine.model.errors import QueryError, nearest
from engine.model.relation import Column
from engine.plan.expressions import Expr, Field
from engine.plan.rows import shifted

Outside = Callable[[exp.Column], Expr | None]
Named = tuple[str, Expr]
NO_FROM = "there is no FROM"


@dataclass(frozen=True, slots=True)
class Source:
    """One relation of the FROM clause and where its columns begin."""

    alias: str
    columns: tuple[Column, ...]
    start: int = 0

    def named(self) -> tuple[Named, ...]:
        fields = enumerate(self.columns, self.start)
        return tuple((c.name, Field(i, c.type, f"{self.alias}.{c.name}")) for i, c in fields)


@dataclass(frozen=True, slots=True)
class Scope:
    """The relations of one FROM clause; ``visible`` is what a bare name or * means, merged columns once.

    ``made`` are the names that SELECT gives, which a clause before it does not know.
    """

    sources: tuple[Source, ...] = ()
    visible: tuple[Named, ...] = ()
    outside: Outside | None = None
    made: frozenset[str] = frozenset()

    def shifted(self, by: int) -> "Scope":
        """Return the scope over rows in which the columns lie further to the right."""
        sources = tuple(replace(source, start=source.start + by) for source in self.sources)
        visible = tuple((name, shifted(expression, by)) for name, expression in self.visible)
        return Scope(sources, visible, self.outside)

    def beside(self, other: "Scope", node: exp.Expr) -> "Scope":
        """Return both scopes, the other one's places being set already."""
        taken = {source.alias for source in self.sources}
        twice = next((source.alias for source in other.sources if source.alias in taken), None)
        if twice:
            message = f"{twice} stands twice in FROM; give one of them another alias"
            raise QueryError(message, span_of(node))
        return Scope(self.sources + other.sources, self.visible + other.visible, self.outside)

    def merged(self, columns: tuple[Named, ...]) -> "Scope":
        """Return the scope in which these columns, of both sides of a join, stand once, and first."""
        names = {name for name, _ in columns}
        return replace(self, visible=columns + tuple(v for v in self.visible if v[0] not in names))

    def resolve(self, node: exp.Expr, clause: str) -> Expr | None:
        """Return what a column stands for; what is no column is for others to bind."""
        return self.field(node, clause) if isinstance(node, exp.Column) else None

    def field(self, node: exp.Column, clause: str) -> Expr:
        """Return what a column's name stands for."""
        found = self.find(node, clause)
        if found is None:
            raise QueryError(self._unknown_column(node, clause), span_of(node))
        return found

    def find(self, node: exp.Column, clause: str) -> Expr | None:
        """Return what a column's name stands for, here or outside; None where nothing has the name."""
        name, qualifier = node.name.lower(), node.table.lower()
        if qualifier and self._named(qualifier) is None:
            return self.outside(node) if self.outside else None
        found = [expression for each, expression in self._candidates(qualifier) if each.lower() == name]
        if len(found) > 1:
            places = " and ".join(getattr(field, "name", name) for field in found)
            message = f"ambiguous column {name}{where(node, clause)}; it may be {places}"
            raise QueryError(message, span_of(node))
        if found:
            return found[0]
        if qualifier:
            raise QueryError(self._unknown_column(node, clause), span_of(node))
        return self.outside(node) if self.outside else None

    def has(self, name: str) -> bool:
        return any(each == name for each, _ in self.visible)

    def star(self, qualifier: str, node: exp.Expr) -> tuple[Named, ...]:
        """Return every column, or every column of one relation."""
        if qualifier and self._named(qualifier) is None:
            raise QueryError(self._unknown_relation(qualifier, node, "select"), span_of(node))
        return self._candidates(qualifier)

    def _named(self, alias: str) -> Source | None:
        return next((source for source in self.sources if source.alias == alias), None)

    def _candidates(self, qualifier: str) -> tuple[Named, ...]:
        source = self._named(qualifier)
        return source.named() if source else self.visible

    def _unknown_relation(self, qualifier: str, node: exp.Expr, clause: str) -> str:
        aliases = [source.alias for source in self.sources]
        known = f"FROM has {', '.join(aliases)}{nearest(qualifier, aliases)}" if aliases else NO_FROM
        return f"unknown relation {qualifier}{where(node, clause)}; {known}"

    def _unknown_column(self, node: exp.Column, clause: str) -> str:
        qualifier = node.table.lower()
        source = self._named(qualifier)
        if qualifier and source is None:
            return self._unknown_relation(qualifier, node, clause)
        sources = (source,) if source else self.sources
        shown = f"{node.table}.{node.name}" if node.table else node.name
        has = "; ".join(f"{s.alias} has {', '.join(c.name for c in s.columns)}" for s in sources)
        names = [c.name for s in sources for c in s.columns]
        is_made = not qualifier and node.name.lower() in self.made
        named = f"; SELECT gives that name, which {clause} cannot use: repeat what it stands for"
        meant = nearest(node.name, names) or (named if is_made else of_column(node))
        known = f"{has or NO_FROM}{meant}"
        return f"unknown column {shown}{where(node, clause)}; {known}"
