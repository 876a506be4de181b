"""Home Assistant's discovery: short keys, base topics, availability, what components share, odd words."""

import json
from typing import Any

import pytest

from ingest.discovery.abbreviations import COMPONENT, DEVICE, ORIGIN, expanded, with_base
from ingest.discovery.components import MEASURES
from ingest.discovery.known import Announcement, Availability, Entity
from ingest.discovery.registry import Registry
from ingest.discovery.relations import DEVICES, ENTITIES

DEVICE_TOPIC = "homeassistant/device/n1/config"


def announced(config: dict[str, Any], topic: str = "homeassistant/sensor/n1/o1/config") -> Registry:
    registry = Registry()
    changes = registry.take(1, "mqtt", topic, json.dumps(config).encode())
    assert not changes.problems, changes.problems
    return registry


def entity(config: dict[str, Any], component: str = "sensor") -> Entity:
    (found,) = announced(config, f"homeassistant/{component}/n1/o1/config").entities.values()
    return found


SHORT = """
stat_t=state_topic val_tpl=value_template avty_mode=availability_mode pl_not_avail=payload_not_available
unit_of_meas=unit_of_measurement cmps=components bri_stat_t=brightness_state_topic p=platform o=origin
rgbww_cmd_tpl=rgbww_command_template pr_mode_val_tpl=preset_mode_value_template migr_discvry=migrate_discovery
hum_state_tpl=target_humidity_state_template temp_lo_stat_t=temperature_low_state_topic e=encoding
pl_arm_nite=payload_arm_night stat_unlocking=state_unlocking exp_aft=expire_after pos=reports_position
curr_temp_tpl=current_temperature_template json_attr_t=json_attributes_topic clr_temp_k=color_temp_kelvin
"""


@pytest.mark.parametrize(("short", "full"), [each.split("=") for each in SHORT.split()])
def test_short_keys_are_those_of_home_assistant(short: str, full: str) -> None:
    assert COMPONENT[short] == full


def test_no_short_key_stands_for_two_and_tables_are_each_their_own() -> None:
    assert len(COMPONENT) > 280
    assert expanded({"sw": 1, "name": 2}, DEVICE) == {"sw_version": 1, "name": 2}
    assert expanded({"sw": 1, "url": 2}, ORIGIN) == {"sw_version": 1, "support_url": 2}
    assert expanded({"stat_t": "a", "state_topic": "b", "other": 1}) == {"state_topic": "b", "other": 1}


def test_the_base_topic_stands_at_the_start_or_the_end() -> None:
    assert with_base("~/state", "base") == "base/state"
    assert with_base("get/~", "base") == "get/base"
    assert with_base("a~b", "base") == "a~b"
    assert with_base("~/state", None) == "~/state"
    found = entity({"~": "b", "stat_t": "~/s", "avty": [{"t": "~/there"}], "name": "~ is no topic"})
    assert (found.topic, found.availability[0].topic, found.name) == ("b/s", "b/there", "~ is no topic")


def test_availability_is_a_topic_a_list_or_one_of_a_list() -> None:
    one = {"stat_t": "s", "avty_t": "a", "pl_avail": "1", "pl_not_avail": "0", "avty_tpl": "{{ value }}"}
    assert entity(one).availability == (Availability("a", "1", "0", "{{ value }}"),)
    several = {
        "stat_t": "s",
        "avty": [{"t": "a", "val_tpl": "{{ value_json.s }}"}, {"topic": "b", "pl_avail": True}],
    }
    expected = (Availability("a", template="{{ value_json.s }}"), Availability("b", "True"))
    assert entity({**several, "avty_mode": "all"}).availability == expected
    assert entity({**several, "avty_mode": "all"}).availability_mode == "all"
    assert entity({**several, "avty_mode": "some"}).availability_mode == "latest"
    assert entity({"stat_t": "s", "avty": {"t": "a"}}).availability == (Availability("a"),)
    assert entity({"stat_t": "s", "avty": [{"no": 1}, 7]}).availability == ()


def test_an_availability_says_that_something_is_there_or_is_not_or_nothing() -> None:
    plain, templated = Availability("a"), Availability("a", template="{{ value_json.state }}")
    assert [plain.says(each) for each in (b"online", b"offline", b"other", b"\xff")] == [
        True,
        False,
        None,
        None,
    ]
    assert [templated.says(each) for each in (b'{"state": "online"}', b"{}", b"no")] == [True, None, None]


