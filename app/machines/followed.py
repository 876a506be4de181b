"""Continuous queries that a click starts: of one machine, or of the room in which it stands.

    watch {"view": "machine_state(1.01-m07)"}    begins  SELECT … WHERE machine = :of  with that machine

The query lives while somebody watches it, and whoever clicks on the same machine shares it. Only what stands
on the building's plan can be asked of, so there are never more of them than there are machines and rooms.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from app.building import AnyBuilding
from engine.model.errors import QueryError, nearest

FORM = re.compile(r"(?P<name>\w{1,40})\((?P<of>[^()]{1,120})\)")
OF_MACHINE = {
    "machine_facts": """
SELECT m.machine, m.desk, m.room, m.host, m.cpu_type, m.cores, m.memory_gb, m.gpu
FROM machines m WHERE m.machine = :of""",
    "machine_state": """
SELECT s.machine, s.cpu, s.task, s.logged_in
FROM machine_states [PARTITION BY machine ROWS 1] s WHERE s.machine = :of""",
    "machine_tasks_now": "SELECT t.machine, t.task, t.cpu FROM task_load t WHERE t.machine = :of",
    "machine_software": "SELECT p.machine, p.package, p.version FROM software p WHERE p.machine = :of",
}
OF_ROOM = {"room_equipment": "SELECT e.room, e.item, e.pieces FROM equipment e WHERE e.room = :of"}
QUERIES = {**OF_MACHINE, **OF_ROOM}


class Followed(NamedTuple):
    """A query and the values that it is given."""

    sql: str
    given: Mapping[str, str]


def is_followed(view: str) -> bool:
    """Tell whether a name asks for one of these queries."""
    form = FORM.fullmatch(view)
    return form is not None and form["name"] in QUERIES


def followed_in(building: AnyBuilding, view: str) -> Followed | None:
    """Return the query that a name asks for, or None where it is the name of a view."""
    form = FORM.fullmatch(view)
    if form is None or form["name"] not in QUERIES:
        return None
    there = building.rooms if form["name"] in OF_ROOM else building.machines
    if form["of"] not in there:
        kind = "room" if form["name"] in OF_ROOM else "machine"
        problem = f"unknown {kind} {form['of']}; the plan has no such one{nearest(form['of'], list(there))}"
        raise QueryError(problem)
    return Followed(QUERIES[form["name"]], {"of": form["of"]})
