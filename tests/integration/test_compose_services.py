"""The servers of docker-compose.yml start by its own commands, and a Spark job runs on its worker."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.integration.compose import Composition
from tests.integration.composed_text import interpolated
from tests.test_house_environment import deliver_one

PASSWORD = {"SMARTCIS_ADMIN_PASSWORD": "correct horse"}


def composition(repository: Path, folder: Path) -> Composition:
    return Composition(repository / "docker-compose.yml", folder, PASSWORD)


def test_the_compose_file_demands_an_admin_password() -> None:
    with pytest.raises(KeyError, match="SMARTCIS_ADMIN_PASSWORD"):
        interpolated("${SMARTCIS_ADMIN_PASSWORD:?set it}", {})


def test_every_address_of_the_app_is_translated(repository: Path, tmp_path: Path) -> None:
    composed = composition(repository, tmp_path)
    env = composed.services["app"].env
    assert env["SMARTCIS_SPARK_MASTER"] == f"spark://127.0.0.1:{composed.port('spark-master', 7077)}"
    assert env["SMARTCIS_MQTT_URL"] == f"mqtt://127.0.0.1:{composed.port('mosquitto', 1883)}"
    assert f"127.0.0.1:{composed.port('postgres', 5432)}/" in env["SMARTCIS_LOG_URL"]
    assert env["SMARTCIS_HOST"] == "127.0.0.1"
    assert env["SMARTCIS_PORT"] == str(composed.port("app", 8000))
    assert env["SMARTCIS_STATE"] == str(tmp_path / "app/var/lib/smartcis")
    assert env["SPARK_LOCAL_HOSTNAME"] == "127.0.0.1"


@pytest.mark.integration
def test_mosquitto_of_the_compose_file_delivers(repository: Path, tmp_path: Path) -> None:
    with composition(repository, tmp_path) as composed:
        composed.start("mosquitto")
        assert deliver_one(composed.port("mosquitto", 1883), b"pressed") == b"pressed"


@pytest.mark.integration
def test_postgres_of_the_compose_file_has_the_database_of_the_app(repository: Path, tmp_path: Path) -> None:
    with composition(repository, tmp_path) as composed:
        composed.start("postgres")
        engine = create_engine(composed.services["app"].env["SMARTCIS_LOG_URL"])
        with engine.connect() as connection:
            assert connection.execute(text("SELECT current_database()")).scalar_one() == "smartcis"
        engine.dispose()


@pytest.mark.integration
def test_a_job_on_the_spark_master_is_done_by_the_worker(repository: Path, tmp_path: Path) -> None:
    with composition(repository, tmp_path) as composed:
        composed.start("spark-master")
        composed.start("spark-worker")
        master = composed.services["app"].env["SMARTCIS_SPARK_MASTER"]
        driver = subprocess.run(
            [sys.executable, "-m", "tests.integration.spark_work", master],
            env=dict(composed.services["app"].env),
            cwd=repository,
            capture_output=True,
            text=True,
            timeout=240,
            check=True,
        )
        assert "squares=285 executors=1" in driver.stdout
        executors = list((tmp_path / "spark-worker/var/lib/smartcis/work").glob("app-*/*/stderr"))
        assert len(executors) == 1
