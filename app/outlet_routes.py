"""The pages and the API of what is routed: displays for whoever stands before them, alarms for operators."""

from flask import Blueprint, Response, jsonify, render_template, request, session

from app.alarming.channels import NEEDED, OFFERED, SECURITY
from app.alarming.form import COMPARED
from app.alarming.rule import SEVERITIES
from app.auth import Auth
from app.outlets import Outlets
from app.roles import ALARMS_ROLE, OUTPUTS_ROLE, Role, requires
from app.vendor import vendor_tags

Page = str | Response


def create_outlet_routes(outlets: Outlets, auth: Auth, building_name: str) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("outlets", __name__)

    def page(template: str, **values: object) -> Page:
        visitor = auth.visitor(request, session)
        role = (visitor.role if visitor else Role.KIOSK).label
        return render_template(template, building=building_name, vendor=vendor_tags(), role=role, **values)

    @routes.get("/display")
    @requires(Role.KIOSK)
    def displays_page() -> Page:
        return page("displays.html", displays=sorted(outlets.displays().items()))

    @routes.get("/display/<name>")
    @requires(Role.KIOSK)
    def display_page(name: str) -> Page:
        return page("display.html", display=name)

    @routes.get("/alarms")
    @requires(ALARMS_ROLE)
    def alarms_page() -> Page:
        return page("alarms.html")

    @routes.get("/alarms/channels")
    @requires(Role.ADMIN)
    def channels_page() -> Page:
        return page("alarm_channels.html", offered=OFFERED, needed=NEEDED, security=SECURITY)

    @routes.get("/alarms/new")
    @requires(OUTPUTS_ROLE)
    def rule_page() -> Page:
        return page("alarm_rule.html", severities=SEVERITIES, compared=COMPARED)

    _api_routes(routes, outlets)
    return routes


def _api_routes(routes: Blueprint, outlets: Outlets) -> None:
    @routes.get("/api/displays")
    @requires(Role.KIOSK)
    def displays() -> Response:
        return jsonify({name: list(views) for name, views in sorted(outlets.displays().items())})
