"""What each of Home Assistant's components has to say: a measure for each topic that it may name.

    climate   current_temperature_topic, current_temperature_template   →   current temperature, a number
    switch    state_topic, value_template; payload_on, payload_off      →   on or off

What only takes commands (button, scene, notify), or sends pictures and sounds, is known and not read.

Reference: home-assistant.io, one page for each component under "MQTT".
"""

from typing import NamedTuple

STATE = "state"
ON, OFF = "ON", "OFF"


class Measure(NamedTuple):
    """One thing to be read; ``name`` is empty for the component's own state."""

    topic: str
    templates: tuple[str, ...]
    name: str = ""
    quantity: str | None = None
    numeric: bool = False
    words: tuple[str, str] | None = None
    key: str | None = None


def _number(name: str, topic: str, *templates: str, quantity: str | None = None) -> Measure:
    return Measure(topic, templates, name, quantity, numeric=True)


def _text(name: str, topic: str, *templates: str) -> Measure:
    return Measure(topic, templates, name)


HUMID = ("current_humidity", "target_humidity", "mode", "action")
_PLAIN = Measure("state_topic", ("value_template",))
_ON_OFF = Measure("state_topic", ("value_template",), words=("payload_on", "payload_off"))
_NAMED = Measure("state_topic", ("state_value_template", "state_template", "value_template"))
_LIT = _NAMED._replace(words=("payload_on", "payload_off"))
_THERMOSTAT = (
    _number("current_temperature", "current_temperature_topic", "current_temperature_template",
            quantity="temperature"),
    _number("temperature", "temperature_state_topic", "temperature_state_template",
            quantity="target_temperature"),
    _number("temperature_high", "temperature_high_state_topic", "temperature_high_state_template"),
    _number("temperature_low", "temperature_low_state_topic", "temperature_low_state_template"),
    _number("current_humidity", "current_humidity_topic", "current_humidity_template", quantity="humidity"),
    _number("target_humidity", "target_humidity_state_topic", "target_humidity_state_template"),
    _text("mode", "mode_state_topic", "mode_state_template"),
    _text("action", "action_topic", "action_template"),
    _text("fan_mode", "fan_mode_state_topic", "fan_mode_state_template"),
    _text("preset_mode", "preset_mode_state_topic", "preset_mode_value_template"),
    _text("swing_mode", "swing_mode_state_topic", "swing_mode_state_template"),
)  # fmt: skip

MEASURES: dict[str, tuple[Measure, ...]] = {
    "alarm_control_panel": (_PLAIN,),
    "binary_sensor": (_ON_OFF,),
    "climate": _THERMOSTAT,
    "cover": (_PLAIN, _number("position", "position_topic", "position_template"),
              _number("tilt", "tilt_status_topic", "tilt_status_template")),
    "device_automation": (Measure("topic", ("value_template",)),),
    "device_tracker": (_PLAIN,),
    "event": (_PLAIN._replace(key="event_type"),),
    "fan": (_LIT, _number("percentage", "percentage_state_topic", "percentage_value_template"),
            _text("preset_mode", "preset_mode_state_topic", "preset_mode_value_template")),
    "humidifier": (_LIT, *(each for each in _THERMOSTAT if each.name in HUMID)),
    "lawn_mower": (_text("activity", "activity_state_topic", "activity_value_template"),),
    "light": (_LIT, _number("brightness", "brightness_state_topic", "brightness_value_template"),
              _number("color_temp", "color_temp_state_topic", "color_temp_value_template"),
              _text("effect", "effect_state_topic", "effect_value_template")),
    "lock": (_PLAIN,),
    "number": (_PLAIN._replace(numeric=True),),
    "select": (_PLAIN,),
    "sensor": (_PLAIN,),
    "siren": (_LIT,),
    "switch": (_ON_OFF._replace(words=("state_on", "state_off")),),
    "tag": (Measure("topic", ("value_template",)),),
    "text": (_PLAIN,),
    "update": (_PLAIN._replace(key="installed_version"),),
    "vacuum": (_PLAIN._replace(key="state"),),
    "valve": (_PLAIN, _number("position", "position_topic", "position_template")),
    "water_heater": _THERMOSTAT,
    **dict.fromkeys(("button", "camera", "image", "notify", "scene"), ()),
}  # fmt: skip

JSON_LIGHT = (
    Measure("state_topic", (), words=(ON, OFF), key="state"),
    Measure("state_topic", (), "brightness", numeric=True, key="brightness"),
    Measure("state_topic", (), "color_temp", numeric=True, key="color_temp"),
)
