"""Shelly: what each model has, by its own name; both generations say which model they are, not what it has.

    first      shellies/<id>/announce     {"id": "shelly1pm-…", "model": "SHSW-PM", "mac": …, "fw_ver": …}
               shellies/<id>/relay/0      on | off        …/relay/0/power     W     …/relay/0/energy   W·min
               shellies/<id>/emeter/0/power | voltage | current | pf | total      W, V, A, –, Wh
    since      <id>/online                true | false    <id> = shellyplus1pm-…, the default prefix
               <id>/events/rpc            {"method": "NotifyStatus", "params": {"switch:0": {"apower": 61}}}
               <id>/status/switch:0       {"apower": 61, "aenergy": {"total": 5}, …}

Energy is told in kWh, whatever it is counted in. A notification speaks of what changed; of the rest it says
nothing. Left out: models that are not in the table, and prefixes other than the default: these are announced
by Home Assistant's discovery or declared as streams.

Reference: shelly-api-docs.shelly.cloud, "Gen1: MQTT support", "Gen2+: Mqtt, Notifications, components".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ingest.decoding.payload import parse
from ingest.decoding.values import FieldError, shown
from ingest.discovery.fields import maybe_text
from ingest.discovery.known import Announcement, Availability, Device, Entity, Extract
from ingest.discovery.shelly_models import COMPONENTS, FIRST, KEYS, LATER, PATHS, SUBTOPICS, Fact, counted

MAKER = "Shelly"
_PREFIX = re.compile(r"shelly([a-z0-9]+)-([0-9a-f]{6,12})", re.IGNORECASE)


def read_first(topic: str, body: bytes) -> Announcement:
    """Return what a device of the first generation says of itself."""
    found = parse(body)
    name = topic.split("/")[1]
    model = maybe_text(found.get("model")) if type(found) is dict else None
    if model is None:
        msg = "the announcement has no model; expected {id, model, mac, fw_ver, …}"
        raise FieldError(msg)
    has = FIRST.get(model)
    device = Device(name, None, MAKER, model, maybe_text(found.get("fw_ver")), None, MAKER)
    there = (Availability(f"shellies/{name}/online", "true", "false"),)
    if has is None:
        return Announcement((device,), problems=(_unknown(model, FIRST),))
    return Announcement((device,), tuple(_first_entities(name, has, there)))


def _first_entities(name: str, has: str, there: tuple[Availability, ...]) -> Iterator[Entity]:
    for part in counted(has):
        for end, fact in SUBTOPICS[part.component].items():
            called = PATHS.get(part.component, part.component)
            path = f"{called}/{part.place}" if part.place is not None else called
            topic = f"shellies/{name}/{path}{end}"
            yield _entity(name, path + end, topic, fact, (), there)


def read_later(topic: str, _body: bytes) -> Announcement | None:
    """Return what a device has that says whether it is online; None where it is no Shelly."""
    name = topic.partition("/")[0]
    found = _PREFIX.fullmatch(name)
    if found is None:
        return None
    model = found[1].lower()
    has = LATER.get(model)
    device = Device(name, None, MAKER, model, None, None, MAKER)
    if has is None:
        return Announcement((device,), problems=(_unknown(model, LATER),))
    there = (Availability(topic, "true", "false"),)
    return Announcement((device,), tuple(_later_entities(name, has, there)))


def _later_entities(name: str, has: str, there: tuple[Availability, ...]) -> Iterator[Entity]:
    for part in counted(has):
        key = f"{KEYS.get(part.component, part.component)}:{part.place or 0}"
        for path, fact in COMPONENTS[part.component].items():
            steps = tuple(path.split("."))
            entity = _entity(
                name, f"{key}/{path}", f"{name}/events/rpc", fact, ("params", key, *steps), there
            )
            yield _with_status(entity, f"{name}/status/{key}", steps)


def _with_status(entity: Entity, topic: str, path: tuple[str, ...]) -> Entity:
    assert entity.extract is not None
    return replace(entity, also=((topic, replace(entity.extract, path=path)),))


def _entity(
    device: str, what: str, topic: str, fact: Fact, path: tuple[str, ...], there: tuple[Availability, ...]
) -> Entity:
    own = (f"shelly.{device}.{what}", device, what, fact.component, fact.quantity, fact.unit, topic)
    extract = Extract(None, path, fact.on, fact.off, fact.component == "sensor", fact.divisor)
    return Entity(*own, extract, there)


def _unknown(model: str, there: Iterable[str]) -> str:
    return f"no model of Shelly is {shown(model)}; there are {', '.join(sorted(there))}"
