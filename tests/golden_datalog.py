"""The verbs of golden scripts for Datalog.

datalog>  a program over the catalog's relations: its outputs become views; what is noted of it
classes>  a program: the class of each stratum, and why
refused>  a program: the error, and the part of the text that it is about
"""

from collections.abc import Mapping

from engine.lang.datalog import Bound, bind_program, bound, classify
from engine.model.catalog import Catalog
from engine.model.errors import QueryError
from engine.plan.logical import Plan
from engine.session import Session
from tests.memory_log import MemoryLog, rows_of
from tests.oracle import evaluate


def installed(session: Session, catalog: Catalog, text: str) -> Bound:
    found = bound(text, catalog, {view.name: view.logical for view in session._views})
    for name, plan in found.plans.items():
        session.install(name, plan)
    return found


def told_of(found: Bound) -> str:
    shapes = [f"{n}({', '.join(f'{c.name} {c.type}' for c in p.columns)})" for n, p in found.plans.items()]
    return "\n".join([*shapes, *found.notes])


def classes(text: str) -> str:
    return "\n".join(map(str, classify(text)))


def refused(catalog: Catalog, text: str) -> str:
    try:
        found = bind_program(text, catalog, {})
    except QueryError as error:
        covered = text[error.span.start : error.span.end] if error.span else ""
        return f"{error.message}\n{covered}".strip()
    raise AssertionError(f"no error, but {list(found)}")


def check(session: Session, log: MemoryLog, plans: Mapping[str, Plan]) -> None:
    """Hold the views of programs against a recomputation."""
    for name, plan in plans.items():
        assert rows_of(session, name) == evaluate(plan, log.readings, session.stamp.at), name
