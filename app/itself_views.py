"""What SmartCIS says of itself, as views that the page of the system watches.

    system_queries      each view and query: text, state since when, rows, load, bytes
    system_operators    each node of the plans: rows in and out, held, seconds
    system_parts        which query stands on which
    system_sites        gateways and databases that compute, since when they are as they are

References:
    Liu. Incremental Processing and Optimization of Update Streams. 2016: the demonstration's panel of
    running queries, their plans, and the tuples in and out of each operator.
"""

from app.wayfinding import binder
from engine.model.catalog import Catalog
from engine.session import Session

VIEWS = {
    "system_queries": """
SELECT q.query, q.text, q.plan, q.state, q.since, q.problem, c.rows, c.load, c.bytes
FROM queries q LEFT JOIN query_costs c ON c.query = q.query""",
    "system_operators": "SELECT o.operator, o.does, o.came, o.went, o.held, o.seconds FROM operators o",
    "system_parts": "SELECT p.query, p.operator FROM query_operators p",
    "system_sites": "SELECT s.site, s.state, s.since, s.problem FROM sites s",
}


def install_itself_views(session: Session, catalog: Catalog) -> None:
    """Register the views; what they read is there in every building."""
    bind = binder(catalog, ())
    for name, sql in VIEWS.items():
        session.install(name, bind(sql))
