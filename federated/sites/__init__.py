"""The sites: what each can run, and by which metric it counts."""

from engine.model.errors import PlanError
from engine.model.relation import DATABASE_SITE, SENSOR_SITE
from federated.sites.database import DATABASE
from federated.sites.sensor import SENSOR
from federated.sites.site import Site

__all__ = ["DATABASE", "SENSOR", "Site", "site_called"]


def site_called(name: str) -> Site:
    """Return what a relation's site can run: sensor, or database:NAME."""
    if name == SENSOR_SITE:
        return SENSOR
    if name.partition(":")[0] == DATABASE_SITE:
        return DATABASE
    message = f"no site is called {name}; there are stream, {SENSOR_SITE} and {DATABASE_SITE}:NAME"
    raise PlanError(message)
