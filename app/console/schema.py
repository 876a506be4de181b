"""What a query may name, as the console lists and completes it.

relations   streams, tables and views with their columns, each with who may read it
functions   by name, with what each takes
"""

from collections.abc import Iterator
from typing import Any

from app import present
from app.facade import Engine, ViewInfo
from engine.model.relation import Relation
from engine.showing import functions


def schema(engine: Engine) -> dict[str, Any]:
    """Return all that a text over this building can name."""
    relations = [*map(_relation, engine.relations()), *map(_view, engine.views())]
    return {
        "relations": sorted(relations, key=lambda each: each["name"]),
        "functions": list(_functions()),
    }


def _relation(of: Relation) -> dict[str, Any]:
    return {
        "name": of.name,
        "kind": str(of.kind),
        "columns": present.columns(of.columns),
        "key": list(of.key),
        "window": of.window,
        "source": of.fed_by,
    }


def _view(of: ViewInfo) -> dict[str, Any]:
    return {
        "name": of.name,
        "kind": "view",
        "columns": present.columns(of.columns),
        "text": of.sql,
        "rows": of.rows,
        "suspended": of.suspended,
    }


def _functions() -> Iterator[dict[str, str]]:
    return ({"name": name, "takes": takes} for name, takes in functions())
