"""Socket.IO: what a browser may ask, and what it is told.

    watch {view}    → snapshot, then delta, delta, …   or refused {view, error}
    unwatch {view}
                    ← pulse {run, tick, at, now, missing} each second
                    ← routed, alarm {id, view, row, since, until}

Every event passes `GuardedSocketIO.on`: a handler that declares no access cannot be registered, and the
session or token is looked at again on each event, so that signing out and taking back count at once. A
handler only asks the broadcaster; none sends by itself.
"""

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, NamedTuple

from flask import Flask, request, session
from flask_socketio import SocketIO, disconnect

from app.auth import Auth, Visitor
from app.broadcaster import Broadcaster
from app.roles import ALARMS_ROLE, Role, access_of, public, requires, role_for_view

MAX_MESSAGE_BYTES = 64_000


class Came(NamedTuple):
    """What a socket came with: a session, or a token in the header that programs send."""

    authorization: str
    session: dict[str, Any]


def came() -> Came:
    """Return what the socket whose event this is came with."""
    return Came(request.headers.get("Authorization", ""), dict(session))


class Connections:
    """Which sockets there are, and what each came with."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._came: dict[str, Came] = {}

    def __len__(self) -> int:
        return len(self._came)

    def add(self, sid: str, of: Came) -> None:
        with self._lock:
            self._came[sid] = of

    def remove(self, sid: str) -> None:
        with self._lock:
            self._came.pop(sid, None)

    def where(self, unwanted: Callable[[Came], bool]) -> list[str]:
        with self._lock:
            return [sid for sid, of in self._came.items() if unwanted(of)]


class GuardedSocketIO(SocketIO):  # type: ignore[misc]
    """Socket.IO in which an event without a declared role does not exist."""

    def __init__(self, auth: Auth, **options: Any) -> None:
        self.auth = auth
        super().__init__(**options)

    def on(self, message: str, namespace: str | None = None) -> Callable[..., Any]:
        """Register a handler behind the check of its declaration."""

        def register(handler: Callable[..., Any]) -> Callable[..., Any]:
            access = access_of(handler)
            if access is None:
                problem = f"socket event {message} declares no access; use @requires(role) or @public(reason)"
                raise TypeError(problem)
            least = access.role

            @wraps(handler)
            def guarded(*arguments: Any) -> object:
                visitor = self.auth.visitor(request, session)
                if least is not None and (visitor is None or visitor.role < least):
                    return _turn_away(message, visitor)
                if least is not None and visitor and visitor.way is not None and not access.walkers:
                    return _turn_away(message, visitor)
                return handler(*arguments)

            super(GuardedSocketIO, self).on(message, namespace)(guarded)
            return guarded

        return register


def _turn_away(message: str, visitor: Visitor | None) -> object:
    if message == "connect":
        raise ConnectionRefusedError("sign in first; the page of this address says how")  # noqa: EM101
    if visitor is None:
        disconnect()
    return {"error": "your role does not permit this; ask an admin for a link of a higher role"}


class SocketPost:
    """The broadcaster's way to the sockets."""

    def __init__(self, socketio: SocketIO, auth: Auth, connections: Connections) -> None:
        self._socketio, self._auth, self._present = socketio, auth, connections

    def send(self, event: str, message: object, to: str | None) -> None:
        self._socketio.emit(event, message, to=to)

    def join(self, sid: str, room: str) -> None:
        if self._is_connected(sid):
            self._socketio.server.enter_room(sid, room)

    def leave(self, sid: str, room: str) -> None:
        if self._is_connected(sid):
            self._socketio.server.leave_room(sid, room)

    def backlog(self, sid: str) -> int:
        """Return how many messages wait for the socket: what Engine.IO has queued and not yet written."""
        server = self._socketio.server
        socket = server.eio.sockets.get(server.manager.eio_sid_from_sid(sid, "/"))
        return int(socket.queue.qsize()) if socket else 0

    def sweep(self) -> None:
        for sid in self._present.where(lambda of: self._auth.of(*of) is None):
            self._socketio.server.disconnect(sid)

    def tell_routed(self) -> None:
        """Say that other views are on displays than before."""
        self.send("routed", {}, None)

    def tell_alarm(self, alarm: dict[str, Any]) -> None:
        """Tell those who may see alarms."""
        for sid in self._present.where(lambda of: self._may_see_alarms(of)):
            self.send("alarm", alarm, sid)

    def _may_see_alarms(self, of: Came) -> bool:
        visitor = self._auth.of(*of)
        return visitor is not None and visitor.role >= ALARMS_ROLE

    def _is_connected(self, sid: str) -> bool:
        return bool(self._socketio.server.manager.is_connected(sid, "/"))


def create_socketio(app: Flask, auth: Auth, origin_allowed: Callable[..., bool]) -> GuardedSocketIO:
    """Attach Socket.IO to the app: threads, events in order, our origin only."""
    return GuardedSocketIO(
        auth,
        app=app,
        async_mode="threading",
        async_handlers=False,
        manage_session=False,
        cors_allowed_origins=origin_allowed,
        max_http_buffer_size=MAX_MESSAGE_BYTES,
        ping_interval=10,
        ping_timeout=10,
    )


def register_events(
    socketio: GuardedSocketIO,
    broadcaster: Broadcaster,
    connections: Connections,
    is_on_display: Callable[[str], bool],
    may_watch: Callable[[Visitor, str], bool] = lambda _visitor, _view: True,
) -> None:
    """Declare the events there are; what is on a display is for everyone before it.

    ``may_watch`` says what those see who were handed one way.
    """

    @socketio.on("connect")
    @requires(Role.KIOSK, walkers=True)
    def connect(_auth: object = None) -> None:
        connections.add(request.sid, came())  # type: ignore[attr-defined]

    @socketio.on("disconnect")
    @public("whoever leaves may say so; it only forgets the socket")
    def gone(_reason: object = None) -> None:
        connections.remove(request.sid)  # type: ignore[attr-defined]
        broadcaster.forget(request.sid)  # type: ignore[attr-defined]

    @socketio.on("watch")
    @requires(Role.KIOSK, walkers=True)
    def watch(message: object = None) -> dict[str, str] | None:
        view = _view_of(message)
        visitor = socketio.auth.visitor(request, session)
        if view is None:
            return {"error": 'watch found no view; it expects {"view": name}'}
        least = Role.KIOSK if is_on_display(view) else role_for_view(view)
        if visitor is None or visitor.role < least:
            return {"error": f"view {view} needs the role {least.label} or higher"}
        if not may_watch(visitor, view):
            return {"error": f"view {view} is no part of the way that was scanned"}
        broadcaster.watch(request.sid, view)  # type: ignore[attr-defined]
        return None

    @socketio.on("unwatch")
    @requires(Role.KIOSK, walkers=True)
    def unwatch(message: object = None) -> None:
        view = _view_of(message)
        if view is not None:
            broadcaster.unwatch(request.sid, view)  # type: ignore[attr-defined]


def _view_of(message: object) -> str | None:
    view = message.get("view") if isinstance(message, dict) else None
    return view if isinstance(view, str) and 0 < len(view) <= 200 else None
