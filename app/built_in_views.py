"""The views that are there in every building, whatever its own views.sql says."""

from collections.abc import Sequence

from app.device_views import install_device_views
from app.itself_views import install_itself_views
from app.wayfinding import install_wayfinding
from app.ways.plans import install_way_views
from engine.lang.streamsql import Statement
from engine.model.catalog import Catalog
from engine.session import Session


def install_views(session: Session, catalog: Catalog, script: Sequence[Statement]) -> None:
    """Register them; ``script`` are the building's own, which some of them read."""
    install_wayfinding(session, catalog, script)
    install_way_views(session, catalog, script)
    install_device_views(session, catalog)
    install_itself_views(session, catalog)
