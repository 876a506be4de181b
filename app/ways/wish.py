"""What somebody looks for: a kind of thing, what it must have, and how they walk.

{"kind": "machine", "software": "Word", "equipment": "projector", "step_free": true}
{"kind": "to", "to": "1.09"}
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from engine.model.errors import QueryError, nearest

PREFIX = "ways_"
DIGITS = 16
MACHINE, DESK, ROOM, TO = "machine", "desk", "room", "to"
PARTS = ("kind", "software", "equipment", "to", "step_free")


@dataclass(frozen=True)
class Wish:
    """One wish; equal ones share a view. Of a thing by name ``thing`` says what it is."""

    kind: str
    software: str | None = None
    equipment: str | None = None
    to: str | None = None
    thing: str | None = None
    step_free: bool = False

    @property
    def text(self) -> str:
        """The wish in one spelling."""
        said = {name: value for name, value in asdict(self).items() if value not in (None, False)}
        return json.dumps(said, sort_keys=True, ensure_ascii=False)

    @property
    def view(self) -> str:
        """The name of its view."""
        return PREFIX + sha256(self.text.encode()).hexdigest()[:DIGITS]


class Thing(NamedTuple):
    """What one may be led to by name."""

    kind: str
    id: str
    name: str


@dataclass(frozen=True)
class Known:
    """What the building has by now."""

    kinds: tuple[str, ...]
    software: tuple[str, ...]
    equipment: tuple[str, ...]
    things: tuple[Thing, ...]

    def named(self, name: str) -> Thing:
        """Return the thing of an id, a room before a desk, a machine and a device; or of a name."""
        found = [each for each in self.things if name in (each.id, f"{each.kind}:{each.id}")]
        found = found or [each for each in self.things if each.name == name]
        if not found:
            known = [each.id for each in self.things]
            message = f"there is no room, desk, machine or device {name}{nearest(name, known)}"
            raise QueryError(message)
        order = (ROOM, DESK, MACHINE)
        return min(found, key=lambda each: order.index(each.kind) if each.kind in order else len(order))


def is_view_of_wish(view: str) -> bool:
    """Tell whether a name is that of a wish's view."""
    digits = view.removeprefix(PREFIX)
    return digits != view and len(digits) == DIGITS and set(digits) <= set("0123456789abcdef")


def wish_of(text: str) -> Wish:
    """Return the wish of its one spelling."""
    return Wish(**json.loads(text))


def read_wish(body: Mapping[str, Any], known: Known) -> Wish:
    """Return what a request wishes for, or raise what is wrong with it."""
    kind = body.get("kind")
    if kind not in known.kinds:
        message = f"a wish has no kind {kind!r:.40}; this building has {', '.join(known.kinds) or 'none'}"
        raise QueryError(message)
    software, equipment = (
        _one_of(body, "software", known.software),
        _one_of(body, "equipment", known.equipment),
    )
    if software is not None and kind != MACHINE:
        message = f"software is on machines; found it asked of the kind {kind}"
        raise QueryError(message)
    if kind != TO:
        return Wish(kind, software, equipment, step_free=_flag(body))
    if equipment is not None or not isinstance(body.get("to"), str):
        message = 'the kind to expects {"to": id} of a room, desk, machine or device, and no equipment'
        raise QueryError(message)
    thing = known.named(body["to"])
    return Wish(TO, to=thing.id, thing=thing.kind, step_free=_flag(body))


def _one_of(body: Mapping[str, Any], what: str, known: Iterable[str]) -> str | None:
    found = body.get(what)
    if found is None or found == "":
        return None
    listed = list(known)
    if found not in listed:
        text = f"{found!s:.40}"
        message = f"no {what} {text} here; there is {', '.join(listed) or 'none'}{nearest(text, listed)}"
        raise QueryError(message)
    return str(found)


def _flag(body: Mapping[str, Any]) -> bool:
    found = body.get("step_free", False)
    if not isinstance(found, bool):
        message = f"step_free is {found!r:.40}; expected true or false"
        raise QueryError(message)
    return found
