"""How SmartCIS goes, over HTTP: whether it is alive and ready, what it measures, what its sources bring."""

from flask import Blueprint, Response, jsonify

from app import present
from app.config import WebConfig
from app.health import Health
from app.readiness import Readiness
from app.roles import Role, public, requires


def create_state_routes(health: Health, config: WebConfig) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("state", __name__)
    _alive_routes(routes, health, Readiness(health, config))
    _state_routes(routes, health)
    return routes


def _alive_routes(routes: Blueprint, health: Health, readiness: Readiness) -> None:
    @routes.get("/healthz")
    @public("says whether ticks flow, and no more than that, to whoever starts or watches the server")
    def healthz() -> tuple[Response, int]:
        report, status = health.report()
        return jsonify(report), status

    @routes.get("/readyz")
    @public("says what is missing before people can be sent here, and no more than that")
    def readyz() -> tuple[Response, int]:
        missing = readiness.missing()
        said = {"status": "missing", "missing": missing} if missing else {"status": "ready"}
        return jsonify(said), 503 if missing else 200

    @routes.get("/metrics")
    @requires(Role.ADMIN)
    def metrics() -> Response:
        return Response(health.metrics(), mimetype="text/plain")


def _state_routes(routes: Blueprint, health: Health) -> None:
    @routes.get("/api/sources")
    @requires(Role.OPERATOR)
    def sources() -> Response:
        return jsonify(health.sources())

    @routes.get("/api/windows")
    @requires(Role.OPERATOR)
    def windows() -> Response:
        return jsonify([window._asdict() for window in health.punctuality()])

    @routes.get("/api/losses")
    @requires(Role.OPERATOR)
    def losses() -> Response:
        return jsonify([loss._asdict() for loss in health.losses()])

    @routes.get("/api/sites")
    @requires(Role.OPERATOR)
    def sites() -> Response:
        return jsonify(present.sites(health.sites()))

    @routes.get("/api/ticks")
    @requires(Role.OPERATOR)
    def ticks() -> Response:
        return jsonify({"ticks": [times._asdict() for times in health.ticks()]})