def test_components_share_what_their_device_says_unless_they_say_it_themselves() -> None:
    shared = {"stat_t": "s", "avty_t": "a", "pl_avail": "1", "qos": 2}
    components = {
        "a": {"p": "sensor", "uniq_id": "a"},
        "b": {"platform": "switch", "~": "x", "stat_t": "~/b", "uniq_id": "b"},
    }
    registry = announced(
        {"dev": {"ids": ["d"]}, "o": {"name": "n"}, "cmps": components, **shared}, DEVICE_TOPIC
    )
    assert {each.id: each.topic for each in registry.entities.values()} == {
        "sensor.a": "s",
        "switch.b": "x/b",
    }
    assert registry.availabilities_of("a") == (("d", Availability("a", "1")),)


def test_a_device_goes_by_the_least_of_its_identifiers_else_of_its_connections() -> None:
    def device(**said: Any) -> str:
        (found,) = announced({"stat_t": "s", "dev": said}).devices
        return found

    assert device(ids=["b", "a"], cns=[["mac", "02:00"]]) == device(ids="a") == "a"
    assert device(cns=[["mac", "02:01"], ["mac", "02:00"]]) == "mac:02:00"
    assert device(ids=[7]) == "7"
    assert device(name="nobody") == "n1"


def test_unknown_keys_and_values_of_a_wrong_kind_are_as_if_they_were_not_there() -> None:
    odd = {
        "stat_t": "s",
        "exp_aft": "soon",
        "name": {"a": 1},
        "unit_of_meas": 5,
        "dev_cla": None,
        "new": [1],
        "dev": 3,
    }
    found = entity(odd)
    assert (found.expire_after, found.name, found.unit, found.quantity) == (None, None, "5", None)
    assert entity({"stat_t": "s", "exp_aft": "600"}).expire_after == 600
    assert entity({"stat_t": "a/#", "name": "x"}).topic is None
    assert entity({"stat_t": "+/+"}).topic is None
    assert entity({"stat_t": 5.0}).topic == "5.0"


def test_a_component_without_a_state_is_known_and_not_read() -> None:
    found = entity({"cmd_t": "press", "name": "Restart", "uniq_id": "r"}, "button")
    assert (found.id, found.topic, found.extracts()) == ("button.r", None, ())


def test_every_measure_of_every_component_is_announced_by_its_topic() -> None:
    for component, measures in MEASURES.items():
        config = {each.topic: f"t/{n}" for n, each in enumerate(measures)}
        registry = announced(config, f"homeassistant/{component}/n1/o1/config")
        assert len(registry.entities) == max(len(measures), 1), component
        assert len({each.quantity for each in registry.entities.values()} | {None}) > len(measures) - 1, (
            component
        )


@pytest.mark.parametrize("word", ["\ud800", "x" * 2_000, "", 1e400, True, ["a"], {"b": 1}])
def test_whatever_a_word_is_rows_have_texts_in_unicode_of_bounded_length(word: Any) -> None:
    odd = {
        "name": word, "uniq_id": word, "unit_of_meas": word, "dev_cla": word, "stat_t": "s", "pl_on": word,
        "val_tpl": f"{{{{ value_json['{word}'] }}}}",
        "dev": dict.fromkeys(("ids", "name", "mf", "mdl", "sa"), word),
    }  # fmt: skip
    key = word if isinstance(word, str) else "k"
    whole = {
        "dev": {"ids": "d"},
        "o": {"name": word},
        "cmps": {key: {"p": "sensor", "stat_t": "s", "name": word}},
    }
    registry = Registry()
    for offset, (topic, body) in enumerate(
        (("homeassistant/sensor/o1/config", odd), (DEVICE_TOPIC, whole)), 1
    ):
        for _, table, row in registry.take(offset, "mqtt", topic, json.dumps(body).encode()).rows:
            columns = {DEVICES.name: DEVICES, ENTITIES.name: ENTITIES}[table].columns
            assert len(row) == len(columns)
            assert all(len(cell.encode()) < 5_000 for cell in row if isinstance(cell, str))


def test_one_announcement_is_one_value_whatever_the_order_of_its_keys() -> None:
    first = announced({"stat_t": "s", "uniq_id": "u", "dev": {"ids": "d", "name": "n"}})
    second = announced({"dev": {"name": "n", "ids": ["d"]}, "unique_id": "u", "state_topic": "s"})
    assert (first.devices, first.entities) == (second.devices, second.entities)
    assert Announcement() == Announcement((), (), ())
