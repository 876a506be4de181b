"""The application factory: engine in, Flask application and sockets out.

    request → Proxied → Doorway (host; at /socket.io/ also session and number)
            → access check → origin check → route

The doorway stands in front of Flask, since Socket.IO answers its own path before Flask sees it. A route
that declares no access is refused to everyone.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from werkzeug.wrappers import Response as PlainResponse

from app.access import check_access
from app.accounts.audit import Audit
from app.accounts.noting import write_audit
from app.accounts.routes import create_account_routes
from app.alarming.routes import create_alarm_routes
from app.api import create_api
from app.auth import SESSION_SECONDS, Auth
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
from app.openapi.routes import create_openapi_routes
from app.outlet_routes import create_outlet_routes
from app.outlets import Outlets
from app.paces import Pace
from app.pacing import keep_pace
from app.pages import PROGRAMS, create_pages
from app.plan_routes import create_plan_routes
from app.proxies import PROXIED, Proxied
from app.refusals import MAX_BODY
from app.roles import public
from app.security import harden, host_is_ours, origin_is_ours
from app.sockets import Connections, GuardedSocketIO, SocketPost, create_socketio, register_events
from app.space.hours import HeldHours
from app.space.routes import Space, create_space_routes
from app.space.shelf import Shelf
from app.state_routes import create_state_routes
from app.static_files import serve_static
from app.system_routes import create_system_routes
from app.tail import Tails
from app.ways.routes import create_way_routes
from app.why_routes import create_why_routes

ROOT = Path(__file__).resolve().parent.parent


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
    tails = Tails(engine, config.max_queries, config.paces.at_once, router)
    building = BuildingNow(config.building)
    followed = partial(followed_in, building)
    broadcaster = Broadcaster(engine, post, config.wall, config.feed, router.shows, followed)
    walkers = Walkers()
    register_events(socketio, broadcaster, connections, router.shows, walkers.may_watch)
    audit = Audit(config.database_url or f"sqlite:///{config.state / 'outputs.db'}", config.wall)
    write_audit(app, auth, audit)
    check_access(app, auth, config)
    keep_pace(app, auth, Pace(config.paces, config.wall))
    limiter = Limiter(get_remote_address, app=app)
    told = replace(config, sources=lambda: {**config.sources(), **outlets.health(), **_history(config)})
    health = Health(engine, told, connections)
    space = _space(config, building, auth)
    saved = SavedQueries(config.state / "saved.json", config.wall)
    for routes in (
        create_api(engine, auth, building, tails, outlets.alarming.channels, config),
        create_state_routes(health, config),
        create_why_routes(engine, config.look_back),
        create_account_routes(auth, audit, building.name, limiter),
        create_pages(auth, building.name, limiter),
        create_device_routes(engine, building, config.say_of_device),
        create_outlet_routes(outlets, auth, building.name),
        create_alarm_routes(engine, auth, config.feed, outlets.alarming),
        create_history_routes(config.past, auth, config.feed),
        create_building_routes(building, config.state, config.facts_url),
        create_way_routes(config.ways, auth),
        create_space_routes(space),
        create_machine_routes(config.past, building, space.tariff, config.feed),
        create_console_routes(engine, auth, building.name),
        create_saved_routes(auth, saved),
        create_system_routes(building.name, health),
        create_plan_routes(engine, health, building.name),
        create_install_routes(building.name),
        create_openapi_routes(app),
        create_kiosk_routes(engine, auth, building),
        create_handover_routes(config.ways, walkers, auth, building.name, config),
    ):
        app.register_blueprint(routes)
    doorway = Doorway(app, auth, config, connections)
    app.wsgi_app = Proxied(doorway, config.proxies)  # type: ignore[method-assign]
    return Web(app, socketio, auth, broadcaster, tails, outlets)


def _history(config: WebConfig) -> dict[str, str]:
    return {} if config.past is None else {"history": config.past.health()}


def _space(config: WebConfig, building: BuildingNow, auth: Auth) -> Space:
    past = config.past
    held = None if past is None else HeldHours(past.database, Shelf(config.state / "space"))
    return Space(held, building, config.feed, auth, config.together)


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
            return _told(environ, f"This server answers as 127.0.0.1:{port} or localhost:{port} only.", 421)
        if environ.get("PATH_INFO", "").startswith("/socket.io"):
            return self._socket_refusal(environ)
        return None

    def _socket_refusal(self, environ: dict[str, Any]) -> PlainResponse | None:
        """A stranger, or a browser too many, must not get as far as holding a thread."""
        asked = self._app.request_class(environ)
        opened = self._app.session_interface.open_session(self._app, asked)
        if opened is None or self._auth.visitor(asked, opened) is None:
            return PlainResponse("Sign in first; the page of this address says how.\n", 401)
        origin = environ.get("HTTP_ORIGIN")
        if origin and not origin_is_ours(origin, environ, self._config.public_url):
            return PlainResponse("This socket was opened by another site.\n", 403)
        if "sid=" not in environ.get("QUERY_STRING", "") and len(self._present) >= self._config.max_sockets:
            return PlainResponse(f"All {self._config.max_sockets} places are taken; try again later.\n", 503)
        return None


def _told(environ: dict[str, Any], problem: str, status: int) -> PlainResponse:
    """Say why not, to a program as the API says it."""
    if environ.get("PATH_INFO", "").startswith(PROGRAMS):
        return PlainResponse(json.dumps({"error": problem}), status, mimetype="application/json")
    return PlainResponse(f"{problem}\n", status)
