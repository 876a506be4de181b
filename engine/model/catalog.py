"""The base relations that queries may name."""

from collections.abc import Iterable, Iterator

from engine.model.errors import QueryError, Span, nearest, some_of
from engine.model.relation import REJECTS, SITES, Relation


class Catalog:
    """Relations by name; ``rejects`` is always among them."""

    def __init__(self, relations: Iterable[Relation] = ()) -> None:
        self._relations = {REJECTS.name: REJECTS, SITES.name: SITES}
        for relation in relations:
            self._relations[relation.name] = relation

    def __iter__(self) -> Iterator[Relation]:
        return iter(self._relations.values())

    def __contains__(self, name: str) -> bool:
        return name in self._relations

    def __getitem__(self, name: str) -> Relation:
        return self._relations[name]

    def declare(self, relation: Relation) -> None:
        self._relations[relation.name] = relation

    def drop(self, name: str) -> None:
        del self._relations[name]

    def find(
        self, name: str, also: Iterable[str] = (), span: Span | None = None, clause: str = "from"
    ) -> Relation:
        """Return the relation, or raise the error that names those there are.

        Languages fold names to small letters; what a database calls otherwise is found where one alone fits.
        """
        if name in self._relations:
            return self._relations[name]
        alike = [relation for each, relation in self._relations.items() if each.lower() == name]
        if len(alike) == 1:
            return alike[0]
        known = sorted({*self._relations, *also})
        line = f" in {clause}, line {span.line}" if span else ""
        message = f"unknown relation {name}{line}; there are {some_of(known)}{nearest(name, known)}"
        raise QueryError(message, span)
