"""Relations that come and go while the building runs: entries of the log, as everything else is.

    entry of source ``declared``     {"name", "kind", "wrapper", …}        from here on there is the relation
                                     {"name", "drops": true}               and from here on there is not
    in force at an offset            each name's last entry up to there, unless that drops it

So a replay decodes every entry by what was declared when it was received. ``wrapper`` is ``mqtt`` (``spec``
as a section of sources.yaml), ``database`` (a table that is polled) or empty: rows that people write.

A *fragment*, kind ``fragment``, is a part of a plan that another site runs: ``sensor`` or ``database``. What
it puts out is a relation that nobody names in a query.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.model.relation import DEFAULT_SKEW, SENSOR_SITE, Column, Relation, RelationKind
from engine.model.values import Type
from engine.plan.leaves import GATEWAY_HEAD, Shipped, numbered
from engine.plan.wire import to_wire
from ingest.log import DECLARED_SOURCE, Entry
from ingest.sources import MqttStream, stream_of

WRITTEN_SOURCE = "written"
FRAGMENT = "fragment"
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One entry: a relation from an offset on, or, without a relation, the end of one."""

    offset: int
    name: str
    relation: Relation | None = None
    stream: MqttStream | None = None
    body: Body | None = None

    @property
    def is_fragment(self) -> bool:
        """Tell whether it is what another site computes, and no relation that people know."""
        return self.body is not None and self.body["kind"] == FRAGMENT

    @property
    def site(self) -> str:
        """Where a fragment runs."""
        return str((self.body or {})["site"])

    @property
    def source(self) -> str:
        """What the log calls a table that is polled: a name that is declared again is another source."""
        return f"db:{self.name}@{self.offset}"


def read_declaration(offset: int, payload: bytes) -> Declaration:
    """Return what an entry says."""
    body = json.loads(payload)
    name = body["name"]
    if body.get("drops"):
        return Declaration(offset, name)
    if body["wrapper"] == "mqtt":
        stream = stream_of(name, body["spec"])
        return Declaration(offset, name, stream.relation(), stream, body)
    if body["kind"] == FRAGMENT:
        return Declaration(offset, name, _put_out(body), None, body)
    return Declaration(offset, name, _relation(body), None, body)


def _relation(body: Body) -> Relation:
    columns = tuple(Column(name, Type(kind), nullable) for name, kind, nullable in body["columns"])
    return Relation(
        body["name"],
        RelationKind(body["kind"]),
        columns,
        tuple(body.get("key", ())),
        body.get("window"),
        body["wrapper"] or WRITTEN_SOURCE,
        body.get("event_time"),
        body.get("skew", DEFAULT_SKEW),
        body.get("lateness", 0),
    )


def _put_out(body: Body) -> Relation:
    """Return what a fragment's rows are in the log; gateways say who speaks."""
    columns = tuple(Column(name, Type(kind), nullable) for name, kind, nullable in body["columns"])
    head = GATEWAY_HEAD if body["site"] == SENSOR_SITE else ()
    return Relation(body["name"], RelationKind.TABLE, (*head, *columns), source=body["site"])


def asking_for(shipped: Shipped) -> Entry:
    """Return the entry from which on another site computes a leaf."""
    body = {
        "name": shipped.name,
        "kind": FRAGMENT,
        "wrapper": shipped.site.partition(":")[0],
        "site": shipped.site,
        "method": shipped.method,
        "plan": to_wire(shipped.plan),
        "columns": [[c.name, str(c.type), c.nullable] for c in numbered(shipped.columns)],
    }
    return entry_of(body)


def entry_of(body: Body) -> Entry:
    """Return the entry that declares a relation."""
    return Entry(DECLARED_SOURCE, body["name"], json.dumps(body).encode())


def dropping(name: str) -> Entry:
    return entry_of({"name": name, "drops": True})


def rows_of(relation: Relation, sign: int, rows: Iterable[tuple[Any, ...]]) -> Entry:
    """Return the entry by which people write rows into a relation, or take them out."""
    names = [column.name for column in relation.columns]
    changes = [[sign, relation.name, dict(zip(names, row, strict=True))] for row in rows]
    return Entry(WRITTEN_SOURCE, relation.name, json.dumps({"changes": changes}).encode())


def in_force(declarations: Iterable[Declaration], known: Iterable[str] = ()) -> tuple[Declaration, ...]:
    """Return what is declared after all of these; a name that the building has itself is the building's."""
    last = {declaration.name: declaration for declaration in declarations}
    names = set(known)
    return tuple(found for found in last.values() if found.relation is not None and found.name not in names)


def relations_in_force(declarations: Iterable[Declaration], known: Iterable[str] = ()) -> list[Relation]:
    """Return the relations among it that queries may name."""
    current = in_force(declarations, known)
    return [each.relation for each in current if each.relation is not None and not each.is_fragment]


def name_of(label: Any) -> Any:
    """Return the fragment that fragment:…@offset names, of the declaration at that offset."""
    is_label = isinstance(label, str) and label.startswith("fragment:")
    return label.partition("@")[0] if is_label else label


def is_outlived(change: object, declared: Mapping[str, int]) -> bool:
    """Tell whether a change is of a fragment that another declaration has followed."""
    label = change[1] if isinstance(change, list) and len(change) > 1 else None
    name = name_of(label)
    return name != label and label != f"{name}@{declared.get(name)}"


def spent(declarations: Iterable[Declaration], first: int) -> list[int]:
    """Return the entries about fragments that nothing from ``first`` on is decoded by.

    Of what people declare all is kept: a name that was declared before is not a new one.
    """
    before = [each for each in declarations if each.offset < first]
    fragments = {each.name for each in before if each.is_fragment}
    last = {each.name: each for each in before}
    gone = [each for each in before if each is not last[each.name] or each.relation is None]
    return [each.offset for each in gone if each.name in fragments]
