"""What makes a page an app on a phone: the worker that says, without a network, that there is none.

It keeps one page and its looks, nothing of the building: a map without its feed would look alive.
"""

from flask import Blueprint, Response, current_app, render_template, send_from_directory
from werkzeug.wrappers import Response as PlainResponse

from app.roles import public


def create_install_routes(building_name: str) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("install", __name__)

    @routes.get("/worker.js")
    @public("the same script for everyone, with nothing of the building in it")
    def worker() -> PlainResponse:
        answer = send_from_directory(f"{current_app.static_folder}/js", "worker.js")
        answer.headers["Cache-Control"] = "no-cache"
        return answer

    @routes.get("/manifest.webmanifest")
    @public("names the building, which its own pages do to whoever sees them")
    def manifest() -> Response:
        text = render_template("manifest.webmanifest", building=building_name)
        return Response(text, mimetype="application/manifest+json")

    @routes.get("/unreachable")
    @public("says that there is no network")
    def unreachable() -> str:
        return render_template("unreachable.html")

    return routes
