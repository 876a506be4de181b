"""The application factory: engine in, Flask application and sockets out.

    request → Proxied → Doorway (host; at /socket.io/ also session and number)
            → access check → origin check → route

The doorway stands in front of Flask, since Socket.IO answers its own path before Flask sees it. A route
that declares no access is refused to everyone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask, Response, g, jsonify, request, session
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as PlainResponse

from app.accounts.audit import Audit
from app.accounts.noting import write_audit
from app.accounts.routes import create_account_routes
from app.api import create_api
from app.auth import SESSION_SECONDS, Auth, Visitor
from app.broadcaster import Broadcaster
from app.building import BuildingNow
from app.config import WebConfig
from app.console.routes import create_console_routes
from app.console.saved import SavedQueries
from app.console.saved_routes import create_saved_routes
from app.device_routes import create_device_routes
from app.facade import Engine
from app.handover_routes import Walkers, create_handover_routes
from app.health import Health
from app.history.routes import create_history_routes
from app.importing.routes import create_building_routes
from app.install_routes import create_install_routes
from app.kiosk_routes import create_kiosk_routes
from app.machines.followed import followed_in
from app.machines.routes import create_machine_routes
from app.outlet_routes import create_outlet_routes
from app.outlets import Outlets
from app.pages import create_pages, wants_page
from app.proxies import PROXIED, Proxied
from app.refusals import FROM_ELSEWHERE, MAX_BODY, OURS, problem_of, refusal
from app.roles import access_of, public
from app.security import SAFE_METHODS, comes_from_elsewhere, harden, host_is_ours, origin_is_ours
from app.sockets import Connections, GuardedSocketIO, SocketPost, create_socketio, register_events
from app.space.hours import HeldHours
from app.space.routes import Space, create_space_routes
from app.space.shelf import Shelf
from app.static_files import serve_static
from app.system_routes import create_system_routes
from app.tail import Tails
from app.vendor import csp_hosts
from app.ways.routes import create_way_routes

ROOT = Path(__file__).resolve().parent.parent
FORGED = "This request came from another site and was not carried out."
ONE_WAY = "What was scanned shows one way and nothing else; sign in for more."


@dataclass(frozen=True)
class Web:
    """The web side: ``app`` is the WSGI application; start it after the fork, stop it before the end."""

    app: Flask
    socketio: GuardedSocketIO
    auth: Auth
    broadcaster: Broadcaster
    tails: Tails
    outlets: Outlets

    def start(self) -> None:
        self.broadcaster.start()
        self.outlets.start()

    def stop(self) -> None:
        """End every stream and socket, so that the server's threads can end."""
        self.tails.stop()
        self.outlets.stop()
        self.broadcaster.stop()
        for socket in list(self.socketio.server.eio.sockets.values()):
            socket.close(wait=False)  # waiting would be for the slowest browser


def create_app(engine: Engine, config: WebConfig) -> Web:
    """Build the web side of an engine."""
    config.state.mkdir(parents=True, exist_ok=True)
    auth = Auth(config.state, config.wall, config.admin_password)
    app = _flask(auth, config)
    connections = Connections()
    socketio = create_socketio(
        app, auth, lambda origin, environ: origin_is_ours(origin, environ, config.public_url)
    )
    post = SocketPost(socketio, auth, connections)
    outlets = Outlets(engine, config, post.tell_alarm, post.tell_routed)
    router = outlets.router
    tails = Tails(engine, config.max_queries, router)
    building = BuildingNow(config.building)
    followed = partial(followed_in, building)
    broadcaster = Broadcaster(engine, post, config.wall, config.feed, router.shows, followed)
    walkers = Walkers()
    register_events(socketio, broadcaster, connections, router.shows, walkers.may_watch)
    audit = Audit(config.database_url or f"sqlite:///{config.state / 'outputs.db'}", config.wall)
    write_audit(app, auth, audit)
    _check_access(app, auth, config)
    limiter = Limiter(get_remote_address, app=app)
    told = replace(config, sources=lambda: {**config.sources(), **outlets.health(), **_history(config)})
    health = Health(engine, told, connections)
    app.register_blueprint(create_api(engine, auth, building, health, tails, config.tell_door))
    app.register_blueprint(create_account_routes(auth, audit, building.name, limiter))
    app.register_blueprint(create_pages(auth, building.name, limiter))
    app.register_blueprint(create_device_routes(engine, building, config.say_of_device))
    app.register_blueprint(create_outlet_routes(outlets, auth, building.name))
    app.register_blueprint(create_history_routes(config.past, auth, config.feed))
    app.register_blueprint(create_building_routes(building, config.state, config.facts_url))
    app.register_blueprint(create_way_routes(config.ways, auth))
    space = _space(config, building)
    app.register_blueprint(create_space_routes(space))
    app.register_blueprint(create_machine_routes(config.past, building, space.tariff, config.feed))
    app.register_blueprint(create_console_routes(engine, auth, building.name))
    app.register_blueprint(create_saved_routes(auth, SavedQueries(config.state / "saved.json", config.wall)))
    app.register_blueprint(create_system_routes(building.name, health))
    app.register_blueprint(create_install_routes(building.name))
    app.register_blueprint(create_kiosk_routes(engine, auth, building))
    app.register_blueprint(create_handover_routes(config.ways, walkers, auth, building.name, config))
    doorway = Doorway(app, auth, config, connections)
    app.wsgi_app = Proxied(doorway, config.proxies)  # type: ignore[method-assign]
    return Web(app, socketio, auth, broadcaster, tails, outlets)


