"""A large table of a database, read in ranges beside Spark's executors, and kept there."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.settings import SIMULATED_BUILDING
from tests.environment.product import Demo, demo
from tests.environment.spark_cluster import SparkCluster
from tests.environment.waiting import until

pytestmark = [pytest.mark.integration]

SOURCES = """
databases:
  campus:
    url: "${CAMPUS_URL}"
    poll_seconds: 0.5
    in_ranges: [assets]
"""
ROWS = 30_000
BY_KIND = (
    "CREATE VIEW by_kind AS SELECT a.kind, count(*) AS n, sum(a.worth) AS worth FROM assets a GROUP BY a.kind"
)
IN_SHARES = {"SMARTCIS_PARTITIONS": "2", "SMARTCIS_PARTITION_ROWS": "10000"}


def building_in(folder: Path) -> Path:
    building = folder / "building"
    building.mkdir()
    for name in ("building.json", *(plan.name for plan in SIMULATED_BUILDING.glob("floor-*.geojson"))):
        shutil.copy(SIMULATED_BUILDING / name, building)
    (building / "sources.yaml").write_text(SOURCES)
    return building


def campus(url: str) -> sa.Engine:
    engine = sa.create_engine(url)
    write(engine, "CREATE TABLE assets (asset INTEGER PRIMARY KEY, kind VARCHAR(9) NOT NULL, worth INTEGER)")
    rows = [{"asset": n, "kind": f"kind {n % 3}", "worth": n % 7} for n in range(ROWS)]
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO assets VALUES (:asset, :kind, :worth)"), rows)
    return engine


def write(engine: sa.Engine, *statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def there(engine: sa.Engine) -> list[list[object]]:
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT kind, count(*), sum(worth) FROM assets GROUP BY kind")
        return sorted([kind, n, int(worth)] for kind, n, worth in found)


def is_right(product: Demo, engine: sa.Engine) -> bool:
    return sorted(product.rows("by_kind")) == there(engine)


def kept_in_shares(product: Demo) -> Sequence[int]:
    """How many rows each share of the table keeps; none while it is in the driver."""
    unseen = [product.get("/api/views/by_kind/plan?weighs=no")]
    while unseen:
        node = unseen.pop()
        if isinstance(node, dict) and node.get("kind") == "Table":
            return ((node.get("observed") or {}).get("shares") or {}).get("kept", ())
        unseen += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    raise AssertionError


def followed(product: Demo, engine: sa.Engine) -> None:
    product.get("/api/statements", {"sql": BY_KIND})
    until(lambda: is_right(product, engine), 90, "all ranges to be read")
    until(lambda: len(kept_in_shares(product)) == 2, 60, "the table to be in shares")
    assert product.get("/healthz")["sources"]["db:campus in ranges"]
    write(
        engine,
        "UPDATE assets SET worth = worth + 1 WHERE asset < 2000",
        "DELETE FROM assets WHERE asset > 29000",
        "INSERT INTO assets VALUES (100000, 'new', 5)",
    )
    until(lambda: is_right(product, engine), 60, "a change to arrive")
    assert sum(kept_in_shares(product)) == 29_002


def test_a_table_in_ranges_is_read_and_kept_beside_spark(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'campus.db'}"
    engine = campus(url)
    settings = {"SMARTCIS_BUILDING": str(building_in(tmp_path)), "CAMPUS_URL": url}
    with demo(tmp_path / "state", **settings, **IN_SHARES) as product:
        followed(product, engine)
    write(engine, "UPDATE assets SET kind = 'old' WHERE asset = 7")
    with demo(tmp_path / "state", **settings) as product:  # and by the acquisition, all in the driver
        until(lambda: is_right(product, engine), 60, "the table to be polled whole")
        assert not kept_in_shares(product)
    engine.dispose()


@pytest.mark.slow
def test_an_executor_on_a_cluster_may_be_killed_while_ranges_are_read(tmp_path: Path, postgres: str) -> None:
    engine = campus(postgres)
    settings = {"SMARTCIS_BUILDING": str(building_in(tmp_path)), "CAMPUS_URL": postgres, **IN_SHARES}
    with (
        SparkCluster(tmp_path, workers=2, cores=1) as cluster,
        demo(tmp_path / "state", SMARTCIS_SPARK_MASTER=cluster.url, **settings) as product,
    ):
        followed(product, engine)
        for turn in range(3):
            write(engine, f"UPDATE assets SET worth = {turn} WHERE mod(asset, 7) = {turn}")
            until(lambda: len(cluster.executors()) == 2, 60, "both workers to have an executor")
            cluster.executors()[turn % 2].kill()
            write(engine, f"DELETE FROM assets WHERE asset BETWEEN {5000 * turn} AND {5000 * turn + 99}")
            until(lambda: is_right(product, engine), 120, "the view to be right again")
    engine.dispose()
