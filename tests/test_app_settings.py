"""Settings are read once, checked, and what is wrong is said in one line."""

from pathlib import Path

import pytest

from app.settings import SIMULATED_BUILDING, read_settings
from engine.model.errors import SourceError


def test_without_any_setting_the_simulated_building_runs_on_loopback() -> None:
    settings = read_settings({})
    assert settings.url == "http://127.0.0.1:8000"
    assert settings.simulate
    assert settings.building == SIMULATED_BUILDING
    assert settings.log_url.endswith("/.smartcis/log.db")


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert read_settings({"SMARTCIS_PORT": "", "SMARTCIS_MQTT_URL": ""}) == read_settings({})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SMARTCIS_PORT", "eighty", "SMARTCIS_PORT must be a port from 1 to 65535, found eighty"),
        ("SMARTCIS_PORT", "70000", "SMARTCIS_PORT must be a port from 1 to 65535, found 70000"),
        ("SMARTCIS_PARTITIONS", "1e99", "PARTITIONS must be a whole number from 0 to 1,000, found 1e99"),
        ("SMARTCIS_PARTITION_ROWS", "many", "PARTITION_ROWS must be a whole number from 0, found many"),
        ("SMARTCIS_SPEED", "fast", "SMARTCIS_SPEED must be a number from 0.01, found fast"),
        ("SMARTCIS_SPEED", "nan", "SMARTCIS_SPEED must be a number from 0.01, found nan"),
        ("SMARTCIS_SIMULATE", "maybe", "SMARTCIS_SIMULATE must be 1 or 0, found maybe"),
        ("SMARTCIS_HOST", "0.0.0.0", "opens the building to the network, and nobody has an account"),
        ("SMARTCIS_BUILDING", "/nowhere", "has no sources.yaml; name a building folder"),
    ],
)
def test_a_wrong_setting_is_named_with_what_was_found(name: str, value: str, message: str) -> None:
    with pytest.raises(SourceError, match=message.replace(".", r"\.")):
        read_settings({name: value})


def test_an_open_bind_with_an_account_is_allowed() -> None:
    settings = read_settings({"SMARTCIS_HOST": "0.0.0.0", "SMARTCIS_ADMIN_PASSWORD": "correct horse"})
    assert settings.url == "http://127.0.0.1:8000"


def test_whether_running_views_may_change_their_plans_is_a_setting() -> None:
    assert read_settings({}).adaptive
    assert not read_settings({"SMARTCIS_ADAPTIVE": "off"}).adaptive


def test_views_may_be_in_shares_where_spark_has_a_master_of_its_own_or_where_that_is_said() -> None:
    assert (
        read_settings({}).partitions == read_settings({"SMARTCIS_SPARK_MASTER": "local[8]"}).partitions == 0
    )
    assert read_settings({"SMARTCIS_SPARK_MASTER": "spark://a:7077"}).partitions == 4
    assert read_settings({"SMARTCIS_PARTITIONS": "2"}).partitions == 2
    with pytest.raises(SourceError, match=r"PARTITIONS must be a whole number from 0 to 1,000, found 2\.5"):
        read_settings({"SMARTCIS_PARTITIONS": "2.5"})


def test_a_building_of_ones_own_is_not_simulated(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text("mqtt: {}\n")
    assert not read_settings({"SMARTCIS_BUILDING": str(tmp_path)}).simulate
    with pytest.raises(SourceError, match="simulates the devices of our own building"):
        read_settings({"SMARTCIS_BUILDING": str(tmp_path), "SMARTCIS_SIMULATE": "1"})


def test_a_pace_is_set_by_kind() -> None:
    paces = read_settings({"SMARTCIS_PACE_PAST": "7", "SMARTCIS_QUERIES_AT_ONCE": "2"}).paces
    assert (paces.past, paces.at_once, paces.queries) == (7, 2, 60)
