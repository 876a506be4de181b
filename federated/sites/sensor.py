"""The sensor site: gateways, each beside its own devices, in a mesh whose hops cost the batteries.

    a gateway runs     select, project, windows, partial aggregates; functions as the engine has them
    two of them        one join of two of their relations a query, where an equality makes them meet

No Cartesian product is made in the network. A gateway's window moves by its own clock, so rows that say
themselves when they happened are windowed by time at the stream site alone. It knows its own devices
alone: the last rows of a key are the last rows there, where one gateway has all rows of the key; the last
rows of all devices are nobody's.
"""

from engine.plan.expressions import Expr
from engine.plan.logical import Project, Scan, Select
from engine.plan.windows import Range, Rows
from federated.sites.parts import can_add_up
from federated.sites.site import Site


def can_run(_expression: Expr) -> bool:
    """Tell whether a gateway can run an expression: it runs all of them by our own meaning."""
    return True


def refuses(scan: Scan) -> str | None:
    """Say why no gateway can hold a window."""
    relation, window = scan.relation, scan.window
    if isinstance(window, Range) and relation.event_time is not None:
        return f"its rows happened when {relation.event_time} says, and a gateway windows them as they come"
    if isinstance(window, Rows) and not is_of_one_device(scan, window):
        by = ", ".join(relation.key) or "a key"
        return (
            f"a gateway knows the rows of its own devices; expected [PARTITION BY {by} ROWS {window.count}]"
        )
    return None


def is_of_one_device(scan: Scan, window: Rows) -> bool:
    """Tell whether each part of a window is of one device's rows."""
    return bool(scan.relation.key) and set(scan.relation.key_positions) <= set(window.partition)


SENSOR = Site(
    "sensor",
    (Scan, Select, Project),
    can_run,
    can_add_up,
    refuses,
)
