"""Why a row is there as PROV-JSON, which other tools read.

    a row          an entity          its relation, and its values under their names
    a derivation   an activity        it used the rows it needs, and generated the row that was asked about
    a source       an agent           base rows are attributed to it

A row needs no more than one of its activities; those that are not listed are not in the document.

References:
    Huynh, Jewell, Keshavarz, Michaelides, Yang, Moreau. The PROV-JSON Serialization. W3C Member
    Submission 2013.
"""

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from app import present
from engine.contracts import Explanation
from engine.views.lineage import BaseRow

PREFIX = "smartcis"
Document = dict[str, dict[str, Any]]
SourceOf = Callable[[str], str]


def document(
    found: Explanation,
    derivations: Iterable[Iterable[BaseRow]],
    came: Mapping[BaseRow, int],
    source_of: SourceOf,
) -> Document:
    """Return the derivations of a row; ``came`` says when base rows came, where that is known."""
    asked = BaseRow(found.view, found.row)
    made: Document = {
        "prefix": {PREFIX: "urn:smartcis:"},
        "entity": {entity_of(asked): _described(asked, found)},
        "activity": {}, "agent": {}, "used": {}, "wasGeneratedBy": {}, "wasDerivedFrom": {},
        "wasAttributedTo": {},
    }  # fmt: skip
    for number, rows in enumerate(derivations, 1):
        activity = f"{PREFIX}:derivation-{number}-of-{_name(asked)}"
        made["activity"][activity] = {"prov:label": f"derivation {number} of {found.view}"}
        _relate(made, "wasGeneratedBy", {"prov:entity": entity_of(asked), "prov:activity": activity})
        for row in sorted(rows, key=str):
            _take(made, row, found, came.get(row), source_of(row.relation))
            _relate(made, "used", {"prov:activity": activity, "prov:entity": entity_of(row)})
            derived = {"prov:generatedEntity": entity_of(asked), "prov:usedEntity": entity_of(row)}
            _relate(made, "wasDerivedFrom", {**derived, "prov:activity": activity})
    return {kind: members for kind, members in made.items() if members}


def _take(made: Document, row: BaseRow, found: Explanation, at: int | None, source: str) -> None:
    entity = entity_of(row)
    if entity in made["entity"]:
        return
    made["entity"][entity] = _described(row, found)
    if at is not None:
        _relate(made, "wasGeneratedBy", {"prov:entity": entity, "prov:time": present.moment(at)})
    if source:
        agent = f"{PREFIX}:source-{sha256(source.encode()).hexdigest()[:16]}"
        made["agent"][agent] = {"prov:label": source}
        _relate(made, "wasAttributedTo", {"prov:entity": entity, "prov:agent": agent})


def _described(row: BaseRow, found: Explanation) -> dict[str, Any]:
    columns = found.columns[row.relation]
    cells = present.row_presenter(columns)(row.row)
    values = {f"{PREFIX}:{column.name}": cell for column, cell in zip(columns, cells, strict=True)}
    known = {name: _literal(value) for name, value in values.items() if value is not None}
    return {"prov:label": f"a row of {row.relation}", "prov:type": f"{PREFIX}:row", **known}


def _literal(value: present.Cell) -> present.Cell:
    """Return a value as an attribute may have it: one literal."""
    return str(value) if isinstance(value, list) else value


def _relate(made: Document, kind: str, relation: dict[str, Any]) -> None:
    made[kind][f"_:{kind}{len(made[kind]) + 1}"] = relation


def entity_of(row: BaseRow) -> str:
    return f"{PREFIX}:row-{_name(row)}"


def _name(row: BaseRow) -> str:
    """Return a name that every document has for the row; a qualified name may not hold what rows may."""
    return sha256(repr((row.relation, row.row)).encode()).hexdigest()[:16]
