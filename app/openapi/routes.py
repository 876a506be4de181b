"""Who serves the description: as OpenAPI for programs, as a page for people."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from flask import Blueprint, Flask, Response, jsonify

from app.book.routes import shown
from app.openapi.document import Document, document
from app.openapi.page import page
from app.roles import public

SAYS = "says what can be asked and by whom, as the source does, and nothing of the building"


def create_openapi_routes(app: Flask) -> Blueprint:
    """Return the routes; the document is made of all routes there are when it is first asked for."""
    routes = Blueprint("openapi", __name__)

    @cache
    def whole() -> Document:
        return document(app, _version())

    @routes.get("/openapi.json")
    @public(SAYS)
    def description() -> Response:
        return jsonify(whole())

    @routes.get("/docs/api")
    @public(SAYS)
    def api_page() -> str:
        return shown(page(whole()))

    return routes


def _version() -> str:
    try:
        return version("smartcis")
    except PackageNotFoundError:  # run from its folder, not installed
        return "0"
