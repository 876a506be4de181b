"""The way that a kiosk hands to a phone: the code, the page that it opens, the one view behind it."""

from threading import Lock

from flask import Blueprint, Response, jsonify, render_template, request, session
from werkzeug.wrappers import Response as PlainResponse

from app.api import refused
from app.auth import Auth, Visitor
from app.config import WebConfig
from app.handover import GOOD_SECONDS, WALK_SECONDS, Handovers, drawn, read_handed
from app.reach import OutOfReach, address_for_phones
from app.refusals import refusal
from app.roles import HOLDER_VIEWS, WALKER_VIEWS, Role, public, requires
from app.vendor import vendor_tags
from app.ways.wish import read_wish
from app.ways.wishing import Ways
from engine.model.clock import SECOND
from engine.model.errors import SmartCISError

Page = str | Response | PlainResponse | tuple[str, int]
TOO_OLD = "This way is no longer good: a code is for ten minutes."
AGAIN = "Scan the kiosk's code again."


class Walkers:
    """Which views each of those may watch who were handed a way: the ground, and their own."""

    def __init__(self) -> None:
        self._views: dict[str, str] = {}
        self._lock = Lock()

    def grant(self, visitor: Visitor, view: str) -> None:
        with self._lock:
            self._views[visitor.session] = view

    def may_watch(self, visitor: Visitor, view: str) -> bool:
        """Tell whether a view is shown to someone; who was handed no way may watch what their role may."""
        if visitor.way is None or view in WALKER_VIEWS:
            return True
        if view in HOLDER_VIEWS:
            return bool(visitor.way.get("hold"))
        return self._views.get(visitor.session) == view


def create_handover_routes(
    ways: Ways, walkers: Walkers, auth: Auth, building_name: str, config: WebConfig
) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("handover", __name__)
    handovers = Handovers(auth.secret_key, config.wall)

    @routes.post("/api/handovers")
    @requires(Role.KIOSK)
    def hand_over() -> tuple[Response, int]:
        handed = read_handed(request.get_json(silent=True))
        try:
            address = address_for_phones(config, request.scheme, request.host)
        except OutOfReach as error:
            return jsonify({"error": str(error)}), 409
        url = f"{address}/way/{handovers.sign(handed)}"
        until = config.wall.now() + GOOD_SECONDS * SECOND
        return jsonify({"url": url, "qr": drawn(url), "until": until}), 201

    @routes.get("/way/<token>")
    @public("shows the one way that its token was signed for; the token is the proof")
    def way_page(token: str) -> Page:
        handed = handovers.read(token)
        if handed is None:
            return refusal(auth, TOO_OLD, 410, AGAIN)
        known = auth.visitor(request, session)
        if known is None or known.way is not None:
            auth.sign_in(session, Role.KIOSK, WALK_SECONDS, way=handed.to_session())
            session.permanent = True
        way = handed.to_session()
        return render_template("way.html", building=building_name, vendor=vendor_tags(), way=way)

    @routes.post("/api/way")
    @requires(Role.KIOSK, walkers=True)
    def own_view() -> Response:
        visitor = auth.visitor(request, session)
        handed = visitor.way if visitor else None
        wish = handed["wish"] if handed else read_handed(request.get_json(silent=True)).wish
        view, _ = ways.want(read_wish(wish, ways.known()))
        if visitor is not None and handed is not None:
            walkers.grant(visitor, view)
        return jsonify({"view": view})

    routes.register_error_handler(SmartCISError, refused)
    return routes
