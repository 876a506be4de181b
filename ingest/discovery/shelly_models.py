"""What each model of Shelly has: "switch:2 input:2" are two of each, and what such a part says.

The first generation is known by the model that it announces, the later ones by the beginning of their name.
"""

from collections.abc import Iterator
from typing import NamedTuple

WATT_HOURS, WATT_MINUTES = 1_000, 60_000


class Fact(NamedTuple):
    """One thing that a part says; ``divisor`` makes it of the unit."""

    quantity: str
    unit: str | None = None
    component: str = "sensor"
    on: str | None = None
    off: str | None = None
    divisor: float = 1.0


class Part(NamedTuple):
    """One of the parts that a model has."""

    component: str
    place: int | None


ENERGY = Fact("energy", "kWh", divisor=WATT_HOURS)
RETURNED = ENERGY._replace(quantity="energy_returned")
POWER, VOLTAGE, CURRENT = Fact("power", "W"), Fact("voltage", "V"), Fact("current", "A")
FACTOR, FREQUENCY = Fact("power_factor"), Fact("frequency", "Hz")
TEMPERATURE, HUMIDITY = Fact("temperature", "°C"), Fact("humidity", "%")
BATTERY, ILLUMINANCE = Fact("battery", "%"), Fact("illuminance", "lx")
RELAY = Fact("switch", None, "switch", "on", "off")
OUTPUT = Fact("switch", None, "switch", "True", "False")
PRESSED = Fact("input", None, "binary_sensor", "True", "False")

METERED = {"/power": POWER, "/energy": ENERGY._replace(divisor=WATT_MINUTES)}
SUBTOPICS: dict[str, dict[str, Fact]] = {
    "relay": {"": RELAY},
    "metered": {"": RELAY, **METERED},
    "emeter": {
        "/power": POWER, "/reactive_power": Fact("reactive_power", "var"), "/voltage": VOLTAGE,
        "/current": CURRENT, "/pf": FACTOR, "/total": ENERGY, "/total_returned": RETURNED,
    },
    "roller": {"": Fact("cover", None, "cover"), "/pos": Fact("position", "%"), **METERED},
    "light": {"": RELAY._replace(quantity="light", component="light"), **METERED},
    "input": {"": Fact("input", None, "binary_sensor", "1", "0")},
    "temperature": {"": TEMPERATURE},
    "sensor": {"/temperature": TEMPERATURE, "/humidity": HUMIDITY, "/battery": BATTERY},
    "door": {
        "/state": Fact("opening", None, "binary_sensor", "open", "close"), "/lux": ILLUMINANCE,
        "/battery": BATTERY,
    },
    "motion": {
        "/motion": Fact("motion", None, "binary_sensor", "true", "false"), "/lux": ILLUMINANCE,
        "/battery": BATTERY,
    },
    "flood": {
        "/flood": Fact("moisture", None, "binary_sensor", "true", "false"), "/temperature": TEMPERATURE,
        "/battery": BATTERY,
    },
}  # fmt: skip
PATHS = {"metered": "relay", "door": "sensor", "motion": "sensor", "flood": "sensor"}
"""How a part is called in topics, where that is not its name here."""

FIRST = {
    "SHSW-1": "relay:1 input:1",
    "SHSW-L": "relay:1 input:2 temperature",
    "SHSW-PM": "metered:1 input:1 temperature",
    "SHSW-21": "relay:2 input:2",
    "SHSW-25": "metered:2 input:2 temperature",
    "SHSW-44": "metered:4 input:4",
    "SHPLG-1": "metered:1",
    "SHPLG2-1": "metered:1",
    "SHPLG-S": "metered:1 temperature",
    "SHPLG-U1": "metered:1",
    "SHEM": "relay:1 emeter:2",
    "SHEM-3": "relay:1 emeter:3",
    "SHDM-1": "light:1 input:2 temperature",
    "SHDM-2": "light:1 input:2 temperature",
    "SHIX3-1": "input:3",
    "SHHT-1": "sensor",
    "SHDW-1": "door",
    "SHDW-2": "door",
    "SHMOS-01": "motion",
    "SHWT-1": "flood",
}

