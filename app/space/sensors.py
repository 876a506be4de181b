"""Sensors that are stuck, by their past: on or off for longer than people are there, or on in the dark.

    "sensors": [{"view": "desk_states", "column": "pressed", "name": "seat cushion",
                 "on_hours": 12, "off_hours": 336,
                 "against": {"view": "lamp_states", "column": "lit", "hours": 3},
                 "kinds": {"study": {"on_hours": 16}, "foyer": {"on_hours": null}}}]      in building.json

``against`` is what has to be so in a room in which somebody is: a seat that is pressed while the room has
been dark for hours carries a bag. ``kinds`` are limits by what a room is for; null is no limit. Only time of
which something is known counts, in whole hours: what changed within an hour counts from its end.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.building import AnyBuilding
from app.space.hours import AREA, CHANGES, SPAN, HeldHours
from app.space.shelf import Figures
from engine.model.errors import QueryError, SourceError
from engine.model.values import Row
from engine.views.history import HOUR

EXPECTED = 'a list of {"view", "column", "name", "on_hours", "off_hours", "against", "kinds"}'


class Against(NamedTuple):
    """What is off where nobody is: of a room, a column of a view, and for how many hours it has to be off."""

    view: str
    column: str
    hours: float


class Limits(NamedTuple):
    """After how many hours without a change a sensor is taken for stuck; None for never."""

    on_hours: float | None
    off_hours: float | None


class Rule(NamedTuple):
    """How the sensors of a view are judged."""

    view: str
    column: str
    name: str
    limits: Limits
    against: Against | None
    kinds: Mapping[str, Limits]

    def limits_in(self, kind: str) -> Limits:
        return self.kinds.get(kind, self.limits)

    @property
    def longest(self) -> float:
        """The hours that have to be looked at."""
        every = [*self.limits, *(hours for kind in self.kinds.values() for hours in kind)]
        return max([hours for hours in every if hours is not None], default=0.0)


class Stuck(NamedTuple):
    """A sensor that says the same for too long; it has said so since ``since``, or from before."""

    sensor: str
    name: str
    room: str
    is_on: bool
    since: int
    hours: float
    why: str


class Judged(NamedTuple):
    """``unknown`` says of which sensors no past is kept."""

    stuck: list[Stuck]
    unknown: list[str]


def judged(held: HeldHours, building: AnyBuilding, rules: Sequence[Rule], now: int) -> Judged:
    """Return the sensors that are stuck, the longest first."""
    stuck, unknown = [], []
    for rule in rules:
        try:
            stuck += _by_rule(held, building, rule, now)
        except QueryError as error:
            unknown.append(f"{rule.name}: {error.message}")
    return Judged(sorted(stuck, key=lambda found: (-found.hours, found.sensor)), unknown)


def _by_rule(held: HeldHours, building: AnyBuilding, rule: Rule, now: int) -> list[Stuck]:
    kinds = {place.id: place.kind for place in building.places}
    hours = held.of(rule.view, (rule.column,), now - int((rule.longest + 1) * HOUR), now)
    dark = _dark_hours(held, rule.against, now)
    found = []
    for key in hours.of:
        room = _room_of(key, building)
        same = unchanged(hours.column(key, rule.column))
        if room is None or same is None:
            continue
        why = _why(rule, same, kinds.get(room, "room"), dark.get(room, 0.0))
        if why:
            since = hours.until - int(same.hours * HOUR)
            found.append(Stuck(str(key[0]), rule.name, room, same.is_on, since, same.hours, why))
    return found


class Same(NamedTuple):
    """The value that stands, and for how many hours of which something is known."""

    is_on: bool
    hours: float


def unchanged(figures: Figures) -> Same | None:
    """Return the value at the end, and since when it is that; None where nothing is known at the end."""
    known = figures[:, SPAN] > 0
    if not known.any():
        return None
    last = int(known.nonzero()[0][-1])
    changed = (figures[: last + 1, CHANGES] > 0).nonzero()[0]
    first = int(changed[-1]) + 1 if changed.size else 0
    rest = figures[first : last + 1]
    if not rest.size or not rest[:, SPAN].sum():
        return None
    return Same(bool(rest[-1, AREA] > rest[-1, SPAN] / 2), float(rest[:, SPAN].sum()))


def _dark_hours(held: HeldHours, against: Against | None, now: int) -> Mapping[str, float]:
    """Return for how many hours it has been dark, of each room in which it is."""
    if against is None:
        return {}
    hours = held.of(against.view, (against.column,), now - int((against.hours + 2) * HOUR), now)
    found = {str(key[0]): unchanged(hours.column(key, against.column)) for key in hours.of}
    return {room: same.hours for room, same in found.items() if same is not None and not same.is_on}


def _why(rule: Rule, same: Same, kind: str, dark: float) -> str:
    limits = rule.limits_in(kind)
    limit = limits.on_hours if same.is_on else limits.off_hours
    if limit is not None and same.hours >= limit:
        return f"the same for longer than {limit:g} h, the limit in a room of kind {kind}"
    against = rule.against
    if same.is_on and against is not None and min(same.hours, dark) >= against.hours:
        return f"on for {against.hours:g} h and more while {against.column} was off"
    return ""


def _room_of(key: Row, building: AnyBuilding) -> str | None:
    """Return where a sensor is: it is a room's, or a desk's."""
    of = str(key[0])
    return of if of in building.rooms else building.desks.get(of)


def rules_of(described: Mapping[str, Any]) -> list[Rule]:
    """Return what building.json says; what is wrong is said with its place."""
    found = described.get("sensors", [])
    if not isinstance(found, list):
        problem = f"building.json: sensors is {found!r:.60}; expected {EXPECTED}"
        raise SourceError(problem)
    return [_rule(each, nth) for nth, each in enumerate(found)]


def _rule(found: Any, nth: int) -> Rule:
    where = f"building.json: sensors[{nth}]"
    if not isinstance(found, dict):
        problem = f"{where} is {found!r:.60}; expected {EXPECTED}"
        raise SourceError(problem)
    texts = {name: found.get(name) for name in ("view", "column", "name")}
    wrong = next((name for name, text in texts.items() if not isinstance(text, str) or not text), None)
    kinds, against = found.get("kinds", {}), found.get("against")
    if wrong or not isinstance(kinds, dict) or not isinstance(against, dict | None):
        problem = f"{where}: {wrong or 'kinds or against'} is missing or wrong; expected {EXPECTED}"
        raise SourceError(problem)
    limits = Limits(_hours(found, "on_hours", where), _hours(found, "off_hours", where))
    by_kind = {str(kind): _limits(said, limits, f"{where}.kinds.{kind}") for kind, said in kinds.items()}
    view, column, name = map(str, texts.values())
    return Rule(view, column, name, limits, _against(against, where), by_kind)


def _limits(said: Any, default: Limits, where: str) -> Limits:
    if not isinstance(said, dict):
        problem = f'{where} is {said!r:.60}; expected such as {{"on_hours": 16, "off_hours": null}}'
        raise SourceError(problem)
    return Limits(
        *(_hours(said, name, where) if name in said else getattr(default, name) for name in Limits._fields)
    )


def _against(found: dict[str, Any] | None, where: str) -> Against | None:
    if found is None:
        return None
    hours = _hours(found, "hours", f"{where}.against")
    if hours is None or not all(isinstance(found.get(name), str) for name in ("view", "column")):
        expected = '{"view": "lamp_states", "column": "lit", "hours": 3}'
        problem = f"{where}.against is {found!r:.80}; expected {expected}"
        raise SourceError(problem)
    return Against(found["view"], found["column"], hours)


def _hours(found: Mapping[str, Any], name: str, where: str) -> float | None:
    value = found.get(name)
    if value is not None and (type(value) not in (int, float) or not 0 < value <= 8760):
        problem = f"{where}: {name} is {value!r:.40}; expected hours from 0 to 8760, or null for no limit"
        raise SourceError(problem)
    return value
