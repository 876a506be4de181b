"""How a view is run, drawn: its page, and the plan that the page asks for again and again.

GET /plans/<view>            the page
GET /api/views/<view>/plan   plan, and how ticks keep up; ?weighs=no leaves out what else could run,
                             which takes as long to find as planning the query
"""

from flask import Blueprint, Response, jsonify, render_template, request

from app import present
from app.api import refused
from app.facade import Engine
from app.health import Health
from app.keeping_up import keeping_up
from app.roles import Role, requires
from app.vendor import vendor_tags
from engine.model.errors import QueryError, SmartCISError

SAID = {"yes": True, "no": False}


def create_plan_routes(engine: Engine, health: Health, building_name: str) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("plans", __name__)

    @routes.get("/plans/<name>")
    @requires(Role.ANALYST)
    def plan_page(name: str) -> str:
        return render_template("view_plan.html", building=building_name, vendor=vendor_tags(), view=name)

    @routes.get("/api/views/<name>/plan")
    @requires(Role.ANALYST)
    def plan_of(name: str) -> Response:
        said = request.args.get("weighs", "yes")
        if said not in SAID:
            problem = f"weighs={said:.20} says nothing; it is {' or '.join(SAID)}"
            raise QueryError(problem)
        plan = present.plan(engine.plan_of(name, SAID[said]), "json")
        return jsonify({"plan": plan, "ticks": keeping_up(health.ticks(), health.lag_seconds())})

    routes.register_error_handler(SmartCISError, refused)
    return routes
