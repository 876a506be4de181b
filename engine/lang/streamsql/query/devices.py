"""FROM DEVICE type: a stream named by the type of the devices that feed it.

DEVICE seat  →  the one stream that declares  device: seat
seats FROM DEVICE seat  →  seats, if that is what it declares
"""

from collections.abc import Iterable

from sqlglot import exp

from engine.lang.streamsql.grammar.brackets import DEVICE, IS_DEVICE
from engine.lang.streamsql.spans import span_of, where
from engine.model.catalog import Catalog
from engine.model.errors import QueryError, nearest
from engine.model.relation import Relation


def relation_of(catalog: Catalog, views: Iterable[str], node: exp.Table) -> Relation:
    """Return the base relation that FROM names, by its name or its devices."""
    if node.args.get(IS_DEVICE):
        return _fed_by(catalog, node)
    relation = catalog.find(node.name.lower(), views, span_of(node.this))
    wanted = node.args.get(DEVICE)
    if wanted and wanted.name.lower() != relation.device:
        fed = f"devices of type {relation.device}" if relation.device else "no declared type of device"
        problem = f"{relation.name} is fed by {fed}, not by {wanted.name}"
        message = f"{problem}{where(node, 'from')}{_types(catalog)}"
        raise QueryError(message, span_of(node.this))
    return relation


def _fed_by(catalog: Catalog, node: exp.Table) -> Relation:
    wanted = node.name.lower()
    found = [relation for relation in catalog if relation.device == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        names = " and ".join(relation.name for relation in found)
        message = f"devices of type {wanted} feed {names}{where(node, 'from')}; name one of them"
        raise QueryError(message, span_of(node.this))
    types = _declared(catalog)
    message = f"unknown type of device {wanted}{where(node, 'from')}{_types(catalog)}{nearest(wanted, types)}"
    raise QueryError(message, span_of(node.this))


def _declared(catalog: Catalog) -> list[str]:
    return sorted({relation.device for relation in catalog if relation.device is not None})


def _types(catalog: Catalog) -> str:
    return f"; the types are {', '.join(_declared(catalog)) or 'none'}"
