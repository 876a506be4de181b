"""Home Assistant's discovery: one entity by its own topic, or a device with all its components.

    homeassistant/<component>/[<node>/]<object>/config    {…, "device": {…}}
    homeassistant/device/[<node>/]<object>/config         {"device": {…}, "origin": {…}, "components": {…}, …}

Keys may be short (``abbreviations``), unknown ones are ignored. An empty payload takes back what the topic
announced; so does {"migrate_discovery": true}, until the other form announces it again. A component with
nothing but its platform is one that is removed.

Left out: ``encoding`` other than UTF-8, ``off_delay``, attributes, commands, and that one device may go by
several identifiers: ours is the least of those that are given, else of the connections.

Reference: home-assistant.io, MQTT integration, "MQTT discovery".
"""

import re
from typing import Any

from ingest.decoding.payload import kind_of, parse
from ingest.decoding.values import FieldError, shown
from ingest.discovery.abbreviations import COMPONENT, DEVICE, ORIGIN, expanded, with_base
from ingest.discovery.entities import entities_of
from ingest.discovery.fields import maybe_list, maybe_text, texts
from ingest.discovery.known import NOTHING, Announcement, Device, Entity

_ID = re.compile(r"[A-Za-z0-9_-]+")
MIGRATING = ("migrate_discovery", "migr_discvry")
SHARED = (
    "availability", "availability_mode", "availability_template", "availability_topic", "encoding",
    "payload_available", "payload_not_available", "state_topic",
)  # fmt: skip


def read(topic: str, body: bytes) -> Announcement:
    """Return what an announcement says, or raise FieldError."""
    _, component, *ids, _ = topic.split("/")
    for each in ids:
        if _ID.fullmatch(each) is None:
            msg = f"the topic has the id {shown(each)}; expected letters, digits, _ and - alone"
            raise FieldError(msg)
    found = parse(body)
    if type(found) is not dict:
        msg = f"the announcement is {kind_of(found)}; expected an object"
        raise FieldError(msg)
    if any(each in found for each in MIGRATING):
        return NOTHING
    config = _in_full(found)
    device = device_of(config, ids)
    if component == "device":
        return _device_based(config, device, ids)
    entities, problems = entities_of(component, config, ids, device.id)
    return Announcement((device,), entities, problems)


def _in_full(found: dict[str, Any]) -> dict[str, Any]:
    """Return a component, or what all components share, with every key in full and every topic whole."""
    config = expanded(found)
    base = maybe_text(config.pop("~", None))
    for name, table in (("device", DEVICE), ("origin", ORIGIN)):
        if type(config.get(name)) is dict:
            config[name] = expanded(config[name], table)
    listed = [
        expanded(each, COMPONENT) for each in maybe_list(config.get("availability")) if type(each) is dict
    ]
    if listed:
        config["availability"] = listed
    for each in (config, *listed):
        for key, value in each.items():
            if key.endswith("topic") and type(value) is str:
                each[key] = with_base(value, base)
    return config


def _device_based(config: dict[str, Any], device: Device, ids: list[str]) -> Announcement:
    for name in ("device", "origin", "components"):
        if type(config.get(name)) is not dict:
            msg = f"the announcement has no object {name}; a device's has device, origin and components"
            raise FieldError(msg)
    shared = {key: config[key] for key in SHARED if key in config}
    entities: list[Entity] = []
    problems: list[str] = []
    for name, each in config["components"].items():
        try:
            found, told = _component(name, each, shared, ids, device)
        except FieldError as error:
            found, told = (), (str(error),)
        entities += found
        problems += [f"component {name[:60]}: {each}" for each in told]
    return Announcement((device,), tuple(entities), tuple(problems))


def _component(
    name: str, found: object, shared: dict[str, Any], ids: list[str], device: Device
) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
    if type(found) is not dict:
        msg = f"it is {kind_of(found)}; expected an object"
        raise FieldError(msg)
    own = _in_full(found)
    platform = own.pop("platform", None)
    if not own:
        return (), ()
    return entities_of(platform, {**shared, **own}, [*ids, name], device.id)


def device_of(config: dict[str, Any], ids: list[str]) -> Device:
    """Return the device that is spoken of; without a word of one it is named as the topic's first id."""
    found, origin = config.get("device"), config.get("origin")
    said = found if type(found) is dict else {}
    told = origin if type(origin) is dict else {}
    pairs = [each for each in maybe_list(said.get("connections")) if type(each) is list]
    names = texts(said.get("identifiers")) or [":".join(texts(each)) for each in pairs]
    return Device(
        id=min(names, default=ids[0]),
        name=maybe_text(said.get("name")) or (None if names else maybe_text(config.get("name"))),
        maker=maybe_text(said.get("manufacturer")),
        model=maybe_text(said.get("model")) or maybe_text(said.get("model_id")),
        software=maybe_text(said.get("sw_version")),
        via=maybe_text(said.get("via_device")),
        origin=maybe_text(told.get("name")),
        room=maybe_text(said.get("suggested_area")),
    )
