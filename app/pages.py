"""What a person opens: the map, the reference, and the ways in and out."""

from flask import Blueprint, Response, abort, redirect, render_template, request, session, url_for
from flask_limiter import Limiter
from werkzeug.wrappers import Response as PlainResponse

from app.auth import Auth
from app.reference import CHAPTERS, chapter
from app.refusals import refusal
from app.roles import Role, public, requires
from app.vendor import vendor_tags

Page = str | Response | PlainResponse | tuple[str, int]
LOGIN_LIMIT = "10 per minute"


def create_pages(auth: Auth, building_name: str, limiter: Limiter) -> Blueprint:
    """Return the routes of the pages."""
    pages = Blueprint("pages", __name__)

    @pages.get("/")
    @requires(Role.KIOSK)
    def map_page() -> Page:
        visitor = auth.visitor(request, session)
        role = visitor.role if visitor else Role.KIOSK
        return render_template("map.html", building=building_name, vendor=vendor_tags(), role=role.label)

    _reference_routes(pages)
    _sign_in_routes(pages, auth, limiter)
    return pages


def _reference_routes(pages: Blueprint) -> None:
    @pages.get("/docs")
    @public("tells how to ask, and nothing of the building")
    def docs() -> Page:
        return redirect(url_for("pages.docs_page", name=next(iter(CHAPTERS))))

    @pages.get("/docs/<name>")
    @public("tells how to ask, and nothing of the building")
    def docs_page(name: str) -> Page:
        if name not in CHAPTERS:
            abort(404, f"There is no chapter {name}; there are {', '.join(CHAPTERS)}.")
        return render_template("docs.html", chapter=chapter(name), chapters=CHAPTERS)


def _sign_in_routes(pages: Blueprint, auth: Auth, limiter: Limiter) -> None:
    @pages.get("/enter")
    @public("redeems a one-time link; its token is the proof")
    def enter() -> Page:
        role = auth.redeem(request.args.get("token", ""))
        if role is None:
            return refusal(auth, "This sign-in link has been used or is too old.", 403)
        return _signed_in(auth, role)

    @pages.get("/login")
    @public("shows the way in")
    def login_page() -> Page:
        return render_template("login.html", has_password=auth.has_password, wrong=False)

    @pages.post("/login")
    @public("checks the password; limited to a few tries a minute")
    @limiter.limit(LOGIN_LIMIT)
    def login() -> Page:
        if auth.password_matches(request.form.get("password", "")):
            return _signed_in(auth, Role.ADMIN)
        return render_template("login.html", has_password=auth.has_password, wrong=True), 403

    @pages.post("/logout")
    @public("whoever is signed in may stop being so")
    def logout() -> Page:
        auth.sign_out(session)
        return redirect(url_for("pages.login_page"), 303)


def _signed_in(auth: Auth, role: Role) -> PlainResponse:
    auth.sign_in(session, role)
    session.permanent = True
    return redirect(url_for("pages.map_page"), 303)


def wants_page() -> bool:
    """Tell whether whoever asked reads HTML rather than calls the API."""
    return not request.path.startswith(("/api/", "/metrics")) and request.accept_mimetypes.accept_html