def _history(config: WebConfig) -> dict[str, str]:
    return {} if config.past is None else {"history": config.past.health()}


def _space(config: WebConfig, building: BuildingNow) -> Space:
    past = config.past
    held = None if past is None else HeldHours(past.database, Shelf(config.state / "space"))
    return Space(held, building, config.feed)


def _flask(auth: Auth, config: WebConfig) -> Flask:
    app = Flask("smartcis", template_folder=str(ROOT / "templates"), static_folder=str(ROOT / "static"))
    vars(app.json).update(sort_keys=False)  # the columns of a row have an order
    app.config.update(
        SECRET_KEY=auth.secret_key,
        SESSION_COOKIE_NAME=f"smartcis_{config.port}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=config.is_encrypted,
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=SESSION_SECONDS),
        SESSION_REFRESH_EACH_REQUEST=False,
        MAX_CONTENT_LENGTH=MAX_BODY,
        RATELIMIT_STORAGE_URI="memory://",
    )
    serve_static(app)
    public("the same files for everyone, with nothing of the building in them")(app.view_functions["static"])
    return app


def _check_access(app: Flask, auth: Auth, config: WebConfig) -> None:
    @app.before_request
    def check() -> Any:
        if request.url_rule is None:
            return None
        access = access_of(app.view_functions.get(request.endpoint or ""))
        visitor = auth.visitor(request, session)
        if access is None:
            return _refuse(auth, "This address is closed: it declares nobody who may use it.", 403)
        if access.role is not None and (visitor is None or visitor.role < access.role):
            return _refuse_visitor(auth, visitor)
        if access.role is not None and visitor and visitor.way is not None and not access.walkers:
            return _refuse(auth, ONE_WAY, 403)
        if _is_forged(visitor, config):
            return _refuse(auth, FORGED, 403, FROM_ELSEWHERE)
        return None

    @app.after_request
    def headers(response: Response) -> Response:
        harden(response, request.host, csp_hosts(), g.get("style_nonce"))
        return response

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> Any:
        return _refuse(auth, problem_of(error), error.code or OURS)


def _is_forged(visitor: Visitor | None, config: WebConfig) -> bool:
    if request.method in SAFE_METHODS or (visitor is not None and visitor.by_token):
        return False
    return comes_from_elsewhere(request, config.public_url)


def _refuse_visitor(auth: Auth, visitor: Visitor | None) -> Any:
    if visitor is None:
        return _refuse(auth, "You are not signed in on this browser.", 401)
    return _refuse(auth, f"Your role, {visitor.role.label}, does not permit this.", 403)


def _refuse(auth: Auth, problem: str, status: int, remedy: str = "") -> Any:
    if wants_page():
        return refusal(auth, problem, status, remedy)
    return jsonify({"error": problem}), status


class Doorway:
    """The WSGI layer in front of everything."""

    def __init__(self, app: Flask, auth: Auth, config: WebConfig, connections: Connections) -> None:
        self._app, self._inside = app, app.wsgi_app
        self._auth, self._config, self._present = auth, config, connections

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        refused = self._refusal(environ)
        if refused is None:
            return self._inside(environ, start_response)
        harden(refused, environ.get("HTTP_HOST", ""), ())
        return refused(environ, start_response)

    def _refusal(self, environ: dict[str, Any]) -> PlainResponse | None:
        if PROXIED not in environ and not host_is_ours(environ, self._config.host):
            port = self._config.port
            return PlainResponse(f"This server answers as 127.0.0.1:{port} or localhost:{port} only.\n", 421)
        if environ.get("PATH_INFO", "").startswith("/socket.io"):
            return self._socket_refusal(environ)
        return None

    def _socket_refusal(self, environ: dict[str, Any]) -> PlainResponse | None:
        """A stranger, or a browser too many, must not get as far as holding a thread."""
        opened = self._app.session_interface.open_session(self._app, self._app.request_class(environ))
        if opened is None or self._auth.of_session(opened) is None:
            return PlainResponse("Sign in first; the page of this address says how.\n", 401)
        origin = environ.get("HTTP_ORIGIN")
        if origin and not origin_is_ours(origin, environ, self._config.public_url):
            return PlainResponse("This socket was opened by another site.\n", 403)
        if "sid=" not in environ.get("QUERY_STRING", "") and len(self._present) >= self._config.max_sockets:
            return PlainResponse(f"All {self._config.max_sockets} places are taken; try again later.\n", 503)
        return None
