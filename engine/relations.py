"""Base relations that come and go while the engine runs.

A relation that comes is kept from where the log declares it. One that a view reads cannot go.
"""

from collections.abc import Iterator

from engine.contracts import Stamp
from engine.model.catalog import Catalog
from engine.model.errors import QueryError, nearest, some_of
from engine.model.relation import Relation
from engine.plan.physical import Physical, leaves
from engine.registry import Registry
from engine.upkeep import Upkeep


class Relations:
    """The catalog of a session, as people change it."""

    def __init__(self, catalog: Catalog, views: Registry, upkeep: Upkeep) -> None:
        self._catalog, self._views, self._upkeep = catalog, views, upkeep

    def all(self) -> tuple[Relation, ...]:
        return tuple(self._catalog)

    def check_new(self, name: str) -> None:
        """Raise what has the name already."""
        if name in self._catalog:
            kind = self._catalog[name].kind
            message = f"{name} is a {kind} already; DROP {kind.upper()} {name} first, or take another name"
            raise QueryError(message)
        if name in self._views:
            message = f"{name} is a view; take another name"
            raise QueryError(message)

    def declare(self, relation: Relation, stamp: Stamp) -> None:
        self.check_new(relation.name)
        self._catalog.declare(relation)
        self._upkeep.declare(relation, stamp)

    def drop(self, name: str) -> None:
        """Forget a relation that no view reads."""
        self.get(name)
        readers = [view.name for view in self._views if name in set(_read_by(view.physical))]
        if readers:
            message = f"{name} is read by {', '.join(readers)}; drop what reads it first"
            raise QueryError(message)
        self._catalog.drop(name)
        self._upkeep.forget(name)
        self._upkeep.keep_only(view.node for view in self._views if view.node is not None)

    def get(self, name: str) -> Relation:
        if name in self._views:
            message = f"{name} is a view: its rows follow from what it reads, and DROP VIEW {name} ends it"
            raise QueryError(message)
        if name not in self._catalog:
            known = sorted(relation.name for relation in self._catalog)
            message = f"unknown relation {name}; there are {some_of(known)}{nearest(name, known)}"
            raise QueryError(message)
        return self._catalog[name]


def _read_by(plan: Physical) -> Iterator[str]:
    return (leaf.relation.name for leaf in leaves(plan))
