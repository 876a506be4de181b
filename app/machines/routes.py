"""What a machine's tasks took of its energy, over HTTP.

GET /api/machines/MACHINE/tasks?from=…&to=…     an hour up to now where nothing is said
"""

from flask import Blueprint, Response, jsonify

from app.building import AnyBuilding
from app.history.past import Past
from app.history.routes import moment_in
from app.machines.tasks import DAY, HOUR, Taken, taken
from app.roles import Role, requires
from app.space.energy import Tariff, cost
from engine.model.clock import Clock
from engine.model.errors import QueryError, nearest

LONGEST_DAYS = 31


def create_machine_routes(
    past: Past | None, building: AnyBuilding, tariff: Tariff | None, clock: Clock
) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("machines", __name__)

    @routes.get("/api/machines/<machine>/tasks")
    @requires(Role.VIEWER)
    def tasks(machine: str) -> Response:
        if machine not in building.machines:
            problem = f"unknown machine {machine[:80]}{nearest(machine, list(building.machines))}"
            raise QueryError(problem)
        if past is None:
            problem = "no past is kept by this server, so nothing is known of what tasks took"
            raise QueryError(problem)
        now = clock.now()
        end = min(moment_in("to", now), now)
        start = moment_in("from", now, end - HOUR)
        if not end - LONGEST_DAYS * DAY <= start < end:
            problem = f"the stretch begins before it ends, in the past, at most {LONGEST_DAYS} days before"
            raise QueryError(problem)
        found = taken(past.database, machine, start, end)
        return jsonify({"machine": machine, "from": start, "to": end, **told(found, tariff)})

    routes.register_error_handler(QueryError, lambda error: (jsonify({"error": error.message}), 400))
    return routes


def told(found: Taken, tariff: Tariff | None) -> dict[str, object]:
    """Return what is told of it."""
    return {
        "kwh": round(found.kwh, 5),
        "nobodys": round(found.nobodys, 5),
        "currency": tariff.currency if tariff else None,
        "tasks": [
            {
                "task": task.task,
                "kwh": round(task.kwh, 5),
                "share": round(task.share, 4),
                "hours": round(task.hours, 2),
                "cost": None if tariff is None else round(cost(task.kwh, tariff) or 0.0, 4),
            }
            for task in found.tasks
        ],
    }
