"""The database is stopped and started while queries run: they say so, and are right again by themselves."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.settings import SIMULATED_BUILDING
from tests.environment.postgres import Postgres
from tests.environment.product import Demo, demo
from tests.environment.waiting import until

pytestmark = [pytest.mark.integration, pytest.mark.slow]

SOURCES = """
databases:
  shop:
    url: "${SHOP_URL}"
    poll_seconds: 0.3
    on_demand: [vendors, purchases]
"""
BY_VENDOR = (
    "CREATE VIEW by_vendor AS SELECT v.name, count(*) AS bought, sum(p.pieces) AS pieces "
    "FROM vendors v, purchases p WHERE v.vendor = p.vendor AND p.item <> 'cable' GROUP BY v.name"
)
LENGTHS = "CREATE VIEW lengths AS SELECT upper(v.name) AS name FROM vendors v WHERE v.name LIKE '%a%'"


@pytest.fixture
def server() -> Iterator[Postgres]:
    made = Postgres()
    made.start()
    yield made
    made.remove()


@pytest.fixture
def shop(server: Postgres) -> sa.Engine:
    engine = sa.create_engine(server.create_database(), pool_pre_ping=True)
    write(
        engine,
        "CREATE TABLE vendors (vendor INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE purchases (n INTEGER PRIMARY KEY, vendor INTEGER, item TEXT, pieces INTEGER)",
        "INSERT INTO vendors VALUES (1, 'Alma'), (2, 'Bo')",
        "INSERT INTO purchases VALUES (1, 1, 'desk', 4), (2, 1, 'cable', 90), (3, 2, 'lamp', 7)",
        "INSERT INTO purchases VALUES (4, 1, 'lamp', 1)",
    )
    return engine


def write(engine: sa.Engine, *statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


@pytest.fixture
def running(shop: sa.Engine, tmp_path: Path) -> Iterator[Demo]:
    building = tmp_path / "building"
    building.mkdir()
    for name in ("building.json", *(plan.name for plan in SIMULATED_BUILDING.glob("floor-*.geojson"))):
        shutil.copy(SIMULATED_BUILDING / name, building)
    (building / "sources.yaml").write_text(SOURCES)
    url = shop.url.render_as_string(hide_password=False)
    with demo(tmp_path / "state", SMARTCIS_BUILDING=str(building), SHOP_URL=url) as product:
        yield product


def told(product: Demo, view: str) -> tuple[list[list[object]], list[str]]:
    """A view's rows, and which sites it is without."""
    (found,) = [each for each in product.get("/api/views") if each["name"] == view]
    return sorted(product.rows(view)), found["missing"]


def test_views_over_a_database_name_it_while_it_is_away_and_are_right_again_when_it_is_back(
    running: Demo, server: Postgres, shop: sa.Engine
) -> None:
    running.get("/api/statements", {"sql": BY_VENDOR})
    running.get("/api/statements", {"sql": LENGTHS})
    first = [["Alma", 2, 5], ["Bo", 1, 7]]
    until(lambda: told(running, "by_vendor") == (first, []), 30, "the view to be answered")
    until(lambda: told(running, "lengths") == ([["ALMA"]], []), 30, "the other view to be answered")
    write(shop, "DELETE FROM purchases WHERE n = 3")
    until(lambda: told(running, "by_vendor") == (first[:1], []), 20, "a change to arrive")
    shop.dispose()
    server.stop()
    until(lambda: told(running, "by_vendor") == (first[:1], ["database:shop"]), 20, "the site to be missed")
    server.start()
    write(shop, "INSERT INTO vendors VALUES (3, 'Cara')", "INSERT INTO purchases VALUES (5, 3, 'chair', 2)")
    second = [["Alma", 2, 5], ["Cara", 1, 2]]
    until(lambda: told(running, "by_vendor") == (second, []), 30, "the view to be right again")
    assert told(running, "lengths") == ([["ALMA"], ["CARA"]], [])
    shop.dispose()
