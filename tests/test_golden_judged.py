"""What golden scripts of SQL record is what other engines answer: the oracle, and DuckDB where it can.

after each run>:   view  =  oracle(view)  =  DuckDB(its text) over the tables' rows
"""

from collections import Counter
from pathlib import Path

import duckdb
import pytest

from tests.duckdb_peer import connected
from tests.golden_script import Golden, steps
from tests.memory_log import rows_of
from tests.oracle import evaluate, table
from tests.three_tables import plainly

GOLDEN = Path(__file__).parent / "golden" / "sql"
WITHOUT_RECURSION = (
    "outer_joins", "semi_anti", "exists_in", "scalar_subqueries", "set_operations", "having_distinct",
    "top_k", "numeric_functions", "case_coalesce_cast",
)  # fmt: skip


class Judged(Golden):
    """A script whose views are held against the other engines at each tick."""

    judged = 0

    def run(self, text: str) -> str:
        told = super().run(text)
        judge = self.judge()
        for view in self.session._views:
            if view.suspended is not None:
                continue
            found = rows_of(self.session, view.name)
            assert found == evaluate(view.logical, self.log.readings, self.log.stamps[-1]), view.sql
            if (answer := answered(judge, view.sql, view.name)) is not None:
                assert plainly(found) == plainly(answer), view.sql
                self.judged += 1
        return told

    def judge(self) -> duckdb.DuckDBPyConnection:
        """The tables as they stand, in DuckDB."""
        relations = [each for each in self.known if each.source != "log"]
        judge = connected()
        for each in relations:
            judge.execute(
                f"CREATE TABLE {each.name} ({', '.join(f'{c.name} {c.type}' for c in each.columns)})"
            )
            own = [reading for reading in self.log.readings if reading.relation == each.name]
            if rows := list(table(each, own).elements()):
                judge.executemany(f"INSERT INTO {each.name} VALUES ({', '.join('?' for _ in rows[0])})", rows)
        return judge


def answered(judge: duckdb.DuckDBPyConnection, sql: str, name: str) -> Counter | None:
    """The rows of a view; None where DuckDB does not know what it says."""
    try:
        judge.execute(sql)
        return Counter(judge.execute(f"SELECT * FROM {name}").fetchall())
    except (duckdb.Error, TypeError):
        return None


@pytest.mark.parametrize("script", WITHOUT_RECURSION)
def test_what_a_script_records_is_what_other_engines_answer(script):
    golden = Judged()
    for step in steps((GOLDEN / f"{script}.txt").read_text("utf-8")):
        golden.answer(step)
    assert golden.judged > 5
