"""One component's configuration becomes entities: one for each of its measures that has a topic.

    sensor.<unique id>                        a component's own state
    climate.<unique id>/current_temperature   another of its measures

The quantity is the device class, else the measure, else the last name in the template's path.
"""

from typing import Any

from engine.model.errors import nearest
from ingest.decoding.values import FieldError, shown
from ingest.discovery.components import JSON_LIGHT, MEASURES, OFF, ON, Measure
from ingest.discovery.fields import MAX_NAME, maybe_pattern, maybe_seconds, maybe_text, maybe_topic, word
from ingest.discovery.known import AVAILABLE, LATEST, MODES, NOT_AVAILABLE, Availability, Entity, Extract
from ingest.discovery.templates import TemplateError, compiled, path_of

Config = dict[str, Any]
NAMELESS = ("sensor", "binary_sensor")
NAMED_BY_PATH = (*NAMELESS, "number", "select", "text")
FALLBACK = {"state_on": "payload_on", "state_off": "payload_off"}


def entities_of(
    component: Any, config: Config, ids: list[str], device: str
) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
    """Return the entities of a component, and why some of them are known and not read."""
    measures = MEASURES.get(component) if type(component) is str else None
    if measures is None:
        there = f"there are {', '.join(sorted(MEASURES))}{nearest(str(component), list(MEASURES))}"
        msg = f"no component is {shown(component)}; {there}"
        raise FieldError(msg)
    if component == "light" and config.get("schema") == "json":
        measures = tuple(each for each in JSON_LIGHT if not each.name or _shines(each.name, config))
    unique = maybe_text(config.get("unique_id")) or maybe_text(" ".join(ids))
    if unique is None:
        msg = f"it has no unique_id, and its key is no name of at most {MAX_NAME} characters in Unicode"
        raise FieldError(msg)
    own = f"{component}.{unique}"
    common = Entity(
        own,
        device,
        maybe_text(config.get("name")),
        component,
        availability=_availability(config),
        availability_mode=_mode(config),
        expire_after=maybe_seconds(config.get("expire_after")),
    )
    problems = _unreadable(common.availability)
    found = [
        _entity(common, each, config, problems) for each in measures if maybe_pattern(config.get(each.topic))
    ]
    return tuple(found) or (common,), tuple(problems)


def _unreadable(availability: tuple[Availability, ...]) -> list[str]:
    """Return why it cannot be read from some topics whether it is there."""
    problems = []
    for each in availability:
        try:
            compiled(each.template or "{{ value }}")
        except TemplateError as error:
            problems.append(f"availability: {error}")
    return problems


def _shines(measure: str, config: Config) -> bool:
    """Tell whether a lamp with the JSON schema has a brightness, or a colour temperature."""
    modes = config.get("supported_color_modes")
    return config.get(measure) is True or (type(modes) is list and measure in modes)


def _entity(common: Entity, measure: Measure, config: Config, problems: list[str]) -> Entity:
    template = _template(measure, config)
    try:
        if template is not None:
            compiled(template)
        extract: Extract | None = _extract(measure, template, config, common)
    except TemplateError as error:
        extract = None
        problems.append(f"{measure.name or measure.topic}: {error}")
    return Entity(
        f"{common.id}/{measure.name}" if measure.name else common.id,
        common.device,
        common.name,
        common.component,
        _quantity(measure, template, config, common),
        maybe_text(config.get("unit_of_measurement")) or _unit(measure, config),
        maybe_pattern(config.get(measure.topic)),
        extract,
        common.availability,
        common.availability_mode,
        common.expire_after,
    )


def _template(measure: Measure, config: Config) -> str | None:
    for key in measure.templates:
        if type(config.get(key)) is str:
            return str(config[key])
    return None


def _extract(measure: Measure, template: str | None, config: Config, common: Entity) -> Extract:
    if measure.words is not None:
        on, off = (
            word(config.get(key, config.get(FALLBACK.get(key, key))), default)
            for key, default in zip(measure.words, (ON, OFF), strict=True)
        )
        return Extract(template, on=on, off=off, key=measure.key)
    if measure.key is not None:
        return Extract(template, key=measure.key, numeric=measure.numeric)
    is_measured = "unit_of_measurement" in config or "state_class" in config
    return Extract(template, numeric=measure.numeric or (is_measured and common.component in NAMELESS))


def _quantity(measure: Measure, template: str | None, config: Config, common: Entity) -> str | None:
    named = measure.quantity or measure.name or maybe_text(config.get("device_class"))
    if named:
        return named
    path = path_of(template) if template is not None and common.component in NAMED_BY_PATH else ()
    last = maybe_text(path[-1]) if path and type(path[-1]) is str else None
    if last is not None:
        return last
    return None if common.component in NAMELESS else common.component


def _unit(measure: Measure, config: Config) -> str | None:
    if not measure.name.startswith(("temperature", "current_temperature")):
        return None
    unit = maybe_text(config.get("temperature_unit"))
    return None if unit is None else f"°{unit[-1]}"


def _mode(config: Config) -> str:
    mode = config.get("availability_mode", LATEST)
    return mode if mode in MODES else LATEST


def _availability(config: Config) -> tuple[Availability, ...]:
    listed = config.get("availability")
    if type(listed) is list:
        found = [
            _one_availability(each, each.get("topic"), "value_template")
            for each in listed
            if type(each) is dict
        ]
    else:
        found = [_one_availability(config, config.get("availability_topic"), "availability_template")]
    return tuple(each for each in found if each is not None)


def _one_availability(said: Config, topic: Any, template_key: str) -> Availability | None:
    checked = maybe_topic(topic)
    if checked is None:
        return None
    template = said.get(template_key)
    return Availability(
        checked,
        word(said.get("payload_available"), AVAILABLE),
        word(said.get("payload_not_available"), NOT_AVAILABLE),
        template if type(template) is str else None,
    )
