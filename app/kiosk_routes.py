"""Kiosks: their pages, their links, and who stands where."""

from flask import Blueprint, Response, jsonify, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as PlainResponse

from app.accounts.noting import note
from app.api import refused
from app.auth import Auth
from app.bodies import field
from app.building import BuildingNow
from app.facade import Engine
from app.kiosks import MAX_NAME, Kiosk
from app.refusals import refusal
from app.roles import Role, public, requires
from app.vendor import vendor_tags
from engine.model.errors import QueryError, SmartCISError, nearest

Page = str | Response | PlainResponse | tuple[str, int]
POINTS = "walking_points"
TAKEN_BACK = "This kiosk's link was taken back, or another was made for it."


def create_kiosk_routes(engine: Engine, auth: Auth, building: BuildingNow) -> Blueprint:
    """Return the routes."""
    routes = Blueprint("kiosks", __name__)
    _pages(routes, auth, building)
    _own_api(routes, auth)

    @routes.post("/api/kiosks")
    @requires(Role.ADMIN)
    def change() -> tuple[Response, int]:
        name = _name()
        body = request.get_json()
        note("took a kiosk's link back" if body.get("removed") else "made a kiosk's link", name)
        if body.get("removed"):
            return _removed(auth, name)
        point = field("point") if body.get("point") else _usual(building)
        _check_point(engine, point)
        token = auth.kiosks.make(name, point)
        link = url_for("kiosks.enter", token=token)
        return jsonify({"name": name, "point": point, "link": link}), 201

    routes.register_error_handler(SmartCISError, refused)
    return routes


def _pages(routes: Blueprint, auth: Auth, building: BuildingNow) -> None:
    @routes.get("/kiosk")
    @requires(Role.KIOSK)
    def kiosk_page() -> Page:
        visitor = auth.visitor(request, session)
        kiosk = visitor.kiosk if visitor else None
        role = visitor.role if visitor else Role.KIOSK
        return render_template(
            "kiosk.html", building=building.name, vendor=vendor_tags(), role=role.label, kiosk=kiosk
        )

    @routes.get("/kiosk/enter")
    @public("redeems a kiosk's link; its token is the proof")
    def enter() -> Page:
        kiosk = auth.kiosks.redeem(request.args.get("token", ""))
        if kiosk is None:
            return refusal(auth, TAKEN_BACK, 403, "An admin makes another on the page /kiosks.")
        auth.sign_in(session, Role.KIOSK, kiosk=kiosk.key)
        session.permanent = True
        return redirect(url_for("kiosks.kiosk_page"), 303)

    @routes.get("/kiosks")
    @requires(Role.ADMIN)
    def kiosks_page() -> Page:
        return render_template("kiosks.html", building=building.name, role=Role.ADMIN.label)


def _own_api(routes: Blueprint, auth: Auth) -> None:
    @routes.get("/api/kiosk")
    @requires(Role.KIOSK)
    def own() -> Response:
        visitor = auth.visitor(request, session)
        kiosk = visitor.kiosk if visitor else None
        if kiosk is not None:
            auth.renew(session)
        return jsonify(_told(kiosk) if kiosk else {"name": "", "point": ""})

    @routes.get("/api/kiosks")
    @requires(Role.VIEWER)
    def all_kiosks() -> Response:
        return jsonify({"kiosks": [_told(kiosk) for kiosk in auth.kiosks.all()]})


def _told(kiosk: Kiosk) -> dict[str, str]:
    return {"name": kiosk.name, "point": kiosk.point}


def _name() -> str:
    name = field("name").strip()
    if len(name) > MAX_NAME or not name.isprintable():
        problem = f"no kiosk can be called {name[:MAX_NAME]!r}; expected up to {MAX_NAME} letters in one line"
        raise QueryError(problem)
    return name


def _removed(auth: Auth, name: str) -> tuple[Response, int]:
    if not auth.kiosks.remove(name):
        known = ", ".join(kiosk.name for kiosk in auth.kiosks.all()) or "none"
        problem = f"there is no kiosk {name}; there are: {known}"
        raise QueryError(problem)
    return jsonify({"name": name, "removed": True}), 200


def _usual(building: BuildingNow) -> str:
    if building.kiosk is None:
        problem = "no point was said, and the building's building.json names no kiosk; say where it stands"
        raise QueryError(problem)
    return building.kiosk


def _check_point(engine: Engine, point: str) -> None:
    """Raise unless one can walk from there."""
    columns = [column.name for column in engine.snapshot(POINTS).columns]
    at = columns.index("point")
    points = [str(row[at]) for row, _ in engine.snapshot(POINTS).rows]
    if not points:
        problem = "no routing point is known yet; ask again once the building's facts have been read"
        raise QueryError(problem)
    if point not in points:
        near = nearest(point, points)
        problem = f"there is no routing point {point}{near}; SELECT point FROM {POINTS} lists them"
        raise QueryError(problem)
