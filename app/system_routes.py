"""The page of SmartCIS itself: queries, their plans and operators, and who feeds them, since when.

What is live there are views (``app.itself_views``); here are the page, and how the sources do.
"""

from flask import Blueprint, Response, jsonify, render_template

from app.health import Health
from app.roles import Role, requires
from app.vendor import vendor_tags


def create_system_routes(building_name: str, health: Health) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("system", __name__)

    @routes.get("/system")
    @requires(Role.OPERATOR)
    def system_page() -> str:
        return render_template("system.html", building=building_name, vendor=vendor_tags())

    @routes.get("/api/system")
    @requires(Role.OPERATOR)
    def system() -> Response:
        return jsonify({"sources": health.sources_since()})

    return routes
