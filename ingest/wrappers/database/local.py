"""What a database cannot say as we mean it: its rows are fetched, and the rest is computed beside it.

    answer  =  plan over the rows of its leaves as of the transaction's moment

By the engine's own operators, started anew at each poll: for the few fragments that compute with a
column of a type of the database's own.
"""

from collections import Counter
from collections.abc import Mapping

import sqlalchemy as sa

from engine.build import build
from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.budget import Budget, BudgetExceeded
from engine.plan.physical import Physical
from engine.views.dataflow import Dataflow
from ingest.wrappers.database.columns import FactTable
from ingest.wrappers.database.sql import question_of

ROWS, SECONDS = 1_000_000, 10.0


def computed(plan: Physical, connection: sa.Connection, tables: Mapping[str, FactTable]) -> Counter[Row]:
    """Return the rows of a plan whose leaves alone the database is asked for."""
    budget = Budget(ROWS, start=SECONDS)
    dataflow = Dataflow(budget)
    root, _ = build(plan, dataflow, budget)
    for node in dataflow.leaves():
        question = question_of(node.plan, tables, connection.dialect.name)
        found = enumerate(question.rows(connection), 1)
        name = node.plan.relation.name
        node.leaf.advance([Reading(name, 1, row, n, 0, n) for n, row in found], 0)
    try:
        return Counter(dataflow.fill(root, budget.of_start))
    except BudgetExceeded as error:
        message = f"the database cannot say it, and computed here it is too much: {error}"
        raise SourceError(message) from error
