"""Tasmota: its own discovery, and, where that is off, what its telemetry shows.

    tasmota/discovery/<mac>/config     {"t": topic, "ft": "%prefix%/%topic%/", "tp": […], "rl": [1, 0, …], …}
    tasmota/discovery/<mac>/sensors    {"sn": {"Time": …, "ENERGY": {"Power": 0, …}, "TempUnit": "C"}}
    tele/<topic>/SENSOR                the same as "sn", now and then: a state, and an announcement as well

Every number below a sensor's name is an entity, tasmota.<topic>.ENERGY.Power; of several phases each. A relay
is one too. The two discovery messages are read together; where there are none, SENSOR alone says what there
is, by the same names, so that both may speak of a device. Left out: what bridges hear (Zigbee, infrared,
radio), whose messages each speak of another device; lights' colours and shutters.

Reference: tasmota.github.io, "Auto discovery", "MQTT", "Power monitoring".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ingest.decoding.payload import kind_of, parse
from ingest.decoding.values import FieldError
from ingest.discovery.fields import maybe_text, texts
from ingest.discovery.known import NOTHING, Announcement, Availability, Device, Entity, Extract
from ingest.discovery.quantities import quantity_of

MAKER = "Tasmota"
HEARD = ("ZbReceived", "IrReceived", "RfReceived", "ESP32", "Time")
UNIT_WORDS = {"temperature": "TempUnit", "dew_point": "TempUnit", "pressure": "PressureUnit",
              "sea_pressure": "PressureUnit"}  # fmt: skip
RELAY = 1
MAX_DEPTH, MAX_LEAVES = 4, 200

Path = tuple[str | int, ...]


def read(words: Mapping[str, bytes]) -> Announcement:
    """Return what the discovery messages of one device say together; sensors alone wait for the rest."""
    found = {topic.rpartition("/")[2]: _object(body) for topic, body in words.items()}
    if "config" not in found:
        return NOTHING
    config = found["config"]
    name = maybe_text(config.get("t"))
    if name is None:
        msg = "the announcement has no t, the device's topic"
        raise FieldError(msg)
    stat, tele = _prefixes(config, name)
    online, offline = maybe_text(config.get("onln")) or "Online", maybe_text(config.get("ofln")) or "Offline"
    there = (Availability(f"{tele}LWT", online, offline),)
    sensors = found.get("sensors", {}).get("sn")
    entities = (*_relays(config, name, stat, there), *_sensors(sensors, name, f"{tele}SENSOR", there))
    label = maybe_text(config.get("dn"))
    version = maybe_text(config.get("sw"))
    return Announcement(
        (Device(name, label, MAKER, maybe_text(config.get("md")), version, None, MAKER),), entities
    )


def read_telemetry(topic: str, body: bytes) -> Announcement | None:
    """Return what a telemetry message shows to be there; None where it shows nothing that lasts."""
    name = topic.split("/")[1]
    there = (Availability(f"tele/{name}/LWT", "Online", "Offline"),)
    entities = _sensors(_object(body), name, topic, there)
    return Announcement((Device(name, maker=MAKER),), entities) if entities else None


def _object(body: bytes) -> dict[str, Any]:
    found = parse(body)
    if type(found) is not dict:
        msg = f"the announcement is {kind_of(found)}; expected an object"
        raise FieldError(msg)
    return found


def _prefixes(config: dict[str, Any], name: str) -> tuple[str, str]:
    """Return what comes before the last level of the topics that the device speaks on."""
    full = maybe_text(config.get("ft")) or "%prefix%/%topic%/"
    given = texts(config.get("tp"))
    _, stat, tele = given if len(given) == len(("cmnd", "stat", "tele")) else ("cmnd", "stat", "tele")
    mac = maybe_text(config.get("mac")) or ""
    known = {"%topic%": name, "%hostname%": maybe_text(config.get("hn")) or "", "%id%": mac[-6:]}
    for word, value in known.items():
        full = full.replace(word, value)
    return full.replace("%prefix%", stat), full.replace("%prefix%", tele)


def _relays(
    config: dict[str, Any], name: str, stat: str, there: tuple[Availability, ...]
) -> Iterator[Entity]:
    relays = config.get("rl")
    places = [n for n, kind in enumerate(relays, 1) if kind == RELAY] if type(relays) is list else []
    words = texts(config.get("state"))
    off, on = words[:2] if len(words) > 1 else ("OFF", "ON")
    labels = config.get("fn")
    for place in places[:MAX_LEAVES]:
        label = labels[place - 1] if type(labels) is list and place <= len(labels) else None
        topic = f"{stat}POWER{place if len(places) > 1 else ''}"
        own = (f"tasmota.{name}.POWER{place}", name, maybe_text(label), "switch", "switch", None, topic)
        yield Entity(*own, Extract(on=on, off=off), there)


def _sensors(found: object, name: str, topic: str, there: tuple[Availability, ...]) -> tuple[Entity, ...]:
    if type(found) is not dict:
        return ()
    leaves = [(path, *quantity_of(_word(path))) for path in list(_leaves(found, ()))[:MAX_LEAVES]]
    return tuple(
        Entity(
            ".".join(("tasmota", name, *map(str, path))),
            name,
            " ".join(map(str, path)),
            "sensor",
            quantity,
            _unit(found, quantity, unit),
            topic,
            Extract(path=path, numeric=True),
            there,
        )
        for path, quantity, unit in leaves
    )


def _leaves(found: dict[str, Any], above: Path) -> Iterator[Path]:
    """Yield the paths of numbers that stand below the name of a sensor."""
    for key, value in found.items():
        if key in HEARD or len(above) > MAX_DEPTH or maybe_text(key) is None:
            continue
        path = (*above, key)
        if type(value) is dict:
            yield from _leaves(value, path)
        elif type(value) is list:
            yield from ((*path, n) for n, each in enumerate(value) if type(each) in (int, float))
        elif type(value) in (int, float) and above:
            yield path


def _word(path: Path) -> str:
    return next(str(each) for each in reversed(path) if type(each) is str)


def _unit(found: dict[str, Any], quantity: str, usual: str | None) -> str | None:
    word = UNIT_WORDS.get(quantity)
    said = maybe_text(found.get(word)) if word is not None else None
    if said is None:
        return usual
    return f"°{said}" if word == "TempUnit" else said
