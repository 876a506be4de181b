"""Names know no case, whatever letters a database has them in."""

import pytest

from engine.model.catalog import Catalog
from engine.model.relation import RelationKind
from engine.model.values import Type
from tests.memory_log import MemoryLog, rows_of
from tests.strategies import relation


@pytest.mark.parametrize(
    "query",
    [
        'SELECT a."Kind" FROM "Assets" a WHERE a.ID = 1',
        "SELECT kind FROM assets WHERE id = 1 ORDER BY kind",
        "SELECT b.KIND FROM Assets a JOIN assets b USING (Id) WHERE a.kind = 'lamp'",
        "SELECT q.kind FROM (SELECT Kind, count(*) AS n FROM ASSETS GROUP BY kind) q",
    ],
)
def test_a_database_s_capital_letters_need_not_be_written(query: str) -> None:
    table = relation("Assets", RelationKind.TABLE, key=("Id",), Id=Type.BIGINT, Kind=Type.TEXT)
    log = MemoryLog()
    session = log.session(Catalog([table]))
    log.write(1, "Assets", (1, "lamp"))
    name = session.query(query)
    log.tick(session)
    assert rows_of(session, name) == {("lamp",): 1}
