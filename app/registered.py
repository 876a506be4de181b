"""The session as a start finds it: relations, installed views, those of the building, those of the last run.

declared + reflected relations → catalog → installed views → snapshot, if one is readable → the script
"""

from collections.abc import Sequence

from app.building_views import building_views
from app.built_in_views import install_views
from app.cells import say
from app.outputs import check_outputs
from app.query_budget import budget_of
from app.settings import Settings
from app.together import views_together
from engine.contracts import History, Optimizer
from engine.lang.streamsql import Statement
from engine.model.catalog import Catalog
from engine.model.relation import Relation
from engine.partitions.operator import Carry
from engine.session import Session
from engine.views.checkpoint import Image
from ingest.declarations import read_declaration, relations_in_force
from ingest.log import Log


def opened(
    settings: Settings,
    log: Log,
    relations: Sequence[Relation],
    optimizer: Optimizer,
    history: History,
    carry: Carry,
) -> tuple[Session, list[Statement]]:
    """Return a session with what is installed, and the building's own script, which ``restore`` runs."""
    catalog = Catalog((*relations, *_declared(log, relations)))
    session = Session(catalog, optimizer, history, budget_of(settings), check_outputs, carry)
    session.adapting.is_on = settings.adaptive
    script = building_views(settings.building)
    install_views(session, catalog, script)
    return session, script


def restore(session: Session, script: list[Statement], image: Image | None, together: int) -> None:
    """Go on from what the last run kept; what no longer fits is told. So many have to be ``together``."""
    if image is not None:
        session.restore(image, say)
    for statement in script:
        session.bring(statement)
    for statement in views_together(session.views(), together):
        session.bring(statement)
    session.restored(say)


def _declared(log: Log, fixed: Sequence[Relation]) -> list[Relation]:
    """Return what people declared; a name that the building has itself is the building's."""
    found = [read_declaration(*each) for each in log.declared()]
    return relations_in_force(found, {relation.name for relation in fixed})