COMPONENTS: dict[str, dict[str, Fact]] = {
    "switch": {"output": OUTPUT},
    "metered": {
        "output": OUTPUT, "apower": POWER, "voltage": VOLTAGE, "current": CURRENT, "pf": FACTOR,
        "freq": FREQUENCY, "aenergy.total": ENERGY, "temperature.tC": TEMPERATURE,
    },
    "pm1": {
        "apower": POWER, "voltage": VOLTAGE, "current": CURRENT, "freq": FREQUENCY,
        "aenergy.total": ENERGY, "ret_aenergy.total": RETURNED,
    },
    "em": {
        "total_act_power": POWER, "total_current": CURRENT,
        **{f"{phase}_{word}": fact for phase in "abc" for word, fact in (
            ("act_power", POWER), ("voltage", VOLTAGE), ("current", CURRENT), ("pf", FACTOR))},
    },
    "emdata": {"total_act": ENERGY, "total_act_ret": RETURNED},
    "em1": {"act_power": POWER, "voltage": VOLTAGE, "current": CURRENT, "pf": FACTOR, "freq": FREQUENCY},
    "em1data": {"total_act_energy": ENERGY, "total_act_ret_energy": RETURNED},
    "light": {
        "output": OUTPUT._replace(quantity="light", component="light"), "brightness": Fact("brightness", "%"),
    },
    "input": {"state": PRESSED},
    "temperature": {"tC": TEMPERATURE},
    "humidity": {"rh": HUMIDITY},
    "illuminance": {"lux": ILLUMINANCE},
    "devicepower": {"battery.percent": BATTERY, "battery.V": VOLTAGE},
    "smoke": {"alarm": Fact("smoke", None, "binary_sensor", "True", "False")},
    "flood": {"alarm": Fact("moisture", None, "binary_sensor", "True", "False")},
}  # fmt: skip
KEYS = {"metered": "switch"}
"""How a part is called in messages, where that is not its name here."""

_ONE, _ONE_PM = "switch:1 input:1", "metered:1 input:1"
_CLIMATE = "temperature humidity devicepower"
LATER = {
    **dict.fromkeys(("plus1", "1mini", "plus1mini", "1g3", "1minig3", "1g4", "1minig4", "pro1"), _ONE),
    **dict.fromkeys(("plus1pm", "plus1pmmini", "1pmmini", "1pmg3", "1pmminig3", "1pmg4", "pro1pm"), _ONE_PM),
    **dict.fromkeys(("plus2pm", "2pmg3", "2pmg4", "pro2pm"), "metered:2 input:2"),
    **dict.fromkeys(
        ("plusplugs", "plusplugit", "plusplugus", "pluspluguk", "plugsg3", "plugpm"), "metered:1"
    ),
    **dict.fromkeys(("pmmini", "pluspmmini", "pmminig3"), "pm1:1"),
    **dict.fromkeys(("plusi4", "i4g3"), "input:4"),
    **dict.fromkeys(("plusht", "htg3"), _CLIMATE),
    **dict.fromkeys(("plus010v", "pro0110pm", "0110dimg3", "dimmerg3"), "light:1 input:2"),
    "pro2": "switch:2 input:2",
    "pro3": "switch:3 input:3",
    "pro4pm": "metered:4 input:4",
    "pro3em": "em:1 emdata:1",
    "pro3em400": "em:1 emdata:1",
    "pro3em63": "em:1 emdata:1",
    "3em63g3": "em:1 emdata:1",
    "proem50": "switch:1 em1:2 em1data:2",
    "emg3": "switch:1 em1:2 em1data:2",
    "plussmoke": "smoke devicepower",
    "floodg4": "flood devicepower",
}


def counted(has: str) -> Iterator[Part]:
    """Yield the parts that a model has, one after the other."""
    for each in has.split():
        component, colon, count = each.partition(":")
        if colon:
            yield from (Part(component, place) for place in range(int(count)))
        else:
            yield Part(component, None)
